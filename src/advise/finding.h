/*
 * Findings: what is wrong, what it costs, how sure we are, what to do.
 *
 * A rule looks at the analysis and fills a finding with the functions below. It claims time from
 * the ledger, cause by cause; advise() then grants claims, largest gain first, and no nanosecond is
 * granted twice. Gains, shares, speed-ups and priorities are worked out from what was granted, so a
 * rule states facts and never a priority.
 *
 * Texts live in the finding's arena. Text from traces may be passed as an argument, never as a
 * format.
 */
#ifndef GS_ADVISE_FINDING_H
#define GS_ADVISE_FINDING_H

#include "analyze/analysis.h"
#include "depend/predict.h"
#include "model/priority.h"
#include "model/profiler.h"

/* PerfAdvisor's words, and two of our own. */
enum bottleneck {
    BOTTLENECK_COMPUTE,       /* compute_bound */
    BOTTLENECK_MEMORY,        /* memory_bound */
    BOTTLENECK_MPI_LATENCY,   /* mpi_latency */
    BOTTLENECK_MPI_IMBALANCE, /* mpi_imbalance */
    BOTTLENECK_LAUNCH,        /* cpu_launch_overhead */
    BOTTLENECK_SYNC,          /* synchronization */
    BOTTLENECK_IO,            /* io */
    BOTTLENECK_OTHER,         /* other */
    BOTTLENECK_TRANSFER,      /* transfer_bound: the link between host and device */
    BOTTLENECK_HOST,          /* idle_host: the GPU is starved by its host */
};

enum predictor {
    PREDICTED_NOT,
    PREDICTED_REPLAY, /* the graph was replayed with the change */
    PREDICTED_AMDAHL, /* by the share of time it claims */
};

enum action_category { ACTION_RUNTIME, ACTION_LAUNCH, ACTION_CODE, ACTION_ALGORITHM };

/* By value, NULL at the end. */
extern const char *const bottleneck_names[], *const action_category_names[];

const char *bottleneck_name(enum bottleneck b); /* "transfer_bound" */
const char *prediction_name(enum predictor p);  /* "replay", "amdahl"; NULL: none */

/* A fact a person can check: a number with its threshold, or a place in the trace. */
struct evidence {
    const char *text;        /* "median kernel 3.2 us, threshold 10 us" */
    const char *metric;      /* path of the number in the JSON, or NULL */
    double value, threshold; /* NaN where there is none */
    enum unit unit;
    bool has_range;
    int64_t start_ns, end_ns;
    int32_t gpu;         /* index users know; -1 none */
    int64_t id;          /* dispatch, copy or region id as the profiler numbers it; -1 none */
    const char *id_kind; /* "dispatch", "copy", "region"; NULL none */
};

struct command_arg {
    const char *name, *value; /* value NULL: a flag's argument is absent */
};

struct profiler_command {
    enum profiler profiler;
    const char *tool; /* its program, and the word that must follow: "nsys profile" */
    const char *description, *full_command;
    VEC(const char *) flags;
    VEC(struct command_arg) args;
};

struct rule;

struct finding {
    const struct rule *rule;
    const char *id; /* "ROCPD-MEMCPY-001" */
    const char *title, *issue, *suggestion, *scope;
    const char *kernel; /* short name of the one that it is about; NULL: not about one */
    const char *category;
    enum priority priority;
    enum bottleneck bottleneck;
    enum action_category action_category;
    int64_t claim[CAUSES]; /* asked for */
    int64_t granted[CAUSES];
    int64_t claimed_ns; /* sum of granted */
    double gain;        /* share of the claim that doing something about it may win, 0 to 1 */
    double runtime_fraction_pct; /* claimed of window x GPUs */
    /* How much faster the run gets, at least and at most: by replay, else by Amdahl with half and
     * all of what may be won of the claim removed; NaN: unbounded. */
    double speedup_lower_pct, speedup_upper_pct;
    bool shares; /* its claim is a part of what its change would win alone: no more is promised */
    struct change *change; /* what its advice comes to; NULL: cannot be replayed */
    enum predictor predicted_by;
    int64_t recorded_ns; /* the time that the prediction is about */
    int64_t predicted_ns, predicted_low_ns, predicted_high_ns; /* after the advice was followed */
    double predicted_speedup;                                  /* recorded / predicted */
    const char *next_limit;    /* the largest part of the critical path then; NULL: not known */
    const char *predicted_why; /* what makes it an interval; "" or NULL: nothing said */
    double confidence;         /* 0 to 1 */
    const char *confidence_reason;
    double win_pct;  /* what is claimed x gain, of the time between first and last GPU work */
    bool no_promise; /* what can be won is not known: nothing is predicted */
    bool advisory;   /* claims nothing on purpose: INFO */
    bool once;       /* paid once a run: judged against the whole window, LOW at most */
    VEC(struct evidence) evidence;
    VEC(const char *) actions;
    VEC(struct profiler_command) commands;
    const struct analysis *analysis;
    const struct beside *beside; /* source and thread traces, or NULL */
    struct arena *arena;
    struct kernel_scales *scales; /* gain.c: factors of kernels; NULL: none */
};

