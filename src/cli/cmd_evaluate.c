/*
 * gpusight evaluate DIR: how often are the rules, or a model, right about traces whose faults are
 * known?
 */
#include <string.h>
#include <time.h>

#include "base/fs.h"
#include "base/str.h"
#include "cli/analyzed.h"
#include "cli/llm_opts.h"
#include "cli/output.h"
#include "cli/scenarios.h"
#include "evaluate/model.h"

struct evaluate_opts {
    const char *truth_dir, *cached, *answers, *scenarios, *judge_model;
    bool skip_judge;
    int64_t repeats;
    double at_least;
    struct output_opts out;
    struct llm_settings llm, judge;
};

static const struct opt opts[] = {
    OPT_GROUP("Traces and truth"),
    OPT_NAMES(NAMES_TARGET, struct evaluate_opts, scenarios, 0, "scenarios", "DIR",
              "first write the scenarios that are shipped into this folder; DIR may then be left "
              "out"),
    OPT_TEXT(struct evaluate_opts, truth_dir, 0, "ground-truth", "DIR",
             "where ground_truth_meta.json of PerfAdvisor's benchmark is (DIR, or one above)"),
    OPT_GROUP("Whose answers; without any of these the rules'"),
    OPT_TEXT(struct evaluate_opts, answers, 0, "answers", "DIR",
             "recorded ones: NAME.hypotheses.json, or NAME.json of 'analyze --json'"),
    OPT_TEXT(struct evaluate_opts, cached, 0, "cached", "FILE",
             "score a saved evaluation again; no model is asked for hypotheses"),
    OPT_INT(struct evaluate_opts, repeats, 0, "repeats", 1, 1000, "N",
            "ask a model so often about each trace (1)"),
    OPT_FLAG(struct evaluate_opts, llm.o.no_tools, 0, "llm-no-tools",
             "the model gets the analysis in brief and looks up nothing"),
    OPT_TEXT(struct evaluate_opts, judge_model, 0, "judge-model", "PROVIDER[:MODEL]",
             "let this model grade the advice, 0 to 2 for each piece that the truth expects"),
    OPT_TEXT(struct evaluate_opts, judge.o.url, 0, "judge-url", "URL",
             "address of the judge's server (that of --llm-url)"),
    OPT_TEXT(struct evaluate_opts, judge.o.key_file, 0, "judge-key-file", "FILE",
             "its key, where it is another"),
    OPT_FLAG(struct evaluate_opts, skip_judge, 0, "skip-judge", "no grades: coverage is not known"),
    OPT_NAMES(NAMES_TARGET, struct evaluate_opts, judge.o.record, 0, "judge-record", "FILE",
              "write the dialogue with the judge to this file"),
    OPT_TEXT(struct evaluate_opts, judge.o.replay, 0, "judge-replay", "FILE",
             "take the judge's answers from such a file; nothing is sent"),
    LLM_OPTS(struct evaluate_opts, llm),
    OPT_GROUP("Output"),
    OPT_NUM(struct evaluate_opts, at_least, 0, "at-least", 0, 100, "PCT",
            "a gate: exit code 1 when detection@1 is below this"),
    OUTPUT_OPTS(struct evaluate_opts, out, RENDERER_CHOICES),
    COLUMN_OPTS(struct evaluate_opts, out),
    OPT_END,
};

static void defaults(void *settings)
{
    struct evaluate_opts *o = settings;
    *o = (struct evaluate_opts){.llm = LLM_DEFAULTS, .judge = LLM_DEFAULTS, .repeats = 1};
}

static bool before(struct cli *cli, void *settings, struct gs_error *err)
{
    struct evaluate_opts *o = settings;
    bool judged = !o->skip_judge && (o->judge_model || o->judge.o.replay);
    if (!judged)
        o->judge.o = (struct llm_opts){0};
    else {
        o->judge.o.spec = o->judge_model;
        if (!o->judge.o.url)
            o->judge.o.url = o->llm.o.url;
        if (!o->judge.o.key_file)
            o->judge.o.key_file = o->llm.o.key_file;
        o->judge.o.redact = o->llm.o.redact;
        o->judge.o.timeout_s = o->llm.o.timeout_s;
        o->judge.o.retries = o->llm.o.retries;
        o->judge.o.proxy = o->llm.o.proxy;
        o->judge.o.ca = o->llm.o.ca;
    }
    /* an address alone asks for nothing when there are only answers to grade */
    if (o->cached || o->answers) {
        if (!o->llm.o.provider && !o->llm.o.spec)
            o->llm.o = (struct llm_opts){.no_tools = o->llm.o.no_tools};
    }
    return cli_llm_before(cli, &o->llm, err) && cli_llm_before(cli, &o->judge, err);
}

