/*
 * Language models, for commands that may ask one: their options, and when what happens.
 *
 *     struct analyze_opts { struct llm_settings llm; ... };
 *     static const struct opt opts[] = {LLM_OPTS(struct analyze_opts, llm), ...};
 *     .before = before                          starts the messenger, outside of the box
 *     cli_llm_explain(cli, &o->llm, &of, out)   after the analysis
 *
 * Nothing of this does anything unless an option asks for a model.
 */
#ifndef GS_CLI_LLM_OPTS_H
#define GS_CLI_LLM_OPTS_H

#include "cli/command.h"
#include "cli/output.h"
#include "llm/explain.h"

struct llm_settings {
    struct llm_opts o;
    struct llm *session;     /* NULL: none was asked for, or there is none */
    struct gs_error problem; /* why there is none */
    bool versus;             /* about two traces: files are named after both */
};

/* clang-format off */
#define LLM_OPTS(T, m)                                                                             \
    OPT_GROUP("Language model; nothing is sent without one of these"),                             \
    OPT_TEXT(T, m.o.provider, 0, "llm", "PROVIDER[:MODEL]",                                        \
             "ask anthropic, openai, openai-chat, gemini, private, local (ollama), azure, "        \
             "bedrock or claude-code; auto takes the first with a key"),                           \
    OPT_TEXT(T, m.o.model, 0, "llm-model", "NAME", "which model"),                                 \
    OPT_TEXT(T, m.o.spec, 0, "model", "PROVIDER[:MODEL]|MODEL", "the same as --llm"),              \
    OPT_TEXT(T, m.o.private_model, 0, "llm-private-model", "NAME",                                 \
             "ask the private server for this model"),                                             \
    OPT_TEXT(T, m.o.local, 0, "llm-local", "ollama", "the same as --llm local"),                   \
    OPT_TEXT(T, m.o.local_model, 0, "llm-local-model", "NAME", "ask a local server for it"),       \
    OPT_TEXT(T, m.o.url, 0, "llm-url", "URL", "address of the server"),                            \
    OPT_TEXT(T, m.o.key_file, 0, "llm-key-file", "FILE",                                           \
             "read the key from this file, of mode 0600, instead of the provider's variable"),     \
    OPT_TEXT(T, m.o.refused_key, 0, "llm-api-key", "KEY",                                          \
             "refused: others can read command lines; use a variable or --llm-key-file"),          \
    OPT_CHOICE(T, m.o.redact, 0, "llm-redact", "names|all|none",                                   \
               "what is kept private: names of kernels, markers, hosts, users, paths and "         \
               "commands (names), also of host calls and GPUs (all), or nothing"),                 \
    OPT_FLAG(T, m.o.preview, 0, "llm-preview",                                                     \
             "print the exact bytes that would be sent, and send nothing"),                        \
    OPT_FLAG(T, m.o.yes, 0, "yes", "do not ask whether to go on after the estimate"),              \
    OPT_FLAG(T, m.o.exact_count, 0, "exact-token-count",                                           \
             "let the provider count the tokens before it is asked; anthropic and openai"),        \
    OPT_TEXT(T, m.o.price, 0, "llm-price", "IN/OUT", "dollars per million tokens, for estimates"), \
    OPT_INT(T, m.o.max_tokens, 0, "llm-max-tokens", 16, 1000000, "N",                              \
            "longest answer, in tokens (4096)"),                                                   \
    OPT_INT(T, m.o.thinking, 0, "llm-thinking", 1024, 1000000, "N",                                \
            "budget for thoughts, in tokens; anthropic and bedrock"),                              \
    OPT_CHOICE(T, m.o.effort, 0, "reasoning-effort", "low|medium|high|xhigh|max",                  \
               "how much thought to spend"),                                                       \
    OPT_TEXT(T, m.o.guide, 0, "llm-guide", "FILE",                                                 \
             "the guide that the model is given, instead of the one found; see docs/guide.md"),    \
    OPT_FLAG(T, m.o.app_knowledge, 0, "allow-app-knowledge",                                       \
             "the model may use what it knows about the program, not only the data"),              \
    OPT_INT(T, m.o.timeout_s, 0, "llm-timeout", 1, 86400, "S",                                     \
            "seconds without a byte from the server (120; 60 for local ones)"),                    \
    OPT_INT(T, m.o.retries, 0, "llm-retries", 0, 10, "N",                                          \
            "tries after a busy or unreachable server (2)"),                                       \
    OPT_TEXT(T, m.o.proxy, 0, "llm-proxy", "URL", "proxy, instead of that of https_proxy"),        \
    OPT_TEXT(T, m.o.ca, 0, "llm-ca", "FILE", "certificates of the authorities to trust"),          \
    OPT_NAMES(NAMES_TARGET, T, m.o.record, 0, "llm-record", "FILE", "write the dialogue to this file"),           \
    OPT_TEXT(T, m.o.replay, 0, "llm-replay", "FILE",                                               \
             "take the answers from such a file; nothing is sent"),                                \
    OPT_FLAG(T, m.o.agent, 0, "llm-agent",                                                         \
             "let the model look things up with tools, and rank hypotheses"),                      \
    OPT_INT(T, m.o.max_turns, 0, "max-turns", 1, 100, "N", "turns of the agent (20)"),             \
    OPT_FLAG(T, m.o.log, 0, "log", "write such a log to TRACE_TIME_log.txt in this folder, and hypotheses beside it"), \
    OPT_FLAG(T, m.o.transcript, 0, "transcript", "the same for TRACE_TIME_transcript.txt"),        \
    OPT_NAMES(NAMES_TARGET, T, m.o.log_file, 0, "log-file", "FILE",                                               \
             "write requests and answers to this file, as they happen"),                           \
    OPT_NAMES(NAMES_TARGET, T, m.o.transcript_file, 0, "transcript-file", "FILE",                                 \
             "write the dialogue to this file, for people")
/* clang-format on */

#define LLM_DEFAULTS                                                                               \
    {                                                                                              \
        .o = {.retries = -1, .max_turns = 20, .compact_every = 10 }                                \
    }

/*
 * Of `before`: starts the session, where one is asked for. A mistake in the options is an error; a
 * missing key or network is not: it stands in `problem`, and the command goes on without.
 */
bool cli_llm_before(struct cli *cli, struct llm_settings *s, struct gs_error *err);

/* What programs read is made without asking whether to go on. */
void cli_llm_form(struct llm_settings *s, const struct output_opts *out);

/* Whether a model was asked for, whatever came of it. */
static inline bool cli_llm_asked(const struct llm_settings *s)
{
    return llm_asked(&s->o);
}

/*
 * The estimate, and whether to go on: asked only on a terminal. `turns`: how often the dialogue
 * may go back and forth. False: the user does not want to.
 */
bool cli_llm_agreed(const struct cli *cli, const struct llm_settings *s,
                    const struct llm_dialogue *d, int64_t turns, bool quiet);

/* Prints the body instead of sending it. */
bool cli_llm_preview(const struct llm_settings *s, const struct llm_dialogue *d,
                     struct gs_error *err);

/*
 * An explanation for a report, or one that says why there is none, with one line of warning; NULL
 * when no model was asked for. *done: it was only a preview, and has been printed.
 */
struct explanation *cli_llm_explain(struct cli *cli, struct llm_settings *s,
                                    const struct explain_of *of, bool *done, struct gs_error *err);

#endif
