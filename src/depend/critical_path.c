#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"
#include "analyze/name_groups.h"
#include "base/sat.h"
#include "depend/path.h"
#include "depend/path_parts.h"
#include "depend/predict.h"

static const char KERNEL[] = "kernel", COPY[] = "copy", CALL[] = "call";

enum { MAX_MEMBERS = 15, NO_MEMBER = MAX_MEMBERS };

/* Of what has one name: only time on the path, for names may be many. */
struct on_path {
    int64_t ns;
    uint64_t times;
};

/* Sums by what things are called: kernels by name, copies by kind, calls by name. */
struct sums {
    const struct analysis *a;
    const struct depend *d;
    struct on_path *kernels, *copies, *calls;
    uint8_t *path_op;    /* by op: it is on the path */
    uint32_t *last_call; /* by name: call + 1 counted last */
    int64_t ns[PATH_KINDS];
    uint64_t ops;
    struct path_parts parts;
    struct path_member kept[MAX_MEMBERS]; /* those with most time, sorted */
    size_t n_kept;
};

/* What an op is called: a kind of copy, or a group of names of kernels. */
static size_t name_of_op(const struct sums *s, uint32_t op)
{
    uint32_t row = op_row(s->d, op);
    const struct trace *t = s->a->trace;
    return op_is_copy(s->d, op) ? t->copies.kind[row]
                                : s->a->view.names.of_symbol[t->kernels.symbol[row]];
}

static bool is_op_time(enum path_kind k)
{
    return k <= PATH_COPY_OTHER;
}

static void add_step(void *ctx, const struct path_step *step)
{
    struct sums *s = ctx;
    s->ns[step->kind] = add_ns(s->ns[step->kind], step->ns);
    path_parts_add(&s->parts, step);
    if (step->op != NO_INDEX && is_op_time(step->kind)) {
        struct on_path *of = op_is_copy(s->d, step->op) ? s->copies : s->kernels;
        struct on_path *p = &of[name_of_op(s, step->op)];
        p->ns = add_ns(p->ns, step->ns);
        p->times++;
        s->path_op[step->op] = 1;
        s->ops++;
    } else if (step->call != NO_INDEX && step->kind != PATH_HOST && step->kind != PATH_HANDOVER) {
        uint32_t name = view_call_name(&s->a->view, s->d->call_row[step->call]);
        struct on_path *p = &s->calls[name];
        p->ns = add_ns(p->ns, step->ns);
        p->times += s->last_call[name] != step->call + 1;
        s->last_call[name] = step->call + 1;
    }
}

/* By time, then by name. */
static bool comes_before(const struct path_member *a, const struct path_member *b)
{
    if (a->path_ns != b->path_ns)
        return a->path_ns > b->path_ns;
    int c = strcmp(a->what, b->what);
    return (c ? c : strcmp(a->name, b->name)) < 0;
}

static void offer(struct sums *s, const struct on_path *p, const char *what, const char *name,
                  size_t place)
{
    struct path_member m = {.what = what,
                            .name = name,
                            .place = place,
                            .on_path = p->times,
                            .path_ns = p->ns,
                            .least_slack_ns = -1};
    if (!p->ns || (s->n_kept == MAX_MEMBERS && !comes_before(&m, &s->kept[MAX_MEMBERS - 1])))
        return;
    size_t at = s->n_kept < MAX_MEMBERS ? s->n_kept++ : MAX_MEMBERS - 1;
    for (; at > 0 && comes_before(&m, &s->kept[at - 1]); at--)
        s->kept[at] = s->kept[at - 1];
    s->kept[at] = m;
}

static void choose_members(struct sums *s)
{
    const struct trace *t = s->a->trace;
    const struct name_groups *names = &s->a->view.names;
    for (size_t i = 0; i < names->n; i++)
        offer(s, &s->kernels[i], KERNEL, name_groups_name(names, t, i), i);
    for (size_t k = 0; k < COPY_KINDS; k++)
        offer(s, &s->copies[k], COPY, copy_kind_name((enum copy_kind)k), k);
    for (size_t i = 0; i < s->a->view.n_names; i++)
        offer(s, &s->calls[i], CALL, view_name_text(&s->a->view, i), i);
}