struct evaluating {
    struct cli *cli;
    struct evaluate_opts *o;
    struct evaluation *e;
    bool by_model, judged;
};

static double seconds_since(const struct timespec *then)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + (double)(now.tv_nsec - then->tv_nsec) / 1e9;
}

static struct run *load(const struct evaluating *v, const struct eval_truth *t, struct arena *a,
                        struct gs_error *err)
{
    struct analyzed_opts in = ANALYZED_DEFAULTS;
    struct run_opts ro = cli_run_opts(v->cli, &in);
    ro.paths = t->paths;
    return run_make(&ro, a, err);
}

/* NAME.hypotheses.json or NAME.json, in the folder given or beside the truth. */
static const char *answer_of(const struct evaluating *v, const struct eval_truth *t)
{
    static const char *const ends[] = {".hypotheses.json", "_hypotheses.json", ".json"};
    const char *slash = strrchr(t->run_id, '/');
    const char *names[] = {t->run_id, slash ? slash + 1 : t->run_id};
    for (size_t n = 0; n < 2; n++)
        for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
            const char *path =
                arena_printf(v->cli->arena, "%s/%s%s", v->o->answers, names[n], ends[i]);
            if (fs_is_file(path) && !str_eq(path, t->file))
                return path;
        }
    return NULL;
}

/* Whether the system failed, which says nothing about the rules; a file that is not there is no
 * failure of it. */
static bool system_failed(const struct eval_truth *t, const struct gs_error *err)
{
    const char *path = t->paths.n ? t->paths.v[0] : "";
    return err->code == GS_E_IO && (fs_is_file(path) || fs_is_dir(path));
}

/* Of one trace, once or as often as asked for. What cannot be read is a failed run, not the end. */
static bool evaluate_trace(struct evaluating *v, const struct eval_truth *t, struct gs_error *end)
{
    const struct evaluate_opts *o = v->o;
    struct arena *keep = v->cli->arena, *held = arena_child(keep);
    struct gs_error err = {0};
    struct run *run = NULL;
    bool needs_run = !o->answers || v->judged;
    if (needs_run)
        run = load(v, t, held, &err);
    if (needs_run && !run && system_failed(t, &err)) {
        *end = err;
        return false;
    }
    for (int64_t k = 0; k < v->e->repeats; k++) {
        struct eval_run *r = evaluation_add(v->e, t, k);
        struct timespec begin;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        const char *answer = o->answers ? answer_of(v, t) : NULL;
        if (needs_run && !run)
            r->error = arena_strdup(keep, err.text);
        else if (o->answers && !answer)
            r->error = "there is no recorded answer";
        else if (answer && !claims_of_file(r, answer, keep, &err))
            r->error = arena_strdup(keep, err.text);
        else if (v->by_model)
            evaluate_by_model(r, o->llm.session, run, !o->llm.o.no_tools, v->cli->threads, keep);
        else if (!o->answers)
            claims_of_advice(r, &run->advice, held);
        if (v->judged && !r->error && run)
            evaluate_judge(r, o->judge.session, run, keep);
        if (v->by_model)
            r->elapsed_s = seconds_since(&begin);
        evaluation_score(r);
    }
    return true; /* what findings say is needed until the end, so `held` goes with the command */
}

static void judge_again(struct evaluating *v)
{
    for (size_t i = 0; i < v->e->runs.n; i++) {
        struct eval_run *r = v->e->runs.v[i];
        struct gs_error err = {0};
        struct run *run = v->judged && !r->error ? load(v, r->truth, v->cli->arena, &err) : NULL;
        if (run)
            evaluate_judge(r, v->o->judge.session, run, v->cli->arena);
        evaluation_score(r);
    }
}

static struct doc *doc_form(const struct report *r)
{
    return evaluation_doc(r->ctx, r->arena);
}

static void json_form(const struct report *r, struct jwrite *w, bool in_page)
{
    (void)in_page;
    evaluation_json(r->ctx, w);
}

static const char *name_of(const struct llm_settings *s, const char *more, struct arena *a)
{
    const struct llm_target *t = &s->session->target;
    return arena_printf(a, "%s:%s%s", t->provider->name, t->model ? t->model : "", more);
}

