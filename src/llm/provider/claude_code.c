#include "llm/provider.h"

const struct llm_provider provider_claude_code = {
    .name = "claude-code",
    .alias = "claude-cli",
    .summary = "the program 'claude -p', with its own account",
    .wire = &wire_claude,
    .model = "sonnet",
    .model_vars = {"*_LLM_MODEL"},
    .no_key = "",
    .timeout_s = 300,
    .no_stream = true,
    .no_tools = true,
    .program = "claude",
};
