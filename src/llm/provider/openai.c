#include "llm/provider.h"

/* Both of OpenAI's ways to the same models. */
#define AT_OPENAI                                                                                  \
    .model = "gpt-5.6", .model_vars = {"*_LLM_MODEL"}, .key_vars = {"OPENAI_API_KEY"},             \
    .key_header = "Authorization: Bearer ", .url = "https://api.openai.com/v1",                    \
    .url_vars = {"OPENAI_BASE_URL", "OPENAI_API_BASE"}, .timeout_s = 120

const struct llm_provider provider_openai = {
    .name = "openai",
    .alias = "openai-responses",
    .summary = "OpenAI's Responses",
    .wire = &wire_responses,
    .path = "v1/responses",
    .count_path = "v1/responses/input_tokens",
    AT_OPENAI,
};

const struct llm_provider provider_openai_chat = {
    .name = "openai-chat",
    .alias = "chat",
    .summary = "OpenAI's chat completions",
    .wire = &wire_chat,
    .path = "v1/chat/completions",
    AT_OPENAI,
};
