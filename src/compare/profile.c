#include "compare/profile.h"

#include <math.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/str.h"
#include "job/job.h"

static const char *keep(struct arena *arena, const char *s)
{
    return s ? arena_strdup(arena, s) : NULL;
}

static void keep_gpus(struct run_profile *p, const struct analysis *a, struct arena *arena)
{
    const struct trace *t = a->trace;
    for (size_t i = 0; i < a->view.n_gpus; i++) {
        if (a->view.gpus[i].gpu == NO_INDEX)
            continue;
        const struct gpu *g = &t->gpus.v[a->view.gpus[i].gpu];
        struct profile_gpu row = {
            .name = keep(arena, trace_str(t, g->name)),
            .arch = keep(arena, trace_str(t, g->arch)),
            .vendor = g->vendor,
            .cu_count = g->cu_count,
            .clock_mhz = g->clock_mhz,
        };
        vec_push(&p->gpus, arena, row);
    }
}

static void keep_gaps(struct run_profile *p, const struct ledger *l)
{
    p->has_gaps = true;
    for (enum cause c = 0; c < CAUSES; c++) {
        p->cause_ns[c] = l->ns[c];
        for (size_t g = 0; g < l->n_gpus; g++) {
            p->gap_sq[c] += l->gpus[g].gap_sq[c];
            p->gap_count[c] += l->gpus[g].gap_count[c];
        }
    }
}

/* The rows whose texts are static or can be copied; what points into the trace is left behind. */
static void keep_tables(struct run_profile *p, const struct analysis *a, struct arena *arena)
{
    for (size_t i = 0; i < a->copies.n; i++) {
        vec_push(&p->copies, arena, a->copies.v[i]);
    }
    for (size_t i = 0; i < a->api_classes.n; i++) {
        vec_push(&p->api_classes, arena, a->api_classes.v[i]);
    }
    for (size_t i = 0; i < a->telemetry.n; i++) {
        struct telemetry_row row = a->telemetry.v[i];
        row.series = keep(arena, row.series);
        row.units = keep(arena, row.units);
        vec_push(&p->telemetry, arena, row);
    }
    for (size_t i = 0; i < a->capabilities.n; i++) {
        struct profile_capability row = {keep(arena, a->capabilities.v[i].key),
                                         a->capabilities.v[i].present};
        vec_push(&p->capabilities, arena, row);
    }
}

static void keep_ranks(struct run_profile *p, const struct job *job, struct arena *arena)
{
    for (size_t i = 0; job && i < job->ranks.n; i++) {
        const struct job_rank *r = &job->ranks.v[i];
        vec_push(&p->ranks, arena,
                 ((struct profile_rank){.rank = r->rank,
                                        .host = keep(arena, r->host),
                                        .window_ns = r->window_ns,
                                        .compute_ns = r->compute_ns,
                                        .gpu_idle_ns = r->gpu_idle_ns,
                                        .copy_ns = r->copy_ns,
                                        .comm_ns = r->comm_ns,
                                        .mpi_ns = r->mpi_ns,
                                        .host_ns = r->host_ns,
                                        .wait_ns = r->wait_ns,
                                        .caused_ns = r->caused_ns}));
    }
}

void profile_make(struct run_profile *p, const struct analysis *a, const char *label,
                  struct arena *arena)
{
    *p = (struct run_profile){
        .label = arena_strdup(arena, label),
        .breakdown = a->breakdown,
        .launches = a->launches,
        .allocations = a->allocations,
        .collectives = a->collectives,
        .start_ns = a->view.start_ns,
    };
    p->allocations.top_call = keep(arena, a->allocations.top_call);
    for (size_t i = 0; i < a->trace->files.n; i++)
        vec_push(&p->files, arena, keep(arena, a->trace->files.v[i].path));
    keep_gpus(p, a, arena);
    keep_gaps(p, &a->ledger);
    keep_tables(p, a, arena);
    profile_kernels_make(p, a, arena);
    profile_phases_make(p, a, arena);
    profile_blocks_make(p, a, arena);
    keep_ranks(p, a->job, arena);
}

bool profile_has(const struct run_profile *p, enum capability_id capability)
{
    for (size_t i = 0; i < p->capabilities.n; i++)
        if (str_eq(p->capabilities.v[i].key, capability_key(capability)))
            return p->capabilities.v[i].present;
    return false;
}

const struct api_class_row *profile_api(const struct run_profile *p, enum api_class class)
{
    for (size_t i = 0; i < p->api_classes.n; i++)
        if (p->api_classes.v[i].class == class)
            return &p->api_classes.v[i];
    return NULL;
}

int64_t profile_idle_ns(const struct run_profile *p)
{
    int64_t sum = 0;
    for (enum cause c = CAUSE_LAUNCH; c <= CAUSE_HOST; c++)
        sum = add_ns(sum, p->cause_ns[c]);
    return sum;
}
