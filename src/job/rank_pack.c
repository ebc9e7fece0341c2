/* A rank as bytes, from the process that has analyzed it to the root of the team. */
#include "job/spread.h"

static void pack_meet_op(struct pack *p, struct meet_op *o)
{
    pack_text(p, &o->name);
    PACK(p, o->kind);
    PACK(p, o->on_gpu);
    PACK(p, o->count);
}

static void pack_mpi_op(struct pack *p, struct mpi_op_row *o)
{
    PACK(p, o->rank);
    pack_text(p, &o->name);
    PACK(p, o->calls);
    PACK(p, o->total_ns);
    PACK(p, o->max_ns);
}

static void pack_kernel(struct pack *p, struct rank_kernel *k)
{
    pack_text(p, &k->name);
    pack_text(p, &k->short_name);
    PACK(p, k->calls);
    PACK(p, k->total_ns);
    PACK(p, k->work_items);
}

static void pack_phase(struct pack *p, struct rank_phase *v)
{
    pack_text(p, &v->name);
    pack_text(p, &v->top_kernel);
    PACK(p, v->start_ns);
    PACK(p, v->end_ns);
    PACK(p, v->busy_ns);
    PACK(p, v->compute_ns);
    PACK(p, v->idle_ns);
    PACK(p, v->mpi_ns);
}

static void pack_staging(struct pack *p, struct staging_row *s)
{
    PACK(p, s->rank);
    pack_text(p, &s->operation);
    PACK(p, s->form);
    PACK(p, s->reach);
    pack_text(p, &s->kind);
    pack_text(p, &s->between);
    PACK(p, s->chains);
    PACK(p, s->bytes);
    PACK(p, s->copy_ns);
    PACK(p, s->mpi_ns);
    PACK(p, s->ranks);
}

static void pack_identity(struct pack *p, struct job_rank *r)
{
    PACK(p, r->order);
    PACK(p, r->rank);
    pack_text(p, &r->rank_source);
    pack_text(p, &r->host);
    pack_text(p, &r->file);
    pack_text(p, &r->command);
    pack_text(p, &r->capture);
    PACK(p, r->pid);
    PACK(p, r->process);
    PACK(p, r->place);
    PACK(p, r->gpus);
    pack_text(p, &r->gpu_name);
}

static void pack_figures(struct pack *p, struct job_rank *r)
{
    PACK(p, r->start_ns);
    PACK(p, r->end_ns);
    PACK(p, r->window_ns);
    PACK(p, r->gpu_busy_ns);
    PACK(p, r->gpu_idle_ns);
    PACK(p, r->compute_ns);
    PACK(p, r->comm_ns);
    PACK(p, r->copy_ns);
    PACK(p, r->mpi_ns);
    PACK(p, r->host_ns);
    PACK(p, r->useful_ns);
    PACK(p, r->wait_ns);
    PACK(p, r->caused_ns);
    PACK(p, r->late);
    PACK(p, r->path_ns);
    PACK(p, r->path_turns);
    PACK(p, r->kernels);
    PACK(p, r->copies);
    PACK(p, r->mpi_calls);
    PACK(p, r->iterations);
    PACK(p, r->iteration_ns);
    PACK(p, r->busy_pct);
    PACK(p, r->clock_mhz);
    PACK(p, r->clock_offset_ns);
    PACK(p, r->clock_drift_ppm);
    PACK(p, r->clock_origin_ns);
    PACK(p, r->clock_residual_ns);
    PACK(p, r->cause_ns);
    PACK(p, r->meet_stride);
}

/* The calls of `meets` must be among meet_ops: everything behind relies on it. */
static void check_meets(struct pack *p, const struct job_rank *r)
{
    for (size_t i = 0; i < r->meets.n; i++)
        p->bad |= r->meets.v[i].op >= r->meet_ops.n;
    p->bad |= !p->out && r->meet_stride < 1;
}

void rank_pack(struct pack *p, struct job_rank *r)
{
    pack_identity(p, r);
    pack_figures(p, r);
    PACK_VEC(p, &r->meet_ops, pack_meet_op);
    PACK_FLAT(p, &r->meets);
    PACK_VEC(p, &r->mpi_ops, pack_mpi_op);
    PACK_VEC(p, &r->top, pack_kernel);
    PACK_VEC(p, &r->phases, pack_phase);
    PACK_VEC(p, &r->staging, pack_staging);
    PACK_FLAT(p, &r->peers);
    PACK_FLAT(p, &r->gpu_waits);
    check_meets(p, r);
}

struct job_rank rank_copy(struct job_rank *r, struct arena *arena)
{
    struct arena *temporary = arena_scratch();
    struct job_rank copy;
    struct str bytes;
    struct pack p;
    str_init(&bytes, temporary);
    pack_write(&p, &bytes);
    rank_pack(&p, r);
    pack_read(&p, bytes.buf, bytes.len, arena);
    rank_pack(&p, &copy);
    arena_release(temporary);
    return copy;
}
