/*
 * A view: the part of a trace that is analyzed, put into the orders that analyses need.
 *
 * Which GPUs and processes, which window of time; per GPU the kernels and copies by start; per
 * thread the host calls by start. Made once; all analyses read it.
 *
 * Durations below zero count as zero. Rows that only touch the window are in it with the part
 * inside; use view_clip().
 *
 * Thread-safety: read-only once made.
 */
#ifndef GS_ANALYZE_VIEW_H
#define GS_ANALYZE_VIEW_H

#include "analyze/api_class.h"
#include "analyze/intervals.h"
#include "analyze/name_groups.h"
#include "model/kernel_role.h"
#include "model/trace.h"

/* What a kernel does to the ledger. */
enum kernel_class { KERNEL_COMPUTE, KERNEL_COLLECTIVE, KERNEL_BLIT };

struct view_opts {
    bool has_window;
    int64_t start_ns, end_ns;
    int32_t gpu;     /* only this index of the trace's GPUs; -1: all */
    int64_t process; /* only this pid; -1: all */
    /* 1 + the place of the only process in the trace, for pids are unique on one host only; 0: any
     */
    uint32_t only_process;
    int threads;
    const uint32_t *kernel_wait_ns; /* by kernels row: waiting of a collective; NULL: not known */
    /* By GPU of the trace, and one for others: what ran there and was filtered out; NULL: nothing */
    const struct spans *left_out;
};

/* A GPU of the view, with its work in order of start. */
struct view_gpu {
    uint32_t gpu; /* index into trace.gpus; NO_INDEX: work on devices that are not listed */
    uint32_t *kernels, *copies;
    size_t n_kernels, n_copies;
    /* Of a slice: rows behind these that come after it, and whether any came before it. */
    size_t later_kernels, later_copies;
    bool has_earlier;
    const int64_t *kernels_until, *copies_until; /* see view_to_slice() */
    const struct spans *left_out;                /* see view_opts; NULL: nothing */
};

/*
 * A host thread: its calls by start (longer first at equal starts). The outer ones are the outermost
 * that are calls into a runtime, MPI or the system; those do not overlap. The others are functions of
 * the program and calls within calls. All of them in order: view_calls().
 */
struct view_thread {
    uint32_t *outer, *inner;
    size_t n_outer, n_inner;
    const int64_t *outer_until, *inner_until; /* see view_to_slice() */
};

static inline size_t view_thread_calls(const struct view_thread *th)
{
    return th->n_outer + th->n_inner;
}

struct view {
    const struct trace *trace;
    int64_t start_ns, end_ns; /* the window */
    struct view_gpu *gpus;
    size_t n_gpus;
    struct view_thread *threads; /* one for each thread of the trace, and one for calls without */
    size_t n_threads;
    uint32_t *outer;          /* the outer calls of all threads, thread by thread; NULL in slices */
    struct name_groups names; /* kernels by full name */
    const uint32_t *shapes;   /* of launches (shapes.h) */
    uint8_t *role;            /* by symbol: enum kernel_role */
    uint8_t *kernel_class;    /* by symbol */
    uint8_t *call_class;      /* by kind and name, see view_call_class() */
    uint32_t first_name;      /* the least string that is the name of a call */
    size_t n_names;           /* names of calls: from there to the largest one */
    uint8_t *first_use;       /* bits by regions row, see view_first_use() */
    uint8_t *first_kernel;    /* bits by kernels row: the first of its name in its process */
    size_t n_kernels, n_copies, n_calls; /* in the view */
    const uint32_t *kernel_wait_ns;      /* see view_opts */
    struct spans paused;                 /* nothing was recorded, see view_find_pauses() */
    int64_t *paused_before;              /* by pause: all those before it */
    int workers;
    bool is_slice; /* idle time at its ends is a gap like others, no start-up or tail */
};

/*
 * All kernels of the view (n_kernels rows), for sums in which order does not matter: with several
 * GPUs in order of rows, which reads the columns once and not once for each GPU.
 */
const uint32_t *kernel_rows(const struct view *v, struct arena *a);

void view_make(struct view *v, const struct trace *t, const struct view_opts *o, struct arena *a);
/* The same but for first uses: view_find_first_uses(), while others look at the view already. */
void view_begin(struct view *v, const struct trace *t, const struct view_opts *o, struct arena *a);