static bool begin(struct evaluating *v, struct gs_error *err)
{
    struct evaluate_opts *o = v->o;
    const char *dir = v->cli->operands.n ? v->cli->operands.v[0] : o->scenarios;
    if (!dir)
        return fail(err, GS_E_USAGE,
                    "no folder given; 'gpusight evaluate --scenarios DIR' makes one");
    if (o->answers && o->cached)
        return fail(err, GS_E_USAGE, "options '--answers' and '--cached' exclude each other");
    if (cli_llm_asked(&o->llm) && !o->cached && !o->llm.session) {
        *err = o->llm.problem;
        return false;
    }
    if (cli_llm_asked(&o->judge) && !o->judge.session) {
        *err = o->judge.problem;
        return false;
    }
    if (o->llm.o.preview)
        return fail(err, GS_E_USAGE,
                    "option '--llm-preview' shows one request; use 'gpusight analyze' for it");
    v->judged = o->judge.session;
    v->by_model = o->llm.session && !o->answers && !o->cached;
    if (o->scenarios && !scenarios_write(v->cli, o->scenarios, err))
        return false;
    if (!evaluation_find(v->e, dir, o->truth_dir, err))
        return false;
    if (!v->e->truths.n)
        return fail(err, GS_E_EMPTY,
                    "no trace with a truth in '%s'; write NAME.truth.json beside NAME.db", dir);
    v->e->repeats = v->by_model ? o->repeats : 1;
    if (v->by_model)
        v->e->who = name_of(&o->llm, o->llm.o.no_tools ? " without tools" : "", v->cli->arena);
    else if (o->answers)
        v->e->who = "recorded answers";
    if (v->judged)
        v->e->judge = name_of(&o->judge, "", v->cli->arena);
    return true;
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    struct evaluating *v = arena_new(cli->arena, struct evaluating);
    struct evaluation *e = evaluation_new(cli->arena);
    struct evaluate_opts *o = settings;
    *v = (struct evaluating){.cli = cli, .o = o, .e = e};
    struct output *out = output_begin(cli, &o->out, RENDERER_CHOICES, err);
    if (!out || !begin(v, err))
        return false;
    if (o->cached) {
        if (!evaluation_read(e, o->cached, err))
            return false;
        judge_again(v);
    } else
        for (size_t i = 0; i < e->truths.n; i++)
            if (!evaluate_trace(v, &e->truths.v[i], err))
                return false;
    evaluation_sum(e);
    struct report report = {
        .ctx = e, .arena = cli->arena, .doc = doc_form, .json = json_form, .kind = "evaluation"};
    if (!output_only(out, &report, err))
        return false;
    if (o->at_least > 0 && !(e->sums.detection_at_1_pct >= o->at_least))
        return fail(err, GS_E_GATE, "detection@1 is %.1f %%, less than %.1f %%",
                    e->sums.detection_at_1_pct, o->at_least);
    return true;
}

const struct command command_evaluate = {
    .name = "evaluate",
    .summary = "measure how often the rules, or a language model, find what is wrong",
    .operands = "[DIR]",
    .doc =
        "DIR holds traces whose faults are known, each with a truth: NAME.truth.json beside "
        "NAME.db, or PerfAdvisor's test_NN.json. Findings or hypotheses are compared with it: "
        "detection@1 and @3, mean reciprocal rank, false alarms, error of the claimed time, and "
        "with a judge the coverage of the advice; beside it, what guessing without a look at the "
        "trace would reach.\n\n"
        "--scenarios DIR writes the shipped scenarios with their truth first, so that one command "
        "measures everything: the rules, a model (--llm), with tools or without (--llm-no-tools), "
        "or recorded answers (--answers, --cached). See docs/evaluate.md.\n\n"
        "Runs that fail are counted as such; the exit code is 0 nevertheless, unless --at-least "
        "is not reached (1).",
    .examples =
        "gpusight evaluate --scenarios bench  # the rules, on the shipped scenarios\n"
        "gpusight evaluate bench --llm anthropic --repeats 3 -o run.json  # a model, with tools\n"
        "gpusight evaluate bench --cached run.json --judge-model openai  # grade its advice\n"
        "gpusight evaluate bench --answers answers/ --at-least 80  # a gate",
    .opts = opts,
    .settings_size = sizeof(struct evaluate_opts),
    .defaults = defaults,
    .before = before,
    .run = run,
};
