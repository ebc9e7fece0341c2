#include "cli/llm_opts.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/log.h"
#include "cli/sandbox.h"
#include "llm/journal.h"
#include "llm/price.h"
#include "render/renderers.h"

/* PerfAdvisor's names for files that were asked for without one. */
static const char *named_file(struct cli *cli, const struct llm_settings *s, const char *what)
{
    char when[32];
    time_t now = time(NULL);
    struct tm t;
    localtime_r(&now, &t);
    strftime(when, sizeof(when), "%Y%m%d_%H%M%S", &t);
    const char *trace = cli->operands.n ? cli->operands.v[0] : "gpusight";
    const char *stem = output_base(trace, cli->arena);
    if (s->versus && cli->operands.n > 1)
        stem = arena_printf(cli->arena, "%s_vs_%s", stem,
                            output_base(cli->operands.v[cli->operands.n - 1], cli->arena));
    return arena_printf(cli->arena, "%s_%s_%s", stem, when, what);
}

struct hypotheses_file {
    const char *profile, *when;
    const struct explanation *e;
};

#define T struct explanation
PART(file_said, T, ALWAYS(T, provider, FIELD_TEXT, "provider", ""),
     ALWAYS(T, model, FIELD_TEXT, "model", ""),
     ALWAYS(T, hypotheses, FIELD_LIST, "hypotheses", "", .of = &hypothesis_fields));
#undef T
#define T struct hypotheses_file
PART(file_fields, T, ALWAYS(T, profile, FIELD_TEXT, "profile_path", ""),
     ALWAYS(T, when, FIELD_TEXT, "generated_at", ""), SPREAD(T, e, FIELD_REF, &file_said));
#undef T

/* Beside the log, and of the same time where that has one in its name. */
static const char *hypotheses_name(struct cli *cli, const struct llm_settings *s)
{
    const char *log = s->o.log_file, *slash = strrchr(log, '/');
    if (str_ends(log, "_log.txt"))
        return arena_printf(cli->arena, "%.*s_hypotheses.json",
                            (int)(strlen(log) - strlen("_log.txt")), log);
    return arena_printf(cli->arena, "%.*s%s", slash ? (int)(slash + 1 - log) : 0, log,
                        fs_basename(named_file(cli, s, "hypotheses.json")));
}

/* PerfAdvisor's file of hypotheses, in the folder of the log; 'gpusight evaluate' reads it. */
static void save_hypotheses(struct cli *cli, const struct llm_settings *s,
                            const struct explanation *e)
{
    char when[40];
    time_t now = time(NULL);
    struct tm t;
    struct str json;
    struct jwrite w;
    struct gs_error err = {0};
    const char *name = hypotheses_name(cli, s);
    gmtime_r(&now, &t);
    strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &t);
    struct hypotheses_file file = {cli->operands.n ? cli->operands.v[0] : "", when, e};
    str_init(&json, cli->arena);
    jw_init(&w, &json, 2);
    fields_write(&w, NULL, &file_fields, &file);
    str_putc(&json, '\n');
    struct journal *j = journal_open(name, false, cli->arena, &err);
    if (j)
        journal_put(j, &json);
    else
        log_warn("%s", err.text);
}

void cli_llm_form(struct llm_settings *s, const struct output_opts *out)
{
    s->o.yes |= out->json || (out->format && renderer_find(out->format) == &renderer_json);
}

bool cli_llm_before(struct cli *cli, struct llm_settings *s, struct gs_error *err)
{
    if (s->o.refused_key && !s->o.provider)
        s->o.provider = "auto"; /* said why it is refused, whatever else is missing */
    if (!llm_asked(&s->o))
        return true;
    if (s->o.record && s->o.replay)
        return fail(err, GS_E_USAGE,
                    "options '--llm-record' and '--llm-replay' exclude each other");
    if (!llm_price_check(s->o.price, err))
        return false;
    if (s->o.log && !s->o.log_file)
        s->o.log_file = named_file(cli, s, "log.txt");
    if (s->o.transcript && !s->o.transcript_file)
        s->o.transcript_file = named_file(cli, s, "transcript.txt");
    cli->forget_keys = true;
    s->session = llm_open(&s->o, sandbox_messenger, cli, cli->arena, &s->problem);
    if (s->session || s->problem.code == GS_E_NETWORK)
        return true;
    *err = s->problem;
    return false;
}