/*
 * The part of a view between two times: for the ledger of a phase or an iteration. Rows that began
 * before and still run are in it, those that had ended are not. It shares the memory of the view
 * where its rows lie together. A row of no length just at its end is in what follows, unless the run
 * ends there; a window has those at both of its ends.
 *
 * A slice looks at all rows before it. Of what view_to_slice() made it need not: several slices of
 * that cost about as much as one more pass over the run.
 */
void view_to_slice(struct view *out, const struct view *v, struct arena *a);
void view_slice(struct view *out, const struct view *v, int64_t start_ns, int64_t end_ns,
                struct arena *a);

/* The name of a call as a number below n_names, and its text. */
static inline uint32_t view_call_name(const struct view *v, uint32_t call)
{
    return v->trace->regions.name[call] - v->first_name;
}

static inline const char *view_name_text(const struct view *v, size_t name)
{
    return trace_str(v->trace, v->first_name + (uint32_t)name);
}

/* Where what is known of calls of this kind and name stands, in REGION_KINDS * n_names places. */
static inline size_t view_call_place(const struct view *v, uint32_t call)
{
    return (size_t)v->trace->regions.kind[call] * v->n_names + view_call_name(v, call);
}

static inline enum api_class view_call_class(const struct view *v, uint32_t call)
{
    return (enum api_class)v->call_class[view_call_place(v, call)];
}

/* When any of some rows lasts, within the view; rows are in order of start. */
void view_spans_of(struct spans *out, const struct view *v, const uint32_t *rows, size_t n,
                   const int64_t *start_ns, const int64_t *end_ns, struct arena *a);

/* When any of the view's GPUs works, within the view. The arena keeps it. */
void view_busy_spans(struct spans *out, const struct view *v, struct arena *a);

/* Time in calls of these classes (1u << API_SYNC ...), outermost ones; threads together count once. */
int64_t view_call_time(const struct view *v, unsigned classes);

/*
 * An outer call that uses something for the first time: it holds the first dispatch of a kernel or
 * the first launch of a graph, or it loads code or starts the runtime.
 */
static inline bool view_first_use(const struct view *v, uint32_t call)
{
    return v->first_use[call / 8] >> call % 8 & 1;
}

static inline bool view_first_kernel(const struct view *v, uint32_t kernel)
{
    return v->first_kernel[kernel / 8] >> kernel % 8 & 1;
}

/* view_first.c; part of view_make(): causes of gaps and replays ask for it, no time depends on it. */
void view_find_first_uses(struct view *v, struct arena *a);

/*
 * view_paused.c; part of view_make(). Moments of the window in which the program had told the
 * profiler to record nothing: outside of all accounts.
 */
void view_find_pauses(struct view *v, struct arena *a);

/* The first of v->paused that ends after a moment; v->paused.n: none does. */
size_t view_next_pause(const struct view *v, int64_t at);

/* How much of [start, end) was not recorded. */
int64_t view_paused(const struct view *v, int64_t start, int64_t end);

/*
 * The calls of a thread in order, outer ones and others.
 *
 *     struct view_calls c = view_calls(v, thread);
 *     while (view_next_call(&c, &call))
 *         visit(call);
 */
struct view_calls {
    const struct regions *r;
    struct view_thread left;
};
struct view_calls view_calls(const struct view *v, size_t thread);
bool view_next_call(struct view_calls *c, uint32_t *call);
/* The same as a list, of view_thread_calls(). */
uint32_t *view_calls_list(const struct view *v, size_t thread, struct arena *a);

/* Whether the process of a thread is looked at. */
bool view_has_thread(const struct trace *t, size_t thread, const struct view_opts *o);

/* The part of [start, end) inside the window; empty spans come out as zero-length. */
static inline struct span view_clip(const struct view *v, int64_t start, int64_t end)
{
    struct span s = {start < v->start_ns ? v->start_ns : start, end > v->end_ns ? v->end_ns : end};
    if (s.end < s.start)
        s.end = s.start;
    return s;
}

static inline int64_t view_window(const struct view *v)
{
    return v->end_ns - v->start_ns;
}

/*
 * Recorded time from the start of the window to a moment in it, clipped to it: a clock that stands
 * still in pauses. And the moment at which it shows so much, the last one where it stood still.
 */
int64_t view_elapsed(const struct view *v, int64_t ns);
int64_t view_moment(const struct view *v, int64_t elapsed);

/* The window without pauses of the recording: what there is to account for. */
static inline int64_t view_recorded(const struct view *v)
{
    return view_window(v) - (v->paused.n ? view_paused(v, v->start_ns, v->end_ns) : 0);
}

#endif