/* Of each name which of those kept it is, or NO_MEMBER. */
static uint8_t *members_by_place(const struct sums *s, const char *what, size_t n, struct arena *a)
{
    uint8_t *member = arena_array(a, uint8_t, n + 1);
    memset(member, NO_MEMBER, n + 1);
    for (size_t i = 0; i < s->n_kept; i++)
        if (s->kept[i].what == what)
            member[s->kept[i].place] = (uint8_t)i;
    return member;
}

static void add_totals(struct sums *s, const struct op_lengths *slack, struct arena *temporary)
{
    const uint8_t *kernel = members_by_place(s, KERNEL, s->a->view.names.n, temporary);
    const uint8_t *copy = members_by_place(s, COPY, COPY_KINDS, temporary);
    const uint8_t *call = members_by_place(s, CALL, s->a->view.n_names, temporary);
    for (uint32_t op = 0; op < s->d->n_ops; op++) {
        uint8_t member = (op_is_copy(s->d, op) ? copy : kernel)[name_of_op(s, op)];
        if (member == NO_MEMBER)
            continue;
        struct path_member *m = &s->kept[member];
        struct span o = op_span(s->d, op);
        m->total_ns = add_ns(m->total_ns, o.end - o.start);
        int64_t least = op_lengths_get(slack, op);
        if (!s->path_op[op] && (m->least_slack_ns < 0 || least < m->least_slack_ns))
            m->least_slack_ns = least;
    }
    for (uint32_t c = 0; c < s->d->n_calls; c++) {
        uint8_t member = call[view_call_name(&s->a->view, s->d->call_row[c])];
        struct span r = call_span(s->d, c);
        if (member != NO_MEMBER)
            s->kept[member].total_ns = add_ns(s->kept[member].total_ns, r.end - r.start);
    }
}

static void keep_members(const struct sums *s, struct analysis *a, struct arena *arena)
{
    for (size_t i = 0; i < s->n_kept; i++) {
        struct path_member m = s->kept[i];
        m.pct = percent_of((double)m.path_ns, (double)a->path_stats.length_ns);
        vec_push(&a->path_members, arena, m);
    }
}

static int by_ns(const void *x, const void *y)
{
    const struct path_row *a = x, *b = y;
    if (a->ns != b->ns)
        return a->ns < b->ns ? 1 : -1;
    return strcmp(a->kind, b->kind);
}

static void keep_kinds(const struct sums *s, struct analysis *a, struct arena *arena)
{
    struct path_stats *p = &a->path_stats;
    for (enum path_kind k = 0; k < PATH_KINDS; k++) {
        if (is_op_time(k))
            p->gpu_ns = add_ns(p->gpu_ns, s->ns[k]);
        else if (k >= PATH_CALL_LAUNCH && k <= PATH_HANDOVER)
            p->host_ns = add_ns(p->host_ns, s->ns[k]);
        if (!s->ns[k])
            continue;
        struct path_row row = {path_info(k)->key, path_info(k)->label, s->ns[k],
                               percent_of((double)s->ns[k], (double)p->length_ns)};
        vec_push(&a->path, arena, row);
    }
    if (a->path.n)
        qsort(a->path.v, a->path.n, sizeof(*a->path.v), by_ns);
    p->limit = a->path.n ? a->path.v[0].label : NULL;
}

static void count_edges(const struct depend *d, struct path_stats *p)
{
    for (size_t i = 0; i < d->waits.n; i++) {
        p->waits_recorded += d->waits.v[i].kind == WAIT_EVENT;
        p->waits_inferred += d->waits.v[i].kind == WAIT_INFERRED;
        p->waits_default += d->waits.v[i].kind == WAIT_DEFAULT;
    }
    for (size_t c = 0; c < d->n_calls; c++)
        p->host_waits += sparse_has(&d->awaited, c);
    p->handovers = d->handovers.n;
    p->meetings = d->meetings.n;
    p->unlinked = d->unlinked;
    p->ops = d->n_ops;
}

