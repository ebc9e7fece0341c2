/* Phases and iterations: which part of the run does what. */
#include <string.h>

#include "analyze/analysis.h"
#include "analyze/name_groups.h"
#include "analyze/segments.h"
#include "base/parallel.h"
#include "base/str.h"

/* A marker names a phase when it covers this much of it; a phase with less GPU work is idle. */
#define MARKER_COVERS 0.3
#define IDLE_PCT 5.0

/* The marker name that covers most of a phase, among ranges long enough to matter. */
static const char *name_by_marker(const struct analysis *a, const struct phase_row *p,
                                  struct arena *temporary)
{
    const struct markers *m = &a->trace->markers;
    struct idmap slot;
    VEC(int64_t) covered = {0};
    VEC(uint32_t) names = {0};
    idmap_init(&slot, temporary);
    for (size_t i = 0; i < m->n; i++) {
        int64_t from = m->start_ns[i] > p->start_ns ? m->start_ns[i] : p->start_ns;
        int64_t to = m->end_ns[i] < p->end_ns ? m->end_ns[i] : p->end_ns;
        bool whole_run = m->start_ns[i] <= a->view.start_ns && m->end_ns[i] >= a->view.end_ns;
        if (to <= from || whole_run || str_starts(trace_str(a->trace, m->name[i]), "MPI_"))
            continue; /* MPI calls that are recorded as markers say what the host does */
        uint32_t at = idmap_get(&slot, m->name[i]);
        if (at == NO_INDEX) {
            at = (uint32_t)covered.n;
            idmap_put(&slot, m->name[i], at);
            vec_push(&covered, temporary, 0);
            vec_push(&names, temporary, m->name[i]);
        }
        covered.v[at] = add_ns(covered.v[at], sub_ns(to, from));
    }
    size_t best = covered.n;
    for (size_t i = 0; i < covered.n; i++)
        if (best == covered.n || covered.v[i] > covered.v[best])
            best = i;
    if (best == covered.n || (double)covered.v[best] < MARKER_COVERS * (double)p->duration_ns)
        return NULL;
    return trace_str(a->trace, names.v[best]);
}

/* What the host spends most of a phase with, by kind of call; NULL when it makes no calls. */
static const char *host_activity(const struct view *v)
{
    int64_t ns[API_CLASSES] = {0};
    const struct regions *r = &v->trace->regions;
    for (size_t t = 0; t < v->n_threads; t++) {
        for (size_t i = 0; i < v->threads[t].n_outer; i++) {
            uint32_t call = v->threads[t].outer[i];
            struct span s = view_clip(v, r->start_ns[call], r->end_ns[call]);
            enum api_class class = view_call_class(v, call);
            ns[class] = add_ns(ns[class], s.end - s.start);
        }
    }
    enum api_class best = API_OTHER;
    for (enum api_class c = 0; c < API_CLASSES; c++)
        if (ns[c] > ns[best])
            best = c;
    return ns[best] > view_window(v) / 10 ? api_class_name(best) : NULL;
}

static const char *dominant_kernel(const struct view *v, const struct name_groups *names,
                                   struct arena *temporary)
{
    const struct kernels *k = &v->trace->kernels;
    int64_t *total = arena_array(temporary, int64_t, names->n + 1);
    for (size_t g = 0; g < v->n_gpus; g++) {
        for (size_t i = 0; i < v->gpus[g].n_kernels; i++) {
            uint32_t row = v->gpus[g].kernels[i];
            struct span s = view_clip(v, k->start_ns[row], k->end_ns[row]);
            int64_t *sum = &total[names->of_symbol[k->symbol[row]]];
            *sum = add_ns(*sum, s.end - s.start);
        }
    }
    size_t best = 0;
    for (size_t i = 1; i < names->n; i++)
        if (total[i] > total[best])
            best = i;
    if (!names->n || !total[best])
        return NULL;
    return trace_str(v->trace, v->trace->symbols.v[names->symbol[best]].short_name);
}

