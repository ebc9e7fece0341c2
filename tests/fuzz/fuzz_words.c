/*
 * Fuzzing the words of options: each line is "name=value", what a user writes behind --kernel,
 * --window, --fail-on or the options of 'whatif'. All are read against one small run. They are taken or
 * refused with one line; what is taken is used, and what comes out has to be possible.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/window.h"
#include "base/mem.h"
#include "compare/gate.h"
#include "compare/profile.h"
#include "depend/change_words.h"
#include "depend/whatif.h"
#include "harness.h"
#include "plan/goals.h"
#include "run/run.h"
#include "seed_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_LINES = 12 };

struct given {
    struct run_opts run;
    struct change_words change;
    const char *gate, *goals;
    bool filters; /* of the run, some */
    struct arena *arena;
};

static char path[64];
static struct arena kept;
static struct run *base;
static struct whatif_room room;
static struct comparison same; /* the run against itself */

static void remove_file(void)
{
    unlink(path);
}

static void make_base(void)
{
    struct run_opts o = RUN_DEFAULTS;
    struct gs_error err = {0};
    struct run_profile *a, *b;
    snprintf(path, sizeof(path), "/tmp/gpusight-words-%d.db", (int)getpid());
    must(write_rocpd(path), "the trace is written");
    atexit(remove_file);
    arena_init(&kept);
    vec_push(&o.paths, &kept, path);
    o.threads = 1;
    o.replay = true;
    base = run_make(&o, &kept, &err);
    must(base && base->analysis && base->analysis->replay, "the trace is analyzed");
    whatif_room_make(&room, base->analysis, &kept);
    a = arena_new(&kept, struct run_profile);
    b = arena_new(&kept, struct run_profile);
    profile_make(a, base->analysis, "one", &kept);
    profile_make(b, base->analysis, "two", &kept);
    compare(&same, a, b, &kept);
}

/* ---- lines ---- */

struct place {
    const char *name;
    size_t at; /* in struct given */
    bool list, filters;
};

static const struct place places[] = {
    {"kernel", offsetof(struct given, run.filter.kernels), true, true},
    {"marker", offsetof(struct given, run.filter.markers), true, true},
    {"stream", offsetof(struct given, run.filter.streams), true, true},
    {"thread", offsetof(struct given, run.filter.threads), true, true},
    {"category", offsetof(struct given, run.filter.categories), true, true},
    {"start", offsetof(struct given, run.filter.start), false, true},
    {"end", offsetof(struct given, run.filter.end), false, true},
    {"start-marker", offsetof(struct given, run.filter.start_marker), false, true},
    {"end-marker", offsetof(struct given, run.filter.end_marker), false, true},
    {"inclusive", offsetof(struct given, run.filter.inclusive), false, true},
    {"window", offsetof(struct given, run.window), false, true},
    {"iteration", offsetof(struct given, run.iteration), false, true},
    {"gpu", offsetof(struct given, run.gpu), false, true},
    {"fail-on", offsetof(struct given, gate), false, false},
    {"goals", offsetof(struct given, goals), false, false},
    {"faster", offsetof(struct given, change.kernels), true, false},
    {"remove", offsetof(struct given, change.remove), true, false},
    {"graph-range", offsetof(struct given, change.graph_range), false, false},
    {"overlap", offsetof(struct given, change.overlap), false, false},
    {"merge", offsetof(struct given, change.merge), false, false},
    {"fuse", offsetof(struct given, change.fuse), false, false},
    {"link", offsetof(struct given, change.link), false, false},
    {"host", offsetof(struct given, change.host), false, false},
    {"rank", offsetof(struct given, change.rank), false, false},
    {"other-gpu", offsetof(struct given, change.gpu), false, false},
};

static const struct {
    const char *name;
    size_t at;
} flags[] = {
    {"graph", offsetof(struct given, change.graph)},
    {"pinned", offsetof(struct given, change.pinned)},
    {"prefetch", offsetof(struct given, change.prefetch)},
    {"stay", offsetof(struct given, change.stay)},
};

