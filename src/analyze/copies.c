/* How data moves: per direction and size, compared with the link it used. */
#include <math.h>
#include <stdlib.h>

#include "analyze/analysis.h"
#include "base/parallel.h"

enum { LARGE_BYTES = 1 << 20 };

static const uint64_t size_limits[COPY_SIZES - 1] = {4096, 65536, 1 << 20, 16 << 20};
const char *const copy_size_labels[] = {"<4 KiB",   "4-64 KiB", "64 KiB-1 MiB",
                                        "1-16 MiB", ">16 MiB",  NULL};

const char *const copy_directions[] = {
    [COPY_UNKNOWN] = "Unknown",      [COPY_H2D] = "Host-to-Device", [COPY_D2H] = "Device-to-Host",
    [COPY_D2D] = "Device-to-Device", [COPY_P2P] = "Peer-to-Peer",   [COPY_H2H] = "Host-to-Host",
    [COPY_SET] = "Memset",           [COPY_KINDS] = NULL,
};

struct size_sum {
    uint64_t count, bytes;
    int64_t ns;
};

/* Copies of one direction on one GPU, later on all. Durations are whole, but for union_ns. */
struct sum {
    uint64_t count;
    uint64_t known, bytes;           /* copies whose size is known */
    uint64_t memory_known, pageable; /* copies whose host memory is known */
    int64_t union_ns, until;         /* clipped; end of the union so far */
    int64_t ns, known_ns;
    uint32_t slowest;
    struct size_sum sizes[COPY_SIZES];
    bool link_unknown, links_differ;
    double link;     /* of the GPUs so far */
    double ideal_ns; /* of the bytes, at the links' peaks */
};

static int64_t whole_ns(const struct copies *c, uint32_t row)
{
    return c->end_ns[row] > c->start_ns[row] ? sub_ns(c->end_ns[row], c->start_ns[row]) : 0;
}

/* The memory at the host's end; pageable when one of two ends is. */
static enum memory_kind host_memory(const struct copies *c, uint32_t row)
{
    enum memory_kind src = c->src_memory[row], dst = c->dst_memory[row];
    switch (c->kind[row]) {
    case COPY_H2D:
        return src;
    case COPY_D2H:
        return dst;
    case COPY_H2H:
        return src == MEMORY_PAGEABLE || dst == MEMORY_UNKNOWN ? src : dst;
    default:
        return MEMORY_UNKNOWN;
    }
}

static bool can_be_slowest(const struct copies *c, uint32_t row)
{
    return row != NO_INDEX && c->bytes[row] != BYTES_UNKNOWN && whole_ns(c, row) > 0;
}

/* Whether row x has a lower bandwidth than y; large copies are asked first. Earlier rows win ties.
 */
static bool slower(const struct copies *c, uint32_t x, uint32_t y)
{
    if (!can_be_slowest(c, x) || !can_be_slowest(c, y))
        return can_be_slowest(c, x);
    bool large = c->bytes[x] >= LARGE_BYTES;
    if (large != (c->bytes[y] >= LARGE_BYTES))
        return large;
    unsigned __int128 left = (unsigned __int128)c->bytes[x] * (uint64_t)whole_ns(c, y);
    unsigned __int128 right = (unsigned __int128)c->bytes[y] * (uint64_t)whole_ns(c, x);
    return left != right ? left < right : x < y;
}

static void add_size(struct sum *s, uint64_t bytes, int64_t ns)
{
    size_t class = 0;
    while (class < COPY_SIZES - 1 && bytes >= size_limits[class])
        class ++;
    s->known++;
    s->bytes = add_bytes(s->bytes, bytes);
    s->known_ns = add_ns(s->known_ns, ns);
    s->sizes[class].count++;
    s->sizes[class].bytes = add_bytes(s->sizes[class].bytes, bytes);
    s->sizes[class].ns = add_ns(s->sizes[class].ns, ns);
}