const char *const phase_naming_words[] = {"marker", "kernel", "host", "idle", NULL};

static void name_phase(const struct analysis *a, struct phase_row *p, const struct view *v,
                       struct arena *arena, struct arena *temporary)
{
    const char *marker = name_by_marker(a, p, temporary);
    if (marker) {
        p->name = marker;
        p->named_by = NAMED_BY_MARKER;
        return;
    }
    if (p->busy_pct >= IDLE_PCT) {
        p->name = p->top_kernel ? p->top_kernel : "copies";
        p->named_by = NAMED_BY_KERNEL;
        return;
    }
    const char *host = host_activity(v);
    p->name = host ? arena_printf(arena, "idle: %s", host) : "idle";
    p->named_by = host ? NAMED_BY_HOST : NAMED_BY_IDLE;
}

static const char *largest_cause(const struct ledger *l)
{
    enum cause best = CAUSE_COMPUTE;
    for (enum cause c = CAUSE_COMPUTE + 1; c < CAUSES; c++)
        if (l->ns[c] > 0 && (best == CAUSE_COMPUTE || l->ns[c] > l->ns[best]))
            best = c;
    return best == CAUSE_COMPUTE ? "-" : cause_info(best)->label;
}

/* Returns the view of a phase, with its ledger and iterations; of a whole run they are there. */
static const struct view *look_at(const struct analysis *a, const struct view *whole,
                                  struct phase_row *p, struct arena *arena, struct arena *temporary)
{
    struct iteration_stats it = a->iterations;
    const struct view *seen = &a->view;
    if (p->start_ns == seen->start_ns && p->end_ns == seen->end_ns) {
        p->ledger = a->ledger;
    } else {
        struct view *v = arena_new(temporary, struct view);
        view_slice(v, whole, p->start_ns, p->end_ns, temporary);
        ledger_make(&p->ledger, v, false, arena);
        iterations_find(&it, v, temporary);
        seen = v;
    }
    p->iterations = it.count;
    p->iteration_ns = it.median_ns;
    return seen;
}

static void measure_phase(const struct analysis *a, const struct view *whole, struct phase_row *p,
                          struct arena *arena)
{
    struct arena *temporary = arena_scratch();
    const struct view *v = look_at(a, whole, p, arena, temporary);
    for (size_t g = 0; g < p->ledger.n_gpus; g++)
        p->busy_ns = add_ns(p->busy_ns, p->ledger.gpus[g].busy_ns);
    for (enum cause c = 0; c < CAUSES; c++) {
        enum cause_kind kind = cause_info(c)->kind;
        int64_t *sum = kind == CAUSE_WORK      ? &p->compute_ns
                       : kind == CAUSE_EXPOSED ? &p->exposed_ns
                                               : &p->idle_ns;
        *sum = add_ns(*sum, p->ledger.ns[c]);
    }
    p->busy_pct = percent_of((double)p->busy_ns, (double)p->duration_ns * (double)p->ledger.n_gpus);
    p->kernels = v->n_kernels;
    p->copies = v->n_copies;
    p->main_cause = largest_cause(&p->ledger);
    p->top_kernel = dominant_kernel(v, &a->view.names, temporary);
    name_phase(a, p, v, arena, temporary);
    arena_release(temporary);
}

/* Equal names get numbers, in order. */
static void number_names(struct analysis *a, struct arena *arena)
{
    for (size_t i = 0; i < a->phases.n; i++) {
        const char *name = a->phases.v[i].name;
        size_t number = 1;
        for (size_t j = i + 1; j < a->phases.n; j++)
            if (str_eq(a->phases.v[j].name, name))
                a->phases.v[j].name = arena_printf(arena, "%s (%zu)", name, ++number);
        if (number > 1)
            a->phases.v[i].name = arena_printf(arena, "%s (1)", name);
    }
}

