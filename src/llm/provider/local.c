#include "llm/provider.h"

const struct llm_provider provider_local = {
    .name = "local",
    .alias = "ollama",
    .summary = "Ollama, or another server on this machine",
    .wire = &wire_chat,
    .model = "codellama:13b",
    .model_vars = {"*_LLM_LOCAL_MODEL", "*_LLM_MODEL"},
    .key_vars = {"*_LLM_LOCAL_API_KEY"},
    .no_key = "ignored",
    .key_header = "Authorization: Bearer ",
    .url = "http://localhost:11434/v1",
    .url_vars = {"*_LLM_LOCAL_URL"},
    .path = "v1/chat/completions",
    .timeout_s = 60,
    .free = true,
    .old_limit = true,
};
