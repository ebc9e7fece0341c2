/* The bulk tables of the Nsight Systems writer. */
#include <string.h>

#include "synth/nsys_in.h"

/* Where CUDA's function is not "cuda" and the rest of HIP's name. */
static const struct {
    const char *hip, *cuda;
} functions[] = {
    {"hipLaunchKernel", "cudaLaunchKernel_v7000"},
    {"hipExtLaunchKernel", "cudaLaunchKernelExC_v11060"},
    {"hipModuleLaunchKernel", "cuLaunchKernel"},
    {"hipHostMalloc", "cudaHostAlloc_v3020"},
    {"hipHostFree", "cudaFreeHost_v3020"},
    {"hipInit", "cuInit"},
    {"hipModuleLoad", "cuModuleLoad"},
};

static uint32_t cuda_name(struct nsys_writer *w, uint32_t name)
{
    while (w->cuda.n <= name)
        vec_push(&w->cuda, w->arena, 0);
    if (w->cuda.v[name])
        return w->cuda.v[name] - 1;
    const char *hip = names_text(w->names, name), *cuda = NULL;
    uint32_t found = name;
    for (size_t i = 0; i < ARRAY_LEN(functions); i++)
        if (str_eq(hip, functions[i].hip))
            cuda = functions[i].cuda;
    if (cuda)
        found = names_adds(w->names, cuda);
    else if (str_starts(hip, "hip"))
        found = names_adds(w->names, arena_printf(w->arena, "cuda%s_v3020", hip + 3));
    else if (str_starts(hip, "__hip"))
        found = names_adds(w->names, arena_printf(w->arena, "__cuda%s", hip + 5));
    w->cuda.v[name] = found + 1;
    return found;
}

static struct nprocess *process_of(struct nsys_writer *w, int index)
{
    return &w->processes.v[index];
}

static int64_t thread_of(const struct nprocess *p, int index)
{
    int64_t tid = index < (int)p->threads.n ? p->threads.v[index].tid : p->rec.pid;
    return nsysw_global(p, tid);
}

static int64_t time_of(const struct nfile *f, int64_t t)
{
    return (int64_t)((uint64_t)t - (uint64_t)f->origin_ns);
}

/* --- host -------------------------------------------------------------------------------- */

/* CUPTI records what a call waited for (1 event, 2 a stream for an event, 3 stream, 4 context), and
 * where events were recorded. */
static void put_sync(struct nsys_writer *w, struct nprocess *p, const struct rec_region *r)
{
    const struct rec_sync *y = &r->sync;
    struct nfile *f = p->file;
    bool stream = y->kind == SYNC_STREAM || y->kind == SYNC_STREAM_WAIT;
    int64_t event = y->event ? y->event : UINT32_MAX;
    if (y->kind == SYNC_RECORD)
        NROW(w, f, NI_EVENT, y->gpu, y->gpu + 1, NI_NULL, nsysw_stream(y->stream), (int64_t)r->corr,
             nsysw_global(p, 0), event);
    else if (y->kind != SYNC_NONE)
        NROW(w, f, NI_SYNC, time_of(f, r->start_ns), time_of(f, r->end_ns), y->gpu, y->gpu + 1,
             NI_NULL, stream ? nsysw_stream(y->stream) : (int64_t)UINT32_MAX, (int64_t)r->corr,
             nsysw_global(p, 0), y->kind, event);
}

static void put_call(struct nsys_writer *w, struct nprocess *p, const struct rec_region *r)
{
    struct nfile *f = p->file;
    NROW(w, f, NI_RUNTIME, time_of(f, r->start_ns), time_of(f, r->end_ns), r->category == CAT_HSA,
         thread_of(p, r->thread), (int64_t)r->corr, nsysw_string(w, f, cuda_name(w, r->name)), 0,
         NI_NULL);
    put_sync(w, p, r);
}