/* ---- what a rule says ---- */

void finding_issue(struct finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void finding_suggest(struct finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void finding_scope(struct finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void finding_scope_kernel(struct finding *f, const char *short_name);
void finding_action(struct finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void finding_claim(struct finding *f, enum cause cause, int64_t ns);
void finding_sure(struct finding *f, double confidence, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * The change that following the advice comes to, for a replay (depend/replay.h): made by the first
 * call, without effect, for the rule to fill in. A rule that calls it never promises more than the
 * replay finds.
 */
struct change *finding_change(struct finding *f);
/* How far the factors of kernels that rules estimate may be off. */
#define SCALE_DOUBT 0.3
/* The kernels of this name (string) take `factor` of their time. */
void finding_change_kernel(struct finding *f, uint32_t name_id, double factor);

/* A number that decided, with the threshold it was held against (NaN: none). */
void finding_because(struct finding *f, const char *metric, double value, double threshold,
                     enum unit unit, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* A place in the trace. */
void finding_at_kernel(struct finding *f, uint32_t kernel, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void finding_at_copy(struct finding *f, uint32_t copy, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void finding_at_call(struct finding *f, uint32_t call, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The longest gaps whose main cause is this one; at most three. */
void finding_at_gaps(struct finding *f, enum cause cause);

/* ---- what it wins (gain.c) ---- */

/*
 * Predicts the time after each finding's advice, several at once: first what is likely, which puts
 * findings in order, then at worst and at best, and the time after several pieces of advice together
 * (NULL: not asked; nothing in it but recorded_ns, predicted_ns and speedup).
 */
struct predictions;
struct predictions *findings_likely(struct finding *const *v, size_t n, int workers,
                                    struct arena *temporary);
void findings_predict(struct predictions *of, const struct change *together,
                      struct prediction *after);
/* Without a replay: by the share of the time that is claimed. */
void finding_by_share(struct finding *f);
/* What the changes of all these come to together; NULL when none has one. */
const struct change *findings_together(struct finding *const *v, size_t n, struct arena *arena);

/* ---- commands (commands.c) ---- */

/*
 * Further captures that would help, in the words of the trace's vendor. What the trace already
 * has is not asked for again; a command with nothing left to capture is dropped. `kernel` (a full
 * name, may be NULL) restricts it to one kernel.
 */
void finding_capture_trace(struct finding *f, const char *why); /* host calls, copies, kernels */
void finding_capture_host(struct finding *f, const char *why);  /* call stacks on the host */
void finding_capture_kernel(struct finding *f, const char *kernel, const char *why); /* in depth */
void finding_capture_counters(struct finding *f, const char *const *counters, const char *kernel,
                              const char *why); /* NULL-terminated; split into passes */

/* Words that follow the vendor of the trace. */
struct vendor_words {
    const char *cu, *wave, *lds, *group, *runtime;
    const char *graph, *pinned_alloc, *async_copy, *malloc_async, *sync, *library;
};
const struct vendor_words *vendor_words(const struct trace *t);
bool trace_is_nvidia(const struct trace *t);

#endif
