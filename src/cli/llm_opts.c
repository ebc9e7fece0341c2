#include "cli/llm_opts.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/log.h"
#include "cli/sandbox.h"
#include "llm/price.h"

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
    const struct llm *l = s->session;
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
    const struct llm *l = s->session;
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
        explain_run(s->session, &d, &agent, out, NULL, NULL);
    else
        explain_failed(out, s->session->target.provider->name, s->session->target.model,
                       "not asked, as you wished");
    say_result(s->session, out);
    return out;
}
