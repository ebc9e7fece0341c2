/* What the host does besides feeding GPUs: work, pauses, markers, MPI, other calls. */
#include <string.h>

#include "synth/sim.h"

static struct rec_region region(struct thread *t, enum category c, uint32_t name)
{
    struct rec_region r = {.process = t->process->rec.index, .thread = t->index, .category = c};
    r.name = name;
    r.peer = -1;
    r.corr = ++t->process->corr;
    return r;
}

/* --- markers ----------------------------------------------------------------------------- */

void marker_push(struct sim *s, struct thread *t, uint32_t message)
{
    if (t->marker_n >= MAX_MARKERS) {
        sim_fail(s, "more than %d markers are open", MAX_MARKERS);
        return;
    }
    t->markers[t->marker_n++] = (struct open_marker){message, t->clock, ++t->process->corr};
}

void marker_pop(struct sim *s, struct thread *t)
{
    if (!t->marker_n) {
        sim_fail(s, "no marker is open");
        return;
    }
    const struct open_marker *m = &t->markers[--t->marker_n];
    struct rec_region r = {.process = t->process->rec.index, .thread = t->index};
    r.category = CAT_MARKER;
    r.name = names_adds(&s->program->names, "roctxThreadRangeA");
    r.message = m->message;
    r.start_ns = m->start;
    r.end_ns = t->clock;
    r.corr = m->corr;
    r.peer = -1;
    emit_region(s, &r);
}

static void do_marker(struct sim *s, struct thread *t, const struct stmt *st)
{
    enum { PUSH, POP, RANGE };
    int what = stmt_arg(st, K_push_or_pop)->word;
    uint32_t message = arg_name(s, t, st, K_name);
    if (what == PUSH) {
        marker_push(s, t, message);
    } else if (what == POP) {
        marker_pop(s, t);
    } else {
        uint32_t name = names_adds(&s->program->names, "roctxThreadRangeA");
        struct rec_region r = region(t, CAT_MARKER, name);
        if (!sim_exact_start(s, t, st, &r.start_ns))
            r.start_ns = t->clock;
        r.end_ns = sim_time_add(s, r.start_ns, arg_time(s, t, st, K_dur, 0));
        r.message = message;
        emit_region(s, &r);
    }
}

static void do_mark(struct sim *s, struct thread *t, const struct stmt *st)
{
    struct rec_region r = region(t, CAT_MARKER, names_adds(&s->program->names, "roctxMarkA"));
    if (!sim_exact_start(s, t, st, &r.start_ns))
        r.start_ns = t->clock;
    r.end_ns = r.start_ns;
    r.message = arg_name(s, t, st, K_name);
    emit_region(s, &r);
}

/* --- calls ------------------------------------------------------------------------------- */

static void do_api(struct sim *s, struct thread *t, const struct stmt *st)
{
    const struct value *category = stmt_arg(st, K_category);
    enum category c = category ? (enum category)category->word : CAT_HIP;
    uint32_t name = arg_name(s, t, st, K_name);
    int64_t dur = arg_time(s, t, st, K_dur, 0), start = t->clock;
    bool exact = sim_exact_start(s, t, st, &start);
    int64_t end = sim_time_add(s, start, dur);
    if (c == CAT_HIP && !exact) {
        struct call call = {.name = name, .size = arg_int(s, t, st, K_size, 0)};
        emit_call(s, t, API_OTHER, start, end, &call);
    } else {
        struct rec_region r = region(t, c, name);
        if (c == CAT_MARKER) {
            r.message = name;
            r.name = names_adds(&s->program->names, "roctxThreadRangeA");
        }
        r.start_ns = start;
        r.end_ns = end;
        emit_region(s, &r);
    }
    if (!exact)
        sim_advance(s, t, end);
}

/* True for the calls in which all ranks wait for each other. */
static bool is_collective(const char *name)
{
    static const char *const words[] = {"MPI_Barrier", "MPI_Allreduce", "MPI_Alltoall",
                                        "MPI_Allgather", "MPI_Reduce_scatter"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (!strncmp(name, words[i], strlen(words[i])))
            return true;
    return false;
}

void sim_mpi_region(struct sim *s, struct thread *t, const struct stmt *st, uint32_t name,
                    int64_t start, int64_t end)
{
    struct rec_region r = region(t, CAT_MPI, name);
    r.start_ns = start;
    r.end_ns = end;
    r.bytes = arg_time(s, t, st, K_bytes, 0);
    r.peer = arg_int(s, t, st, K_peer, -1);
    if (s->options->mpi_as_markers) {
        r.category = CAT_MARKER;
        r.message = name;
        r.name = names_adds(&s->program->names, "roctxThreadRangeA");
    }
    emit_region(s, &r);
}

static void do_mpi(struct sim *s, struct thread *t, const struct stmt *st)
{
    uint32_t name = arg_name(s, t, st, K_name);
    int64_t start;
    if (!stmt_arg(st, K_at) && is_collective(names_text(&s->program->names, name))) {
        meet_arrive(s, t, st);
        return;
    }
    bool exact = sim_exact_start(s, t, st, &start);
    if (!exact)
        start = t->clock;
    int64_t end = sim_time_add(s, start, arg_time(s, t, st, K_dur, 0));
    sim_mpi_region(s, t, st, name, start, end);
    if (!exact)
        t->clock = end;
}

void host_execute(struct sim *s, struct thread *t, const struct stmt *st)
{
    struct process *p = t->process;
    int64_t dur;
    switch (st->op) {
    case OP_host:
        t->clock = sim_time_add(s, t->clock, arg_time(s, t, st, K_dur, 0));
        break;
    case OP_gap:
        dur = arg_time(s, t, st, K_dur, 0);
        for (size_t i = 0; i < p->streams.n; i++)
            if (p->streams.v[i].used && p->streams.v[i].last_end > t->clock)
                t->clock = p->streams.v[i].last_end;
        t->clock = sim_time_add(s, t->clock, dur);
        break;
    case OP_at:
        t->clock = sim_time_add(s, s->base_ns, arg_int(s, t, st, K_start, 0));
        break;
    case OP_api:
        do_api(s, t, st);
        break;
    case OP_marker:
        do_marker(s, t, st);
        break;
    case OP_mark:
        do_mark(s, t, st);
        break;
    case OP_mpi:
        do_mpi(s, t, st);
        break;
    default:
        sim_fail(s, "this statement cannot stand here");
        break;
    }
}