static void put_mpi(struct nsys_writer *w, struct nprocess *p, const struct rec_region *r)
{
    static const char *const sends[] = {"MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv",
                                        "MPI_Ssend"};
    static const char *const others[] = {"MPI_Init", "MPI_Finalize", "MPI_Comm_", "MPI_Test"};
    struct nfile *f = p->file;
    const char *name = names_text(w->names, r->name);
    int64_t start = time_of(f, r->start_ns), end = time_of(f, r->end_ns);
    int64_t tid = thread_of(p, r->thread), text = nsysw_string(w, f, r->name);
    f->mpi = true;
    for (size_t i = 0; i < ARRAY_LEN(sends); i++)
        if (str_starts(name, sends[i])) {
            NROW(w, f, NI_MPI_P2P, start, end, tid, text, 1, 0, r->peer, r->bytes, NI_NULL);
            return;
        }
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (str_starts(name, others[i])) {
            NROW(w, f, NI_MPI_OTHER, start, end, tid, text);
            return;
        }
    if (str_starts(name, "MPI_Wait") || str_starts(name, "MPI_Start"))
        NROW(w, f, NI_MPI_WAIT, start, end, tid, text, NI_NULL);
    else
        NROW(w, f, NI_MPI_COLLECTIVE, start, end, tid, text, 1, NI_NULL, r->bytes, r->bytes);
}

enum { NCCL_DOMAIN = 1, NVTX_TEXT = 7 };

/* The user's text stands in the row; that of libraries is registered. */
static void put_nvtx(struct nsys_writer *w, struct nprocess *p, const struct rec_region *r)
{
    struct nfile *f = p->file;
    const char *function = names_text(w->names, r->name);
    bool nccl = r->category == CAT_RCCL, user = r->message != 0;
    int64_t type = r->start_ns == r->end_ns && strstr(function, "Mark") ? 34
                   : strstr(function, "ProcessRange")                   ? 60
                                                                        : 59;
    int64_t tid = thread_of(p, r->thread);
    if (user && !w->sink.failed) {
        struct name text = names_get(w->names, r->message);
        sqlite3_bind_text(f->insert[NI_NVTX], NVTX_TEXT, text.s, (int)text.n, SQLITE_STATIC);
    } else if (!w->sink.failed) {
        sqlite3_bind_null(f->insert[NI_NVTX], NVTX_TEXT);
    }
    f->nccl |= nccl;
    NROW(w, f, NI_NVTX, time_of(f, r->start_ns), type == 34 ? NI_NULL : time_of(f, r->end_ns), type,
         type == 60 ? (int64_t)r->corr : NI_NULL, NI_NULL, NI_NULL, NI_KEEP, tid, NI_NULL,
         user ? NI_NULL : nsysw_string(w, f, r->name), nccl ? NCCL_DOMAIN : 0);
}

void nsysw_region(struct sink *s, const struct rec_region *r)
{
    struct nsys_writer *w = (struct nsys_writer *)s;
    struct nprocess *p = process_of(w, r->process);
    switch (r->category) {
    case CAT_HIP:
    case CAT_HSA:
    case CAT_COMPILER:
        put_call(w, p, r);
        break;
    case CAT_MPI:
        put_mpi(w, p, r);
        break;
    case CAT_DRIVER: /* has no place here */
        break;
    default:
        put_nvtx(w, p, r);
        break;
    }
}

/* --- GPU --------------------------------------------------------------------------------- */

static int64_t node_of(uint64_t graph, uint64_t node)
{
    return graph ? (int64_t)((graph & 0x7fffffff) << 32 | (node & 0xffffffff)) : NI_NULL;
}

static int64_t corr_of(uint64_t corr)
{
    return corr ? (int64_t)corr : NI_NULL;
}

static void put_memset(struct nsys_writer *w, struct nprocess *p, const struct rec_kernel *r)
{
    struct nfile *f = p->file;
    NROW(w, f, NI_MEMSET, time_of(f, r->start_ns), time_of(f, r->end_ns), r->gpu, r->gpu + 1, 0,
         nsysw_stream(r->stream), corr_of(r->corr), nsysw_global(p, 0), 0, r->memset_bytes,
         node_of(r->graph_exec, r->graph_node), 2);
}

/* The name up to its template arguments or parameters, without what stands before it. */
static uint32_t base_name(struct nsys_writer *w, uint32_t full)
{
    const char *s = names_text(w->names, full);
    size_t n = strcspn(s, "<("), from = n;
    while (from && s[from - 1] != ' ' && s[from - 1] != ':')
        from--;
    return n > from ? names_add(w->names, s + from, n - from) : full;
}

