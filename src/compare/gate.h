/*
 * Gate: conditions that fail a build.
 *
 *     struct gate gate = {0};
 *     if (!gate_parse(&gate, "wall>5%,idle>10ms", arena, err))
 *         return false;
 *     gate_run(&gate, &comparison, arena);
 *     if (gate.failed) ...
 *
 * METRIC OP LIMIT: OP is > >= < <=. A limit with % is the change from A to B ("wall>5%": B is more
 * than 5 % slower), any other is B's own value ("idle>10ms", "launches>5000", "busy_pct<80").
 * Metrics that are percentages themselves always are B's own. A change within noise never fails.
 * When the runs are not comparable, conditions on changes fail: nobody can say that they hold.
 */
#ifndef GS_COMPARE_GATE_H
#define GS_COMPARE_GATE_H

#include "base/err.h"
#include "compare/compare.h"

/* What a metric is about. */
enum gate_subject {
    GATE_CAUSE, /* of the ledger, by its key */
    GATE_WALL,
    GATE_WINDOW,
    GATE_KERNEL_TIME,
    GATE_KERNEL, /* those of a name */
    GATE_BUSY,
    GATE_BUSY_PCT,
    GATE_IDLE,
    GATE_IDLE_PCT,
    GATE_COPY,
    GATE_COPY_BYTES,
    GATE_LAUNCHES,
    GATE_LAUNCH_LATENCY,
    GATE_ALLOCATIONS,
    GATE_PEAK_MEMORY,
};

struct gate_metric {
    const char *key, *doc;
    enum unit unit;
    enum gate_subject subject;
};

struct gate_condition {
    const char *text;   /* as given */
    const char *metric; /* key; "kernel" for kernels */
    enum gate_subject subject;
    const char *kernel; /* part of a kernel's name, or NULL */
    const char *op;
    enum unit unit;
    double limit; /* ns, bytes, count or percent */
    bool relative;
    /* filled by gate_run(): */
    double a, b, change_pct, noise_pct;
    bool known, failed;
    const char *message; /* one sentence */
};

struct gate {
    VEC(struct gate_condition) conditions;
    size_t failed;
};

/* Adds the conditions of a text, divided by commas. GS_E_USAGE when it makes no sense. */
bool gate_parse(struct gate *g, const char *text, struct arena *arena, struct gs_error *err);
void gate_run(struct gate *g, const struct comparison *c, struct arena *arena);

extern const struct fields gate_fields;

#endif
