#include "llm/provider.h"

const struct llm_provider provider_anthropic = {
    .name = "anthropic",
    .alias = "claude",
    .summary = "Anthropic's Messages",
    .wire = &wire_anthropic,
    .model = "claude-sonnet-4-6",
    .model_vars = {"*_LLM_MODEL"},
    .key_vars = {"ANTHROPIC_API_KEY"},
    .key_header = "x-api-key: ",
    .headers = {"anthropic-version: 2023-06-01"},
    .url = "https://api.anthropic.com",
    .url_vars = {"ANTHROPIC_BASE_URL"},
    .path = "v1/messages",
    .count_path = "v1/messages/count_tokens",
    .timeout_s = 120,
    .thinks = true,
};