bool cli_llm_preview(const struct llm_settings *s, const struct llm_dialogue *d,
                     struct gs_error *err)
{
    size_t n;
    struct llm *l = s->session;
    const char *body = llm_body(l, d, &n, l->arena);
    struct estimate e = llm_estimate(l, d, 1);
    if (l->target.url)
        log_say("would be sent to %s, %s: POST %s", l->target.provider->name, l->target.model,
                l->target.url);
    else
        log_say("would be given to the program '%s', %s", l->target.provider->program,
                l->target.model);
    log_say("%zu bytes, %s; %zu names replaced", n, llm_estimate_text(l, &e), l->redact.replaced);
    return fs_write("-", body, n, err);
}

bool cli_llm_agreed(const struct cli *cli, const struct llm_settings *s,
                    const struct llm_dialogue *d, int64_t turns, bool quiet)
{
    struct llm *l = s->session;
    struct estimate e = llm_estimate(l, d, turns);
    char answer[64];
    (void)cli;
    if (log_level() == LOG_QUIET || quiet || l->o->replay)
        return true;
    log_say("asking %s, %s (%s): %s", l->target.provider->name, l->target.model, l->target.why,
            llm_estimate_text(l, &e));
    if (l->o->yes || !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
        return true;
    fprintf(stderr, "Proceed? [Y/n] ");
    fflush(stderr);
    if (!fgets(answer, sizeof(answer), stdin))
        return false;
    return !strchr("nN", answer[0]) || answer[0] == '\n';
}

static void say_result(const struct llm *l, const struct explanation *e)
{
    if (e->problem)
        log_warn("%s: %s", e->text ? "the explanation is not whole" : "no explanation", e->problem);
    if (l && l->usage.output && log_level() > LOG_QUIET && !l->o->replay)
        log_say("used %s", llm_usage_text(l));
}

/* For someone who waits: the report comes when the answer is there. */
static void show_length(void *ctx, const char *text, size_t n)
{
    size_t *length = ctx;
    (void)text;
    *length += n;
    fprintf(stderr, "\r%zu characters so far; Ctrl-C goes on without", *length);
    fflush(stderr);
}

static void explain_asked(struct llm *l, const struct explain_of *of, struct llm_dialogue *d,
                          struct llm_agent *agent, struct explanation *out)
{
    size_t length = 0;
    bool waits = isatty(STDERR_FILENO) && log_level() > LOG_QUIET;
    explain_run(l, d, agent, out, waits ? show_length : NULL, &length);
    if (length)
        fprintf(stderr, "\r%60s\r", "");
    explain_check(l, of->run, agent, out);
}

struct explanation *cli_llm_explain(struct cli *cli, struct llm_settings *s,
                                    const struct explain_of *of, bool *done, struct gs_error *err)
{
    struct llm_dialogue d;
    struct llm_agent agent;
    *done = false;
    if (!cli_llm_asked(s))
        return NULL;
    struct explanation *out = arena_new(cli->arena, struct explanation);
    if (!s->session) {
        explain_failed(out, s->o.provider ? s->o.provider : "auto", s->o.model ? s->o.model : "",
                       s->problem.text);
        say_result(NULL, out);
        return out;
    }
    explain_begin(s->session, of, &d, &agent);
    if (s->o.preview) {
        *done = cli_llm_preview(s, &d, err);
        return NULL;
    }
    if (cli_llm_agreed(cli, s, &d, of->agent ? s->o.max_turns : 1, false))
        explain_asked(s->session, of, &d, &agent, out);
    else
        explain_failed(out, s->session->target.provider->name, s->session->target.model,
                       "not asked, as you wished");
    if (s->o.log_file && out->hypotheses.n)
        save_hypotheses(cli, s, out);
    say_result(s->session, out);
    return out;
}