/* Where markers exist, stretches inside one range are one phase. */
static void join_by_marker(const struct analysis *a, struct segments *s, struct arena *temporary)
{
    const char *names[MOST_SEGMENTS];
    size_t to = 0;
    for (size_t i = 0; i < s->n && a->trace->markers.n; i++) {
        struct phase_row p = {.start_ns = s->v[i].start_ns,
                              .end_ns = s->v[i].end_ns,
                              .duration_ns = s->v[i].end_ns - s->v[i].start_ns};
        const char *name = name_by_marker(a, &p, temporary);
        if (to && name && names[to - 1] && str_eq(names[to - 1], name)) {
            s->v[to - 1].end_ns = s->v[i].end_ns;
            continue;
        }
        names[to] = name;
        s->v[to++] = s->v[i];
    }
    if (to)
        s->n = to;
}

struct measuring {
    struct analysis *a;
    struct view whole;                  /* ready to be sliced */
    struct arena *arena[MOST_SEGMENTS]; /* by phase */
};

static void measure_one(void *ctx, size_t i, int worker)
{
    const struct measuring *m = ctx;
    (void)worker;
    measure_phase(m->a, &m->whole, &m->a->phases.v[i], m->arena[i]);
}

static void run(struct analysis *a, struct arena *arena)
{
    struct arena *temporary = arena_scratch();
    iterations_find(&a->iterations, &a->view, temporary);
    struct segments *s = arena_new(temporary, struct segments);
    segments_find(s, &a->view, a->opts.max_phases, temporary);
    join_by_marker(a, s, temporary);
    struct measuring m = {.a = a};
    a->phase_stats = (struct phase_stats){(uint32_t)s->n, s->quality, s->bin_ns};
    for (size_t i = 0; i < s->n && a->view.n_gpus; i++) {
        struct phase_row p = {
            .phase = (uint32_t)i + 1, .start_ns = s->v[i].start_ns, .end_ns = s->v[i].end_ns};
        p.duration_ns = p.end_ns - p.start_ns;
        p.pct_of_window = percent_of((double)p.duration_ns, (double)view_window(&a->view));
        m.arena[i] = arena_child(arena);
        vec_push(&a->phases, arena, p);
    }
    if (a->phases.n > 1)
        view_to_slice(&m.whole, &a->view, temporary);
    else
        m.whole = a->view;
    parallel_for(a->view.workers, a->phases.n, measure_one, &m);
    number_names(a, arena);
    arena_release(temporary);
}

static const struct field phase_list[] = {
    FIELD(struct phase_row, phase, FIELD_U32, "phase", NO_UNIT, "number of the phase, from 1"),
    FIELD(struct phase_row, name, FIELD_TEXT, "name", NO_UNIT,
          "the marker that covers 30 % of it or more, else the kernel that takes most time, else "
          "what the host does"),
    FIELD(struct phase_row, named_by, FIELD_ENUM, "named by", NO_UNIT,
          "marker, kernel, host or idle", .words = phase_naming_words),
    FIELD(struct phase_row, start_ns, FIELD_I64, "start", IN_NS, "first moment", AS_MOMENT),
    FIELD(struct phase_row, end_ns, FIELD_I64, "end", IN_NS, "first moment after it", AS_MOMENT),
    FIELD(struct phase_row, duration_ns, FIELD_I64, "duration", IN_NS, "end - start"),
    FIELD(struct phase_row, pct_of_window, FIELD_NUM, "of window", IN_PERCENT,
          "duration / window x 100"),
    FIELD(struct phase_row, busy_ns, FIELD_I64, "busy time", IN_NS,
          "sum over GPUs of the union of kernels and copies"),
    FIELD(struct phase_row, busy_pct, FIELD_NUM, "busy", IN_PERCENT,
          "busy / (duration x GPUs) x 100"),
    FIELD(struct phase_row, kernels, FIELD_U64, "kernels", NO_UNIT, "kernels that run in it"),
    FIELD(struct phase_row, copies, FIELD_U64, "copies", NO_UNIT, "copies that run in it"),
    FIELD(struct phase_row, compute_ns, FIELD_I64, "compute", IN_NS,
          "ledger of the phase: compute"),
    FIELD(struct phase_row, exposed_ns, FIELD_I64, "exposed", IN_NS,
          "ledger of the phase: exposed communication and copies"),
    FIELD(struct phase_row, idle_ns, FIELD_I64, "idle", IN_NS,
          "ledger of the phase: all idle causes"),
    FIELD(struct phase_row, main_cause, FIELD_TEXT, "main cause", NO_UNIT,
          "largest cause that is not compute"),
    FIELD(struct phase_row, top_kernel, FIELD_TEXT, "top kernel", NO_UNIT,
          "kernel that takes most time in it"),
    FIELD(struct phase_row, iterations, FIELD_U64, "iterations", NO_UNIT,
          "repetitions of a kernel sequence inside; 0: none found"),
    FIELD(struct phase_row, iteration_ns, FIELD_I64, "iteration", IN_NS,
          "median time from one repetition to the next"),
};
const struct fields phase_fields = FIELDS(
    "phases", "stretches in which the GPUs do the same kind of work", struct phase_row, phase_list);