static void prepare(struct sums *s, struct arena *temporary)
{
    s->kernels = arena_array(temporary, struct on_path, s->a->view.names.n + 1);
    s->copies = arena_array(temporary, struct on_path, COPY_KINDS);
    s->calls = arena_array(temporary, struct on_path, s->a->view.n_names + 1);
    s->path_op = arena_array(temporary, uint8_t, s->d->n_ops + 1);
    s->last_call = arena_array(temporary, uint32_t, s->a->view.n_names + 1);
}

/* Twice the error of the mean of the iterations. */
static double noise_of(const struct iteration_stats *i)
{
    double noise = i->count > 2 && i->cv > 0 ? 2 * i->cv / sqrt((double)i->count) : 0;
    return noise > LEAST_NOISE ? fmin(noise, 1) : LEAST_NOISE;
}

static void make_graph(struct analysis *a, struct arena *arena)
{
    if (!a->opts.replay || !(a->view.n_kernels + a->view.n_copies))
        return;
    struct depend *d = arena_new(arena, struct depend);
    struct replay *r = arena_new(arena, struct replay);
    depend_make(d, &a->view, arena);
    replay_init(r, d, arena);
    replay_recorded(r);
    a->depend = d;
    a->replay = r;
    a->slack_room = arena_child(arena);
    a->slack = path_slack(r, a->slack_room);
}

static void walk(struct analysis *a, struct arena *arena)
{
    struct depend *d = a->depend;
    struct replay *r = a->replay;
    if (!d)
        return;
    struct arena *temporary = arena_scratch();
    d->noise = noise_of(&a->iterations);
    a->path_stats.length_ns = depend_span(d);
    a->path_stats.replay_error_pct = replay_error_pct(r);
    a->path_stats.rough = a->path_stats.replay_error_pct > REPLAY_ROUGH_PCT;
    struct sums s = {.a = a, .d = d};
    prepare(&s, temporary);
    path_parts_init(&s.parts, a, r, temporary);
    path_walk(r, add_step, &s);
    path_parts_keep(&s.parts, arena);
    choose_members(&s);
    add_totals(&s, a->slack, temporary);
    arena_release(a->slack_room);
    a->slack = NULL;
    a->path_stats.ops_on_path = s.ops;
    keep_kinds(&s, a, arena);
    keep_members(&s, a, arena);
    count_edges(d, &a->path_stats);
    arena_release(temporary);
}

