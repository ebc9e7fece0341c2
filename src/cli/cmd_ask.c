/*
 * gpusight ask TRACE... ["question"]: an answer, or a conversation; from the analysis, or from a
 * language model that may look things up in it.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/log.h"
#include "base/utf8.h"
#include "cli/analyzed.h"
#include "cli/llm_opts.h"
#include "cli/output.h"
#include "llm/price.h"
#include "llm/talk.h"
#include "render/answer_json.h"

struct ask_opts {
    const char *question;
    struct output_opts out;
    struct analyzed_opts in;
    struct llm_settings llm;
};

static const struct opt opts[] = {
    OPT_GROUP("What to ask"),
    OPT_TEXT(struct ask_opts, question, 0, "question", "TEXT",
             "the question; the last word of the command line works as well"),
    ANALYZED_OPTS(struct ask_opts),
    OPT_GROUP("Output"),
    OUTPUT_OPTS(struct ask_opts, out, RENDERER_CHOICES),
    LLM_OPTS(struct ask_opts, llm),
    OPT_FLAG(struct ask_opts, llm.o.no_tools, 0, "llm-no-tools",
             "the model gets the analysis in brief and looks up nothing"),
    OPT_INT(struct ask_opts, llm.o.compact_every, 0, "llm-compact-every", 1, 10000, "N",
            "shorten a conversation after so many questions (10)"),
    OPT_NAMES(NAMES_TARGET, struct ask_opts, llm.o.archive, 0, "llm-archive", "FILE",
              "append everything that is said to this file, as JSON lines"),
    OPT_END,
};

static void defaults(void *settings)
{
    struct ask_opts *o = settings;
    *o = (struct ask_opts){.in = ANALYZED_DEFAULTS, .llm = LLM_DEFAULTS};
}

struct asking {
    struct cli *cli;
    struct ask_opts *o;
    struct run *run;
    struct subject about;
    struct output *out;
    struct llm_talk *talk; /* NULL: no model */
    bool streams;          /* the answer is shown as it comes */
    bool failed;           /* some question got no answer of the model */
    struct answer *answer;
    struct gs_error *err;
};

/* ---- showing ---- */

static struct doc *doc_form(const struct report *r)
{
    struct asking *k = r->ctx;
    return answer_doc(k->answer, &k->about, r->arena, k->err);
}

static void json_form(const struct report *r, struct jwrite *w, bool in_page)
{
    (void)in_page;
    const struct asking *k = r->ctx;
    answer_json(w, k->answer);
}

static bool show_answer(struct asking *k)
{
    struct report r = {.ctx = k,
                       .arena = k->cli->arena,
                       .about = &k->about,
                       .doc = doc_form,
                       .json = json_form,
                       .kind = "answer"};
    return output_named(k->out, NULL, k->err) && output_report(k->out, &r, k->err);
}

/* A piece of an answer, to a terminal. */
static void show_piece(void *ctx, const char *text, size_t n)
{
    struct asking *k = ctx;
    struct arena *scratch = arena_scratch();
    struct str out;
    (void)k;
    str_init(&out, scratch);
    for (size_t i = 0; i < n;) {
        size_t line = 0;
        while (i + line < n && text[i + line] != '\n' && text[i + line] != '\t')
            line++;
        utf8_escape(&out, text + i, line);
        if (i + line < n)
            str_putc(&out, text[i + line]);
        i += line + 1;
    }
    fwrite(out.buf, 1, out.len, stdout);
    fflush(stdout);
    arena_release(scratch);
}

/* ---- one question ---- */

static bool answer_locally(struct asking *k, const char *question)
{
    k->answer = answer_find(&k->about, question, k->cli->arena);
    return true;
}

static void say_usage(const struct asking *k)
{
    if (log_level() > LOG_QUIET && !k->o->llm.o.replay && k->talk->l->usage.output)
        log_say("used %s", llm_usage_text(k->talk->l));
}

static void streamed(struct asking *k, const struct explanation *e)
{
    printf("\n");
    if (e->problem)
        printf("(the answer is not whole: %s)\n", e->problem);
    if (e->unfound.n) {
        printf("(%zu of its %llu numbers are not in the analysis:", e->unfound.n,
               (unsigned long long)e->numbers);
        for (size_t i = 0; i < e->unfound.n; i++)
            printf("%s %s", i ? "," : "", e->unfound.v[i]);
        printf(")\n");
    }
    (void)k;
}

static bool answer_by_model(struct asking *k, const char *question)
{
    struct llm_answer a;
    struct explanation *e = arena_new(k->cli->arena, struct explanation);
    struct llm *l = k->talk->l;
    if (k->streams)
        printf("[%s, %s: a language model]\n", l->target.provider->name, l->target.model);
    bool ok = talk_ask(k->talk, question, &a, k->streams ? show_piece : NULL, k);
    explain_take(l, &k->talk->agent, &a, ok, e);
    explain_check(l, k->run, &k->talk->agent, e);
    if (k->streams)
        streamed(k, e);
    answer_locally(k, question);
    if (!ok) {
        k->failed = true;
        llm_failed(l, &a, k->err);
        if (k->streams)
            log_warn("%s", k->err->text);
        return true;
    }
    k->answer->answered_by = "language model";
    k->answer->explanation = e;
    return true;
}