static void take_line(struct given *g, char *line)
{
    char *value = strchr(line, '=');
    if (!value) {
        for (size_t i = 0; i < ARRAY_LEN(flags); i++)
            if (!strcmp(line, flags[i].name))
                *(bool *)((char *)g + flags[i].at) = true;
        return;
    }
    *value++ = '\0';
    if (!strcmp(line, "streams"))
        g->change.streams =
            1 + (int64_t)(strtoul(value, NULL, 10) % 1024); /* its bounds are the table's */
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        const struct place *p = &places[i];
        void *to = (char *)g + p->at;
        if (strcmp(line, p->name))
            continue;
        g->filters |= p->filters;
        if (p->list)
            vec_push((struct opt_list *)to, g->arena, value);
        else
            *(const char **)to = value;
    }
}

/* ---- what is made of them ---- */

static void use_filters(struct given *g)
{
    struct gs_error err = {0};
    struct trace t;
    const char *only;
    vec_push(&g->run.paths, g->arena, path);
    g->run.threads = 1;
    g->run.as_columns = true;
    trace_init(&t);
    if (run_load_only(&t, &g->run, &only, &err)) {
        must_refer(&t);
        must(t.kernels.n <= base->trace.kernels.n && t.copies.n <= base->trace.copies.n &&
                 t.regions.n <= base->trace.regions.n,
             "a filter adds nothing");
    } else {
        must_be_one_line(&err);
    }
    trace_release(&t);
    struct run *r = run_make(&g->run, g->arena, &err);
    must(r ? r->trace.kernels.n <= base->trace.kernels.n : err.text[0] != 0, "a run, or why not");
}

static void use_window(const struct given *g)
{
    struct view_opts v = {.gpu = -1, .process = -1};
    struct gs_error err = {0};
    if (!window_parse(&v, &base->trace, g->run.window, &err))
        must_be_one_line(&err);
    else
        must(v.has_window && v.start_ns <= v.end_ns, "a window ends behind its start");
}

static void use_gate(const struct given *g)
{
    struct gate gate = {0};
    struct gs_error err = {0};
    if (!gate_parse(&gate, g->gate, g->arena, &err)) {
        must_be_one_line(&err);
        return;
    }
    gate_run(&gate, &same, g->arena);
    size_t failed = 0;
    for (size_t i = 0; i < gate.conditions.n; i++) {
        const struct gate_condition *c = &gate.conditions.v[i];
        must(c->message != NULL, "a condition says what it found");
        failed += c->failed;
    }
    must(failed == gate.failed, "failed conditions are counted");
}

static void use_goals(const struct given *g)
{
    unsigned goals = 0;
    struct gs_error err = {0};
    if (!goals_parse(&goals, g->goals, &err))
        must_be_one_line(&err);
    else
        must(goals && !(goals & ~ALL_GOALS), "goals that there are");
}

static void use_change(struct given *g)
{
    struct change c = {0};
    struct whatif w;
    struct gs_error err = {0};
    int64_t rank;
    g->change.noun = "option '--";
    if (!change_read(&c, &g->change, &rank, g->arena, &err) ||
        !change_of_run(&c, &g->change, base->analysis, &err)) {
        must_be_one_line(&err);
        return;
    }
    whatif_make_in(&w, &room, base->analysis, &c, g->arena);
    const struct whatif_result *r = &w.result;
    must(r->low_ns >= 0 && r->low_ns <= r->predicted_ns && r->predicted_ns <= r->high_ns,
         "what is predicted lies in its range");
}

static void use(void *given)
{
    struct given *g = given;
    if (g->filters)
        use_filters(g);
    if (g->run.window)
        use_window(g);
    if (g->gate)
        use_gate(g);
    if (g->goals)
        use_goals(g);
    use_change(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct given g = {.run = RUN_DEFAULTS, .arena = &arena};
    if (!base)
        make_base();
    arena_init(&arena);
    char *save, *text = (char *)(uintptr_t)arena_strndup(&arena, (const char *)data, size);
    int n = 0;
    for (char *line = strtok_r(text, "\n", &save); line && n++ < MOST_LINES;
         line = strtok_r(NULL, "\n", &save))
        take_line(&g, line);
    mem_guard(use, &g, NULL);
    arena_release(&arena);
    return 0;
}
