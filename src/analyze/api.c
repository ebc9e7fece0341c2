/* Which host calls take the time: per name with and without the calls inside them, and per class.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"
#include "base/parallel.h"

/* Sums, counts and a maximum with a fixed winner: adding them up in any order gives the same. */
struct tally {
    uint64_t calls;
    int64_t total_ns, exclusive_ns, max_ns;
    uint32_t longest;
};

struct class_tally {
    uint64_t calls;
    int64_t ns;
};

struct api_work {
    const struct view *v;
    uint32_t *slot; /* by string: number of the name among those of calls */
    size_t n_names;
    int workers;
    struct tally *names;         /* by worker and name */
    struct class_tally *classes; /* by worker and class */
};

struct open_call {
    int64_t end;
    uint32_t slot;
};

/* Calls that are open, the latest last. Invariant: ends fall strictly from first to last. */
struct stack {
    struct open_call *v;
    size_t n, cap;
    int64_t at; /* time up to which everything is distributed */
};

/* Gives the time up to `to` to the innermost calls and closes those that end by then. */
static void advance(struct stack *s, struct tally *names, int64_t to)
{
    while (s->n && s->v[s->n - 1].end <= to) {
        struct open_call *top = &s->v[--s->n];
        int64_t *ns = &names[top->slot].exclusive_ns;
        *ns = add_ns(*ns, sub_ns(top->end, s->at));
        s->at = top->end;
    }
    if (s->n) {
        int64_t *ns = &names[s->v[s->n - 1].slot].exclusive_ns;
        *ns = add_ns(*ns, sub_ns(to, s->at));
    }
    s->at = to;
}

static void enter(struct stack *s, struct arena *arena, uint32_t slot, int64_t end)
{
    /* An open call that ends no later than this one gets no more time: this one is inside it. */
    while (s->n && s->v[s->n - 1].end <= end)
        s->n--;
    vec_push(s, arena, ((struct open_call){end, slot}));
}

static bool longer(const struct tally *t, int64_t ns, uint32_t call)
{
    return !t->calls || ns > t->max_ns || (ns == t->max_ns && call < t->longest);
}

static void tally_calls(const struct api_work *job, size_t thread, struct tally *names)
{
    const struct regions *r = &job->v->trace->regions;
    struct arena *temporary = arena_scratch();
    struct stack stack = {0};
    struct view_calls calls = view_calls(job->v, thread);
    for (uint32_t call; view_next_call(&calls, &call);) {
        uint32_t slot = job->slot[view_call_name(job->v, call)];
        struct span s = view_clip(job->v, r->start_ns[call], r->end_ns[call]);
        int64_t ns = sub_ns(s.end, s.start);
        struct tally *t = &names[slot];
        if (longer(t, ns, call)) {
            t->max_ns = ns;
            t->longest = call;
        }
        t->calls++;
        t->total_ns = add_ns(t->total_ns, ns);
        advance(&stack, names, s.start);
        if (ns > 0)
            enter(&stack, temporary, slot, s.end);
    }
    advance(&stack, names, INT64_MAX);
    arena_release(temporary);
}

static void tally_thread(void *ctx, size_t i, int worker)
{
    const struct api_work *job = ctx;
    const struct view_thread *th = &job->v->threads[i];
    const struct regions *r = &job->v->trace->regions;
    if (!view_thread_calls(th))
        return;
    tally_calls(job, i, job->names + (size_t)worker * job->n_names);
    struct class_tally *classes = job->classes + (size_t)worker * API_CLASSES;
    for (size_t k = 0; k < th->n_outer; k++) {
        uint32_t call = th->outer[k];
        struct class_tally *c = &classes[view_call_class(job->v, call)];
        struct span s = view_clip(job->v, r->start_ns[call], r->end_ns[call]);
        c->calls++;
        c->ns = add_ns(c->ns, sub_ns(s.end, s.start));
    }
}

