#include "llm/provider.h"

/* With a key of Bedrock; answers come in one piece, as its stream is no stream of events. */
const struct llm_provider provider_bedrock = {
    .name = "bedrock",
    .alias = "aws",
    .summary = "Anthropic's models at AWS",
    .wire = &wire_anthropic,
    .model = "us.anthropic.claude-sonnet-4-6",
    .model_vars = {"*_LLM_MODEL"},
    .key_vars = {"AWS_BEARER_TOKEN_BEDROCK"},
    .key_header = "Authorization: Bearer ",
    .url = "https://bedrock-runtime.%r.amazonaws.com",
    .url_vars = {"AWS_ENDPOINT_URL_BEDROCK_RUNTIME"},
    .path = "model/%m/invoke",
    .timeout_s = 300,
    .no_stream = true,
    .bedrock = true,
    .thinks = true,
};