#define F(member, type, label, unit, doc) FIELD(struct path_stats, member, type, label, unit, doc)
static const struct field stats_fields[] = {
    F(length_ns, FIELD_I64, "length", IN_NS,
      "from the first call that led to GPU work in the window to the end of the last work, or of "
      "the "
      "call that waited for it; 0: the graph was not made (--no-replay, or no GPU work)"),
    F(replay_error_pct, FIELD_NUM, "replay error", IN_PERCENT,
      "how far a replay of the dependency graph without changes is from length_ns"),
    F(rough, FIELD_BOOL, "rough", NO_UNIT, "that is above 2 %: predicted times are rough"),
    F(limit, FIELD_TEXT, "limit", NO_UNIT, "the largest part of the path"),
    F(gpu_ns, FIELD_I64, "on GPUs", IN_NS, "time on the path in which GPU work runs"),
    F(host_ns, FIELD_I64, "on the host", IN_NS,
      "time on the path on the host: in calls and between them"),
    F(ops, FIELD_U64, "ops", NO_UNIT, "kernels and copies in the graph"),
    F(ops_on_path, FIELD_U64, "on path", NO_UNIT, "kernels and copies with time on the path"),
    F(unlinked, FIELD_U64, "unlinked", NO_UNIT,
      "kernels and copies whose launching call is not known: their delays stay as recorded"),
    F(waits_recorded, FIELD_U64, "event waits", NO_UNIT,
      "waits for other streams by recorded events"),
    F(waits_default, FIELD_U64, "default-stream waits", NO_UNIT,
      "waits between the default stream and others of its process and GPU, by its rules; not of "
      "streams that were made not to block or are seen to run beside it"),
    F(waits_inferred, FIELD_U64, "inferred waits", NO_UNIT,
      "work that stood ready for 10 us or more and began just as work of another stream ended"),
    F(meetings, FIELD_U64, "meetings", NO_UNIT,
      "collectives that nobody leaves before all have come, of processes or of GPUs, and messages "
      "with who sends and who receives them"),
    F(handovers, FIELD_U64, "hand-overs", NO_UNIT,
      "calls that begin when a thread that takes turns with theirs is done; by plausibility"),
    F(host_waits, FIELD_U64, "host waits", NO_UNIT, "calls that wait for GPU work"),
};
#undef F
#define F(member, type, label, unit, doc) FIELD(struct path_row, member, type, label, unit, doc)
static const struct field row_fields[] = {
    F(kind, FIELD_TEXT, "kind", NO_UNIT, "what the time is; 'gpusight explain' has each"),
    F(label, FIELD_TEXT, "part", NO_UNIT, "the same in words"),
    F(ns, FIELD_I64, "time", IN_NS, "time on the path"),
    F(pct, FIELD_NUM, "of path", IN_PERCENT, "of the length of the path"),
};
#undef F
#define F(member, type, label, unit, doc, ...)                                                     \
    FIELD(struct path_member, member, type, label, unit, doc, ##__VA_ARGS__)
static const struct field member_fields[] = {
    F(what, FIELD_TEXT, "what", NO_UNIT, "kernel, copy or call"),
    F(name, FIELD_TEXT, "name", NO_UNIT, "of the kernel or call; direction of the copy"),
    F(on_path, FIELD_U64, "times", NO_UNIT, "dispatches, copies or calls with time on the path"),
    F(path_ns, FIELD_I64, "on path", IN_NS, "time on the path"),
    F(pct, FIELD_NUM, "of path", IN_PERCENT, "of the length of the path"),
    F(total_ns, FIELD_I64, "total", IN_NS, "of all of that name, on the path or not"),
    F(least_slack_ns, FIELD_I64, "slack", IN_NS,
      "of those not on the path, how much longer the first could take before it is; -1: all are on "
      "it, or it is a call",
      .style = STYLE_FROM_ZERO),
};
#undef F

#define F(member, type, label, unit, doc) FIELD(struct path_phase, member, type, label, unit, doc)
static const struct field path_phase_v[] = {
    F(phase, FIELD_U32, "phase", NO_UNIT, "number of the phase, from 1"),
    F(name, FIELD_TEXT, "name", NO_UNIT, "name of the phase"),
    F(path_ns, FIELD_I64, "on path", IN_NS, "time on the path in the phase"),
    F(gpu_ns, FIELD_I64, "on GPUs", IN_NS, "of it, GPU work runs"),
    F(host_ns, FIELD_I64, "on the host", IN_NS, "of it, on the host: in calls and between them"),
    F(other_ns, FIELD_I64, "other", IN_NS, "of it, queues, launch latency, waits and delays"),
    F(limit, FIELD_TEXT, "limit", NO_UNIT, "the largest part of the path in the phase"),
    F(limit_ns, FIELD_I64, "of it", IN_NS, "time of that part"),
    F(limit_pct, FIELD_NUM, "share", IN_PERCENT, "of path_ns"),
};
#undef F

static const struct fields stats_table =
    FIELDS("critical_path",
           "The critical path: the chain of GPU work, host calls and waits that sets the length.",
           struct path_stats, stats_fields);
static const struct fields row_table =
    FIELDS("critical_path_parts",
           "What the time on the critical path is, largest first; adds up to "
           "its length.",
           struct path_row, row_fields);
static const struct fields member_table =
    FIELDS("critical_path_members",
           "At most 15 kernels, copies and calls with time on the critical path, largest first.",
           struct path_member, member_fields);

static const struct fields phase_table =
    FIELDS("critical_path_phases",
           "The critical path by phase; adds up to its length, but for what lies "
           "outside of the phases.",
           struct path_phase, path_phase_v);

const struct analysis_kind analysis_critical_path = {
    .name = "critical_path",
    .doc = "What the end of the run waited for, step by step: kernels, copies, calls, host work. "
           "Only what stands here shortens the run when it gets faster, and no more than up to the "
           "slack of the next path.",
    .beside = make_graph,
    .beside_end = walk,
    .tables = ANALYSIS_TABLES(ANALYSIS_ONE(stats_table, path_stats), ANALYSIS_ROWS(row_table, path),
                              ANALYSIS_ROWS(member_table, path_members),
                              ANALYSIS_ROWS(phase_table, path_phases)),
};