/* Adds what all workers counted to the first one's tables. */
static void merge(struct api_work *job)
{
    for (size_t w = 1; w < (size_t)job->workers; w++) {
        for (size_t n = 0; n < job->n_names; n++) {
            const struct tally *from = &job->names[w * job->n_names + n];
            struct tally *to = &job->names[n];
            if (from->calls && longer(to, from->max_ns, from->longest)) {
                to->max_ns = from->max_ns;
                to->longest = from->longest;
            }
            to->calls += from->calls;
            to->total_ns = add_ns(to->total_ns, from->total_ns);
            to->exclusive_ns = add_ns(to->exclusive_ns, from->exclusive_ns);
        }
        for (size_t c = 0; c < API_CLASSES; c++) {
            job->classes[c].calls += job->classes[w * API_CLASSES + c].calls;
            job->classes[c].ns = add_ns(job->classes[c].ns, job->classes[w * API_CLASSES + c].ns);
        }
    }
}

static int by_exclusive(const void *x, const void *y)
{
    const struct api_row *a = x, *b = y;
    if (a->exclusive_ns != b->exclusive_ns)
        return a->exclusive_ns < b->exclusive_ns ? 1 : -1;
    return strcmp(a->name, b->name);
}

static int classes_by_time(const void *x, const void *y)
{
    const struct api_class_row *a = x, *b = y;
    if (a->exclusive_ns != b->exclusive_ns)
        return a->exclusive_ns < b->exclusive_ns ? 1 : -1;
    return strcmp(api_class_name(a->class), api_class_name(b->class));
}

static void make_rows(struct analysis *a, const struct api_work *job, struct arena *arena)
{
    const struct view *v = job->v;
    size_t threads = 0;
    for (size_t i = 0; i < v->n_threads; i++)
        threads += view_thread_calls(&v->threads[i]) > 0;
    double whole = (double)view_window(v) * (double)threads;
    for (size_t n = 0; n < job->n_names; n++) {
        const struct tally *t = &job->names[n];
        if (!t->calls)
            continue;
        vec_push(&a->api, arena,
                 ((struct api_row){
                     .name = trace_str(a->trace, a->trace->regions.name[t->longest]),
                     .class = view_call_class(v, t->longest),
                     .calls = t->calls,
                     .total_ns = t->total_ns,
                     .exclusive_ns = t->exclusive_ns,
                     .avg_ns = (double)t->total_ns / (double)t->calls,
                     .max_ns = t->max_ns,
                     .pct_of_window = percent_of((double)t->exclusive_ns, whole),
                     .longest = t->longest,
                 }));
    }
    if (a->api.n)
        qsort(a->api.v, a->api.n, sizeof(*a->api.v), by_exclusive);
}

static void make_class_rows(struct analysis *a, const struct api_work *job, struct arena *arena)
{
    size_t threads = 0;
    for (size_t i = 0; i < job->v->n_threads; i++)
        threads += job->v->threads[i].n_outer > 0;
    double whole = (double)view_window(job->v) * (double)threads;
    for (size_t c = 0; c < API_CLASSES; c++) {
        const struct class_tally *t = &job->classes[c];
        if (t->calls)
            vec_push(&a->api_classes, arena,
                     ((struct api_class_row){(enum api_class)c, t->calls, t->ns,
                                             percent_of((double)t->ns, whole)}));
    }
    if (a->api_classes.n)
        qsort(a->api_classes.v, a->api_classes.n, sizeof(*a->api_classes.v), classes_by_time);
}

/* Numbers the strings that are names of calls: those that the view has classified. */
static void number_names(struct api_work *job, struct arena *arena)
{
    const struct view *v = job->v;
    job->slot = arena_array(arena, uint32_t, v->n_names);
    for (size_t kind = 0; kind < REGION_KINDS; kind++) {
        const uint8_t *class = v->call_class + kind * v->n_names;
        for (size_t s = 0; s < v->n_names; s++)
            job->slot[s] |= class[s] != 0xff;
    }
    for (size_t s = 0; s < v->n_names; s++)
        if (job->slot[s])
            job->slot[s] = (uint32_t)job->n_names++;
}