static void add_copy(struct sum *s, const struct view *v, uint32_t row)
{
    const struct copies *c = &v->trace->copies;
    struct span span = view_clip(v, c->start_ns[row], c->end_ns[row]);
    int64_t from = s->count && s->until > span.start ? s->until : span.start;
    if (!s->count || span.end > s->until)
        s->until = span.end;
    if (span.end > from)
        s->union_ns = add_ns(s->union_ns, sub_ns(span.end, from));
    s->count++;
    int64_t ns = whole_ns(c, row);
    s->ns = add_ns(s->ns, ns);
    if (c->bytes[row] != BYTES_UNKNOWN)
        add_size(s, c->bytes[row], ns);
    enum memory_kind memory = host_memory(c, row);
    s->memory_known += memory != MEMORY_UNKNOWN;
    s->pageable += memory == MEMORY_PAGEABLE;
    if (slower(c, row, s->slowest))
        s->slowest = row;
}

struct copy_work {
    const struct view *v;
    struct sum (*sums)[COPY_KINDS]; /* by GPU */
};

static void sum_gpu(void *ctx, size_t g, int worker)
{
    (void)worker;
    const struct copy_work *job = ctx;
    const struct view_gpu *gpu = &job->v->gpus[g];
    for (size_t kind = 0; kind < COPY_KINDS; kind++)
        job->sums[g][kind].slowest = NO_INDEX;
    for (size_t i = 0; i < gpu->n_copies; i++)
        add_copy(&job->sums[g][job->v->trace->copies.kind[gpu->copies[i]]], job->v, gpu->copies[i]);
}

/* GB/s; NaN where nothing is known. */
static double link_of(const struct analysis *a, size_t slot, enum copy_kind kind)
{
    uint32_t index = a->view.gpus[slot].gpu;
    if (index == NO_INDEX)
        return NAN;
    const struct gpu *gpu = &a->trace->gpus.v[index];
    const struct hardware *hw = a->hardware[index];
    double gbps = 0;
    switch (kind) {
    case COPY_H2D:
    case COPY_D2H:
        gbps = gpu->host_link_mbps ? (double)gpu->host_link_mbps / 1000 : hw ? hw->host_gbps : 0;
        break;
    case COPY_P2P:
        gbps = gpu->peer_link_mbps ? (double)gpu->peer_link_mbps / 1000
               : hw                ? hw->peer_link_gbps
                                   : 0;
        break;
    case COPY_D2D: /* every byte is read and written */
        gbps = hw ? hw->mem_gbps / 2 : 0;
        break;
    case COPY_SET:
        gbps = hw ? hw->mem_gbps : 0;
        break;
    default:
        break;
    }
    return gbps > 0 ? gbps : NAN;
}

static void add_link(struct sum *to, const struct sum *from, double link)
{
    if (isnan(link)) {
        to->link_unknown = true;
        return;
    }
    to->links_differ |= to->link > 0 && to->link != link;
    to->link = link;
    to->ideal_ns += (double)from->bytes / link;
}

static void add_sum(struct sum *to, const struct sum *from, const struct copies *c)
{
    to->count += from->count;
    to->known += from->known;
    to->bytes = add_bytes(to->bytes, from->bytes);
    to->memory_known += from->memory_known;
    to->pageable += from->pageable;
    to->union_ns = add_ns(to->union_ns, from->union_ns);
    to->ns = add_ns(to->ns, from->ns);
    to->known_ns = add_ns(to->known_ns, from->known_ns);
    if (slower(c, from->slowest, to->slowest))
        to->slowest = from->slowest;
    for (size_t i = 0; i < COPY_SIZES; i++) {
        to->sizes[i].count += from->sizes[i].count;
        to->sizes[i].bytes = add_bytes(to->sizes[i].bytes, from->sizes[i].bytes);
        to->sizes[i].ns = add_ns(to->sizes[i].ns, from->sizes[i].ns);
    }
}

static double link_gbps(const struct sum *s)
{
    if (s->link_unknown || !(s->link > 0))
        return NAN;
    if (!s->links_differ)
        return s->link;
    return s->ideal_ns > 0 ? (double)s->bytes / s->ideal_ns : NAN;
}