/* What the compiler called it, without the suffix of AMD's kernel descriptors. */
static int64_t mangled_name(struct nsys_writer *w, struct nfile *f, const struct rec_symbol *y)
{
    struct name m = names_get(w->names, y->mangled);
    if (!y->mangled)
        return NI_NULL;
    bool kd = m.n > 3 && !memcmp(m.s + m.n - 3, ".kd", 3);
    return nsysw_string(w, f, kd ? names_add(w->names, m.s, m.n - 3) : y->mangled);
}

void nsysw_kernel(struct sink *s, const struct rec_kernel *r)
{
    struct nsys_writer *w = (struct nsys_writer *)s;
    struct nprocess *p = process_of(w, r->process);
    struct nfile *f = p->file;
    const struct rec_symbol *y = r->symbol;
    if (r->memset_bytes > 0) {
        put_memset(w, p, r);
        return;
    }
    int64_t blocks[3], fixed = y->lds < r->lds ? y->lds : r->lds;
    for (int d = 0; d < 3; d++)
        blocks[d] = r->wg[d] > 0 ? r->grid[d] / r->wg[d] : r->grid[d];
    NROW(w, f, NI_KERNEL, time_of(f, r->start_ns), time_of(f, r->end_ns), r->gpu, r->gpu + 1, 0,
         nsysw_stream(r->stream), corr_of(r->corr), nsysw_global(p, 0), nsysw_string(w, f, y->name),
         nsysw_string(w, f, base_name(w, y->name)), mangled_name(w, f, y), 1, 1, y->vgpr, blocks[0],
         blocks[1], blocks[2], r->wg[0], r->wg[1], r->wg[2], fixed, r->lds - fixed, r->scratch, 0,
         (int64_t)r->dispatch, r->lds, node_of(r->graph_exec, r->graph_node), 0);
}

static int64_t memory_kind(enum memory m)
{
    return m == MEM_PAGEABLE ? 0 : m == MEM_PINNED ? 1 : m == MEM_MANAGED ? 4 : 2;
}

void nsysw_copy(struct sink *s, const struct rec_copy *r)
{
    static const int64_t kinds[] = {1, 2, 8, 10, 9};
    struct nsys_writer *w = (struct nsys_writer *)s;
    struct nprocess *p = process_of(w, r->process);
    struct nfile *f = p->file;
    bool peer = r->direction == COPY_P2P;
    bool pushed = r->direction == COPY_P2P && r->src_gpu >= 0; /* under the GPU that issues it */
    int64_t device = !pushed && r->dst_gpu >= 0 ? r->dst_gpu : r->src_gpu >= 0 ? r->src_gpu : 0;
    NROW(w, f, NI_MEMCPY, time_of(f, r->start_ns), time_of(f, r->end_ns), device, device + 1, 0,
         nsysw_stream(r->stream), corr_of(r->corr), nsysw_global(p, 0), r->size,
         kinds[r->direction], NI_NULL, memory_kind(r->src_memory), memory_kind(r->dst_memory),
         peer ? r->src_gpu : NI_NULL, NI_NULL, peer ? r->dst_gpu : NI_NULL, NI_NULL, NI_NULL,
         node_of(r->graph_exec, r->graph_node), NI_NULL);
}

/* Scratch memory and moves have no place here. */
void nsysw_alloc(struct sink *s, const struct rec_alloc *r)
{
    struct nsys_writer *w = (struct nsys_writer *)s;
    struct nprocess *p = process_of(w, r->process);
    int64_t device = r->agent >= CPU_AGENTS ? r->agent - CPU_AGENTS : 0;
    if (r->level == LEVEL_SCRATCH || r->type > ALLOC_FREE)
        return;
    NROW(w, p->file, NI_MEMORY, time_of(p->file, r->end_ns), nsysw_global(p, 0), device, device + 1,
         (int64_t)r->address, 0, r->size, r->agent < CPU_AGENTS ? 1 : memory_kind(r->memory),
         r->type == ALLOC_FREE, corr_of(r->corr));
}

/* Of the sensors, GPU metrics have the clock and the load. */
void nsysw_sample(struct sink *s, const struct rec_sample *r)
{
    struct nsys_writer *w = (struct nsys_writer *)s;
    struct nprocess *p = process_of(w, r->process);
    if (r->metric != METRIC_CLOCK && r->metric != METRIC_BUSY)
        return;
    p->file->metrics = true;
    NROW(w, p->file, NI_METRIC, time_of(p->file, r->time_ns), nsysw_machine(p) | r->gpu,
         (int64_t)r->metric, (int64_t)(r->value + 0.5));
}