static void run(struct analysis *a, struct arena *arena)
{
    struct api_work job = {.v = &a->view, .workers = a->view.workers};
    if (!a->view.n_calls)
        return;
    if (job.workers > PARALLEL_MAX)
        job.workers = PARALLEL_MAX;
    struct arena *temporary = arena_scratch();
    number_names(&job, temporary);
    job.names = arena_array(temporary, struct tally, (size_t)job.workers * job.n_names);
    job.classes = arena_array(temporary, struct class_tally, (size_t)job.workers * API_CLASSES);
    parallel_for(job.workers, a->view.n_threads, tally_thread, &job);
    merge(&job);
    make_rows(a, &job, arena);
    make_class_rows(a, &job, arena);
    arena_release(temporary);
}

#define R struct api_row
static const struct field row_fields[] = {
    FIELD(R, name, FIELD_TEXT, "call", NO_UNIT,
          "name of the call; calls of equal name are one row"),
    FIELD(R, class, FIELD_ENUM, "kind", NO_UNIT,
          "what the call does, judged by its name and kind (of its longest call, should they "
          "differ)",
          .words = api_class_names),
    FIELD(R, calls, FIELD_U64, "calls", NO_UNIT, "number of calls that touch the window"),
    FIELD(R, total_ns, FIELD_I64, "total", IN_NS,
          "sum of the calls' durations inside the window, with the calls made inside them"),
    FIELD(
        R, exclusive_ns, FIELD_I64, "own time", IN_NS,
        "time in the window during which the call is the innermost one of its thread, that is the "
        "one open that started last: total_ns without calls made inside"),
    FIELD(R, avg_ns, FIELD_NUM, "mean", IN_NS, "total_ns / calls"),
    FIELD(R, max_ns, FIELD_I64, "max", IN_NS, "duration inside the window of the longest call"),
    FIELD(R, pct_of_window, FIELD_NUM, "of host", IN_PERCENT,
          "100 x exclusive_ns / (window x threads that make any call)"),
    FIELD(R, longest, FIELD_U32, "longest at", NO_UNIT,
          "row of the longest call in the trace's table of host calls, the first of equal ones"),
};
#undef R

#define R struct api_class_row
static const struct field class_fields[] = {
    FIELD(R, class, FIELD_ENUM, "kind", NO_UNIT,
          "what the calls do: launch, sync, copy, allocation, ...", .words = api_class_names),
    FIELD(R, calls, FIELD_U64, "calls", NO_UNIT,
          "number of outermost calls into a runtime, MPI or the system; what they call counts as "
          "part "
          "of them"),
    FIELD(R, exclusive_ns, FIELD_I64, "own time", IN_NS,
          "sum over threads of the time in the window inside these outermost calls"),
    FIELD(R, pct_of_window, FIELD_NUM, "of its threads", IN_PERCENT,
          "100 x exclusive_ns / (window x threads that make such calls)"),
};
#undef R

const struct fields api_call_fields =
    FIELDS("api_calls", "host calls by name, most own time first", struct api_row, row_fields);
const struct fields api_class_fields =
    FIELDS("api_classes", "outermost host calls by what they do, most time first",
           struct api_class_row, class_fields);

const struct analysis_kind analysis_api = {
    .name = "api",
    .doc = "Where the host spends its time in calls: per name, with and without the calls made "
           "inside, and per class of call. Time is counted per thread; calls that overlap on one "
           "thread without nesting are odd data, and the one that started last gets the time.",
    .run = run,
    .takes_long = true,
    .tables = ANALYSIS_TABLES(ANALYSIS_ROWS(api_call_fields, api),
                              ANALYSIS_ROWS(api_class_fields, api_classes)),
};