static const struct field stats_list[] = {
    FIELD(struct phase_stats, phases, FIELD_U32, "phases", NO_UNIT, "number of phases"),
    FIELD(
        struct phase_stats, quality, FIELD_NUM, "quality", NO_UNIT,
        "1 - (variation left inside phases) / (variation of the run), by Jensen-Shannon distance"),
    FIELD(struct phase_stats, bin_ns, FIELD_I64, "resolution", IN_NS,
          "width of a bin of the search"),
};
static const struct fields stats_fields =
    FIELDS("phase_stats", "how well the run divides into phases", struct phase_stats, stats_list);

static const struct field iteration_list[] = {
    FIELD(struct iteration_stats, count, FIELD_U64, "iterations", NO_UNIT,
          "repetitions of the kernel sequence; 0: none found"),
    FIELD(struct iteration_stats, kernels, FIELD_U64, "kernels", NO_UNIT, "kernels per repetition"),
    FIELD(struct iteration_stats, start_ns, FIELD_I64, "start", IN_NS,
          "start of the first repetition", AS_MOMENT),
    FIELD(struct iteration_stats, end_ns, FIELD_I64, "end", IN_NS, "end of the last one",
          AS_MOMENT),
    FIELD(struct iteration_stats, median_ns, FIELD_I64, "median", IN_NS,
          "median time from one repetition to the next"),
    FIELD(struct iteration_stats, min_ns, FIELD_I64, "min", IN_NS, "shortest steady repetition"),
    FIELD(struct iteration_stats, max_ns, FIELD_I64, "max", IN_NS, "longest steady repetition"),
    FIELD(struct iteration_stats, cv, FIELD_NUM, "CV", NO_UNIT,
          "standard deviation / mean of the steady repetitions"),
    FIELD(struct iteration_stats, warmup, FIELD_U64, "warm-up", NO_UNIT,
          "leading repetitions that take over 1.5 medians"),
    FIELD(struct iteration_stats, steady_ns, FIELD_I64, "steady", IN_NS,
          "length of the others together"),
    FIELD(struct iteration_stats, match_pct, FIELD_NUM, "match", IN_PERCENT,
          "kernels that are where the pattern expects them"),
};
static const struct fields iteration_fields =
    FIELDS("iterations", "the step the program repeats on its busiest GPU", struct iteration_stats,
           iteration_list);

const struct analysis_kind analysis_phases = {
    .name = "phases",
    .doc = "Which part of the run does what: stretches with the same mix of kernels, found without "
           "markers "
           "and named by them where they exist, each with a ledger of its own; and the step that "
           "repeats.",
    .run = run,
    .early = true,
    .tables = ANALYSIS_TABLES(ANALYSIS_ROWS(phase_fields, phases),
                              ANALYSIS_ONE(stats_fields, phase_stats),
                              ANALYSIS_ONE(iteration_fields, iterations)),
};