/* The ledger has one cause for several directions: it stands in the first row that there is. */
static int64_t exposed_ns(const struct analysis *a, const struct sum *sums, enum copy_kind kind)
{
    switch (kind) {
    case COPY_H2D:
        return a->ledger.ns[CAUSE_COPY_H2D];
    case COPY_D2H:
        return a->ledger.ns[CAUSE_COPY_D2H];
    case COPY_P2P:
        return a->ledger.ns[CAUSE_COPY_P2P];
    case COPY_SET:
        return a->ledger.ns[CAUSE_COPY_SET];
    case COPY_UNKNOWN:
        return sums[COPY_D2D].count ? 0 : a->ledger.ns[CAUSE_COPY_D2D];
    case COPY_H2H:
        return sums[COPY_D2D].count || sums[COPY_UNKNOWN].count ? 0 : a->ledger.ns[CAUSE_COPY_D2D];
    default:
        return a->ledger.ns[CAUSE_COPY_D2D];
    }
}

static double rate(uint64_t bytes, int64_t ns)
{
    return ns > 0 ? (double)bytes / (double)ns : NAN; /* bytes per ns are GB/s */
}

static struct copy_row make_row(const struct analysis *a, const struct sum *sums,
                                enum copy_kind kind)
{
    const struct sum *s = &sums[kind];
    struct copy_row row = {
        .kind = kind,
        .count = s->count,
        .total_bytes = s->bytes,
        .total_duration_ns = s->union_ns,
        .avg_bytes = s->known ? (double)s->bytes / (double)s->known : NAN,
        .avg_duration_ns = (double)s->ns / (double)s->count,
        .bandwidth_gbps = s->known ? rate(s->bytes, s->known_ns) : NAN,
        .link_gbps = link_gbps(s),
        .exposed_ns = exposed_ns(a, sums, kind),
        .pageable_pct =
            s->memory_known ? percent_of((double)s->pageable, (double)s->memory_known) : NAN,
        .slowest = s->slowest,
    };
    row.efficiency_pct = 100 * row.bandwidth_gbps / row.link_gbps;
    return row;
}

static void push_sizes(struct analysis *a, const struct copy_row *row, const struct sum *s,
                       struct arena *arena)
{
    for (size_t i = 0; i < COPY_SIZES; i++) {
        const struct size_sum *size = &s->sizes[i];
        if (!size->count)
            continue;
        double gbps = rate(size->bytes, size->ns);
        vec_push(&a->copy_sizes, arena,
                 ((struct copy_size_row){row->kind, (enum copy_size)i, size->count, size->bytes,
                                         size->ns, gbps, 100 * gbps / row->link_gbps}));
    }
}

static int by_duration(const void *x, const void *y)
{
    const struct copy_row *a = x, *b = y;
    if (a->total_duration_ns != b->total_duration_ns)
        return a->total_duration_ns < b->total_duration_ns ? 1 : -1;
    return a->kind < b->kind ? -1 : a->kind > b->kind;
}

static void run(struct analysis *a, struct arena *arena)
{
    struct arena *temporary = arena_scratch();
    struct copy_work job = {&a->view, arena_calloc(temporary, a->view.n_gpus, sizeof(*job.sums))};
    parallel_for(a->view.workers, a->view.n_gpus, sum_gpu, &job);
    struct sum total[COPY_KINDS] = {0};
    for (size_t kind = 0; kind < COPY_KINDS; kind++) {
        total[kind].slowest = NO_INDEX;
        for (size_t g = 0; g < a->view.n_gpus; g++) {
            const struct sum *from = &job.sums[g][kind];
            if (!from->count)
                continue;
            add_sum(&total[kind], from, &a->trace->copies);
            add_link(&total[kind], from, link_of(a, g, (enum copy_kind)kind));
        }
    }
    for (size_t kind = 0; kind < COPY_KINDS; kind++)
        if (total[kind].count)
            vec_push(&a->copies, arena, make_row(a, total, (enum copy_kind)kind));
    if (a->copies.n)
        qsort(a->copies.v, a->copies.n, sizeof(*a->copies.v), by_duration);
    for (size_t i = 0; i < a->copies.n; i++)
        push_sizes(a, &a->copies.v[i], &total[a->copies.v[i].kind], arena);
    arena_release(temporary);
}

