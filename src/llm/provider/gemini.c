#include "llm/provider.h"

const struct llm_provider provider_gemini = {
    .name = "gemini",
    .alias = "google",
    .summary = "Google Gemini",
    .wire = &wire_gemini,
    .model = "gemini-3.5-flash",
    .model_vars = {"*_LLM_MODEL"},
    .key_vars = {"GOOGLE_API_KEY", "GEMINI_API_KEY"},
    .key_header = "x-goog-api-key: ",
    .url = "https://generativelanguage.googleapis.com",
    .url_vars = {"GOOGLE_GEMINI_BASE_URL", "GEMINI_BASE_URL"},
    .path = "v1beta/models/%m:streamGenerateContent?alt=sse",
    .timeout_s = 120,
};
