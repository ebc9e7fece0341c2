#include "llm/provider.h"

/* The name of a deployment stands for the model. */
const struct llm_provider provider_azure = {
    .name = "azure",
    .alias = "azure-openai",
    .summary = "OpenAI's models at Azure",
    .wire = &wire_chat,
    .model_vars = {"AZURE_OPENAI_DEPLOYMENT", "*_LLM_MODEL"},
    .key_vars = {"AZURE_OPENAI_API_KEY"},
    .key_header = "api-key: ",
    .url_vars = {"AZURE_OPENAI_ENDPOINT"},
    .path = "openai/deployments/%m/chat/completions?api-version=%v",
    .no_endpoint = "set AZURE_OPENAI_ENDPOINT, or '--llm-url'",
    .timeout_s = 120,
};
