#include "llm/provider.h"

const struct llm_provider provider_openai = {
    .name = "openai",
    .alias = "openai-responses",
    .summary = "OpenAI's Responses",
    .wire = &wire_responses,
    .model = "gpt-5.6",
    .model_vars = {"*_LLM_MODEL"},
    .key_vars = {"OPENAI_API_KEY"},
    .key_header = "Authorization: Bearer ",
    .url = "https://api.openai.com/v1",
    .url_vars = {"OPENAI_BASE_URL", "OPENAI_API_BASE"},
    .path = "v1/responses",
    .count_path = "v1/responses/input_tokens",
    .timeout_s = 120,
};