static bool handle(struct asking *k, const char *question, bool last)
{
    if (k->talk) {
        talk_put(k->talk, question);
        if (k->o->llm.o.preview)
            return cli_llm_preview(&k->o->llm, &k->talk->d, k->err);
        int64_t turns = k->talk->d.tools.n ? k->talk->agent.max_turns : 1;
        if (!cli_llm_agreed(k->cli, &k->o->llm, &k->talk->d, turns, k->talk->asked > 0))
            k->talk = NULL; /* the analysis answers */
    }
    if (!(k->talk ? answer_by_model(k, question) : answer_locally(k, question)))
        return false;
    bool shown = k->streams && k->answer->explanation;
    if (!shown && !show_answer(k))
        return false;
    return !last || output_finish(k->out, k->err);
}

/* ---- several ---- */

static bool converse(struct asking *k)
{
    char line[16384];
    size_t asked = 0;
    bool prompts = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
    if (k->o->out.name)
        return fail(k->err, GS_E_USAGE, "option '--output' wants one question, not a conversation");
    for (;;) {
        if (prompts) {
            fprintf(stderr, "> ");
            fflush(stderr);
        }
        if (!fgets(line, sizeof(line), stdin))
            break;
        line[strcspn(line, "\r\n")] = 0;
        const char *q = line + strspn(line, " \t");
        if (str_eq(q, "exit") || str_eq(q, "quit") || str_eq(q, "q"))
            break;
        if (!*q)
            continue;
        asked++;
        if (!handle(k, arena_strdup(k->cli->arena, q), true))
            return false;
        fflush(stdout);
        k->out = output_begin(k->cli, &k->o->out, RENDERER_CHOICES, k->err);
        if (!k->out)
            return false;
    }
    return asked || prompts ||
           fail(k->err, GS_E_USAGE, "no question; put one behind the trace, in quotes");
}

static bool is_sentence(const char *word)
{
    return !fs_exists(word) && (strpbrk(word, " \t?") || !strpbrk(word, "./"));
}

/* The last operands, as far as they are words and no files; the first is always a trace. */
static const char *take_question(struct asking *k)
{
    struct opt_list *all = &k->cli->operands;
    struct str out;
    size_t first = all->n;
    if (k->o->question)
        return k->o->question;
    while (first > 1 && is_sentence(all->v[first - 1]))
        first--;
    str_init(&out, k->cli->arena);
    for (size_t i = first; i < all->n; i++)
        str_printf(&out, "%s%s", i > first ? " " : "", all->v[i]);
    all->n = first;
    return out.len ? out.buf : NULL;
}

static bool begin_talk(struct asking *k)
{
    struct llm_settings *s = &k->o->llm;
    if (!cli_llm_asked(s))
        return true;
    if (!s->session) {
        k->failed = true;
        *k->err = s->problem;
        return true;
    }
    k->talk = arena_new(k->cli->arena, struct llm_talk);
    bool plain = k->out->form == &renderer_text && !k->o->out.name;
    k->streams = plain && isatty(STDOUT_FILENO);
    return talk_begin(k->talk, s->session, k->run, k->cli->threads, k->err);
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    struct asking *k = arena_new(cli->arena, struct asking);
    *k = (struct asking){.cli = cli, .o = settings, .err = err};
    const char *question = take_question(k);
    k->out = output_begin(cli, &k->o->out, RENDERER_CHOICES, err);
    if (!k->out)
        return false;
    struct run_opts ro = cli_run_opts(cli, &k->o->in);
    k->run = cli_run(cli, &ro, err);
    if (!k->run)
        return false;
    if (!k->run->analysis)
        return fail(err, GS_E_EMPTY, "there is no trace to ask about");
    k->about = (struct subject){
        .kind = REPORT_ANALYSIS, .a = k->run->analysis, .advice = &k->run->advice, .top = 10};
    analysis_results(k->run->analysis, &k->about.results, cli->arena);
    if (!begin_talk(k) || !(question ? handle(k, question, true) : converse(k)))
        return false;
    if (k->talk && !k->o->llm.o.preview)
        say_usage(k);
    return !k->failed || (err->code = GS_E_NETWORK, false);
}

static bool before(struct cli *cli, void *settings, struct gs_error *err)
{
    struct ask_opts *o = settings;
    cli_llm_form(&o->llm, &o->out);
    return cli_llm_before(cli, &o->llm, err);
}

const struct command command_ask = {
    .name = "ask",
    .summary = "a question about a trace, in words",
    .operands = "TRACE...",
    .doc = "Answers a question about a trace: the last word of the command line that is no file, "
           "or lines of standard input, one after the other.\n\n"
           "Without --llm it answers from the analysis what it can: findings, causes, kernels, "
           "figures, sections and terms that the question names; nothing is sent anywhere. With "
           "--llm a language model answers. It is given the analysis in brief and may look things "
           "up in it with tools; its numbers are checked against the analysis, and those that are "
           "not in it are marked.\n\n"
           "What names people, hosts, paths, kernels, markers and commands is replaced before "
           "anything is sent and put back in the answer (--llm-redact); --llm-preview shows the "
           "exact bytes and sends nothing. docs/llm.md has the providers, their variables and all "
           "the rest.\n\n"
           "The exit code is 6 when a model was asked for and did not answer; what the analysis "
           "can say is printed nevertheless.",
    .examples = "gpusight ask results.db 'why is the GPU idle?'  # from the analysis\n"
                "gpusight ask results.db  # one question after the other\n"
                "gpusight ask --llm anthropic results.db 'what should I fix first?'\n"
                "gpusight ask --llm local --llm-model qwen3 results.db 'is the copy engine busy?'\n"
                "gpusight ask --llm openai --llm-preview results.db 'why?'  # what would be sent",
    .opts = opts,
    .settings_size = sizeof(struct ask_opts),
    .defaults = defaults,
    .before = before,
    .run = run,
    .spreads = true,
};
