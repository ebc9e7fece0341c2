#include "llm/provider.h"

/* Any server that speaks chat completions: a company's gateway, vLLM, llama.cpp, LiteLLM ... */
const struct llm_provider provider_private = {
    .name = "private",
    .alias = "openai-compatible",
    .summary = "any server compatible with OpenAI's chat completions",
    .wire = &wire_chat,
    .model_vars = {"*_LLM_PRIVATE_MODEL", "*_LLM_MODEL"},
    .key_vars = {"*_LLM_PRIVATE_API_KEY"},
    .no_key = "dummy",
    .key_header = "Authorization: Bearer ",
    .headers_var = "*_LLM_PRIVATE_HEADERS",
    .url_vars = {"*_LLM_PRIVATE_URL"},
    .path = "v1/chat/completions",
    .verify_var = "*_LLM_PRIVATE_VERIFY_SSL",
    .no_endpoint = "set GPUSIGHT_LLM_PRIVATE_URL, or '--llm-url'",
    .timeout_s = 120,
};