#define R struct copy_row
static const struct field row_fields[] = {
    FIELD_AS(R, kind, FIELD_ENUM, "direction", "direction", NO_UNIT,
             "from the record and the devices at both ends; a copy between GPUs is Peer-to-Peer",
             .words = copy_directions),
    FIELD(R, count, FIELD_U64, "copies", NO_UNIT, "number of copies that touch the window"),
    FIELD(R, total_bytes, FIELD_U64, "bytes", IN_BYTES, "sum of the sizes that are known"),
    FIELD(R, total_duration_ns, FIELD_I64, "total", IN_NS,
          "sum over GPUs of the union of the copies in the window"),
    FIELD(R, avg_bytes, FIELD_NUM, "mean size", IN_BYTES,
          "total_bytes / number of copies of known size"),
    FIELD(R, avg_duration_ns, FIELD_NUM, "mean", IN_NS,
          "plain sum of the copies' whole durations / count"),
    FIELD(
        R, bandwidth_gbps, FIELD_NUM, "bandwidth", IN_GBPS,
        "total_bytes / plain sum of the whole durations of copies of known size; 10^9 bytes per s"),
    FIELD(
        R, link_gbps, FIELD_NUM, "link", IN_GBPS,
        "peak of the link used, one direction: to the host as the trace gives it, else the GPU's "
        "PCIe or C2C; between GPUs one xGMI or NVLink; inside a GPU half its memory bandwidth, for "
        "every byte is read and written; memset all of it; weighted by bytes where GPUs differ"),
    FIELD(R, efficiency_pct, FIELD_NUM, "of link", IN_PERCENT, "100 x bandwidth_gbps / link_gbps"),
    FIELD(
        R, exposed_ns, FIELD_I64, "exposed", IN_NS,
        "time of the ledger in which such a copy runs and no kernel does; copies inside a GPU, of "
        "unknown direction and between hosts and runtime copy kernels share one cause, which is "
        "given to the first of these rows"),
    FIELD(R, pageable_pct, FIELD_NUM, "pageable", IN_PERCENT,
          "100 x copies from or to pageable host memory / copies whose host memory is known"),
    FIELD(R, slowest, FIELD_U32, "slowest", NO_UNIT,
          "row of the copy with the lowest bandwidth among those of 1 MiB or more, else among all; "
          "4294967295 where no size is known"),
};
#undef R

#define R struct copy_size_row
static const struct field size_fields[] = {
    FIELD_AS(R, kind, FIELD_ENUM, "direction", "direction", NO_UNIT, "as in copies",
             .words = copy_directions),
    FIELD(R, size_class, FIELD_ENUM, "size", NO_UNIT,
          "copies of at least the first and less than the second", .words = copy_size_labels),
    FIELD(R, count, FIELD_U64, "copies", NO_UNIT, "number of copies of this size"),
    FIELD(R, bytes, FIELD_U64, "bytes", IN_BYTES, "sum of their sizes"),
    FIELD(R, duration_ns, FIELD_I64, "total", IN_NS, "plain sum of their whole durations"),
    FIELD(R, bandwidth_gbps, FIELD_NUM, "bandwidth", IN_GBPS, "bytes / duration_ns"),
    FIELD(R, efficiency_pct, FIELD_NUM, "of link", IN_PERCENT,
          "100 x bandwidth_gbps / link_gbps of the direction"),
};
#undef R

const struct fields copy_fields =
    FIELDS("copies", "copies by direction, most time first", struct copy_row, row_fields);
static const struct fields sizes_table = FIELDS(
    "copy_sizes", "copies of known size by direction and size", struct copy_size_row, size_fields);

const struct analysis_kind analysis_copies = {
    .name = "copies",
    .doc = "How much data moves in which direction, how fast, compared with the link it used, and "
           "how much of it the GPU waits for. Bandwidth uses whole copies, also where the window "
           "cuts one, because the bytes inside the window are not known.",
    .run = run,
    .tables =
        ANALYSIS_TABLES(ANALYSIS_ROWS(copy_fields, copies), ANALYSIS_ROWS(sizes_table, copy_sizes)),
};
