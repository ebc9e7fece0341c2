/*
 * The ledger: every nanosecond of every GPU in the window has exactly one cause.
 *
 * Integers; per GPU the causes add up to the window (without pauses of the recording, which are
 * outside of it), over all GPUs to GPUs x window. Work wins over
 * communication, that over copies, and what is left are gaps. A gap is explained by what the
 * thread that launched the next piece of work was doing (by correlation, not by guess).
 * ledger.def says what each cause means.
 *
 * A finding may only claim time that stands here.
 */
#ifndef GS_ANALYZE_LEDGER_H
#define GS_ANALYZE_LEDGER_H

#include "analyze/view.h"

enum cause {
#define CAUSE(id, key, label, kind, doc) CAUSE_##id,
#include "analyze/ledger.def"
#undef CAUSE
    CAUSES
};

enum cause_kind { CAUSE_WORK, CAUSE_EXPOSED, CAUSE_IDLE };

struct cause_info {
    const char *key, *label;
    enum cause_kind kind;
    const char *doc;
};

const struct cause_info *cause_info(enum cause c);

/* Stretches without any API shorter than this are part of launching. */
#define LEDGER_SHORT_HOST_NS 50000

/*
 * Host work behind a wait is the wait's fault as far as the work waited for could have hidden it
 * (or as far as it is short); longer stretches than this are host work in their own right.
 */
#define LEDGER_SYNC_HOST_NS 250000

/* A launching call this long beside an idle GPU loads code, when it is a first use. */
#define LEDGER_LOAD_NS 1000000

/*
 * Work that was submitted reaches an idle GPU in this time; a gap that is longer waits for something
 * else.
 */
#define LEDGER_QUEUE_NS 50000

enum { GAP_BUCKETS = 6, TOP_GAPS = 16 };

/* A stretch in which one GPU does nothing. */
struct gap {
    int64_t start_ns, end_ns;
    uint32_t gpu;         /* slot of the view */
    uint32_t next_kernel; /* kernels row that ends it, or NO_INDEX (a copy, or the end) */
    int64_t ns[CAUSES];   /* how it is explained */
};

struct gap_bucket {
    uint64_t count;
    int64_t total_ns;
    int64_t ns[CAUSES];
};

/* Idle time put down to one thing: a call, or (NO_INDEX) what the thread did between two calls. */
struct gap_part {
    enum cause cause;
    uint32_t thread; /* of the view */
    uint32_t call;   /* regions row, or NO_INDEX */
    int64_t start_ns, end_ns;
};

/* A stretch of a gap as long as many calls: outer calls [first, end) of a thread, all of each. */
struct gap_cover {
    uint32_t thread; /* of the view */
    uint32_t first, end;
    bool drained; /* gap_host_ns() says what is the host's of the stretches before each call */
    int64_t hidden_ns;
};

/* Parts of gaps of several GPUs, one GPU after the other. */
struct gap_list {
    VEC(struct gap_part) parts;
    VEC(struct gap_cover) covers;
    struct arena *arena;
};

/* Where those of a GPU are: in order of time. */
struct gap_range {
    const struct gap_list *list;
    size_t first, n;
    size_t first_cover, n_covers;
};

struct ledger_gpu {
    int64_t ns[CAUSES];
    int64_t busy_ns;           /* anything running: kernels or copies */
    int64_t kernel_ns;         /* union of all kernels */
    int64_t copy_ns;           /* union of all copies, exposed or not */
    int64_t comm_ns;           /* union of all collectives */
    int64_t comm_hidden_ns;    /* of it, under compute */
    int64_t left_out_ns;       /* work that a filter took out and nothing else: in unknown */
    int64_t kernel_sum_ns;     /* plain sum of durations: shows concurrency */
    int64_t first_ns, last_ns; /* first start and last end of work; window bounds when none */
    struct gap_bucket buckets[GAP_BUCKETS]; /* gaps between work, not start-up and tail */
    struct gap top[TOP_GAPS];               /* the longest, longest first */
    size_t n_top;
    uint64_t n_gaps;
    double gap_sq[CAUSES];      /* sum over gaps of ns squared, by cause: how irregular they are */
    uint64_t gap_count[CAUSES]; /* gaps that the cause has a part in */
};

struct ledger {
    int64_t window_ns; /* without pauses of the recording */
    size_t n_gpus;
    int64_t ns[CAUSES];  /* over all GPUs */
    int64_t left_out_ns; /* likewise */
    struct ledger_gpu *gpus;
    struct gap_range *host; /* by GPU: what of CAUSE_HOST and CAUSE_HOST_IO is known; or NULL */
};

/* With `host`, the parts of gaps that the host is to blame for are kept: host_time.h names them. */
void ledger_make(struct ledger *l, const struct view *v, bool host, struct arena *a);

typedef void gap_fn(void *ctx, const struct gap *gap);

/* Tells of every gap between two pieces of work, GPU by GPU in order of time. */
void ledger_gaps(const struct view *v, gap_fn *tell, void *ctx);

/* Upper bounds of the buckets as text: "<10us", ..., ">100ms". */
const char *gap_bucket_label(size_t bucket);

#endif
