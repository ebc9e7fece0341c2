/*
 * Synth: traces made from a description, at any size, the same bytes every time.
 *
 *     struct program *p;
 *     if (!synth_parse(&p, text, len, arena, err) || !synth_set(p, "n=5000", err))
 *         ...
 *     struct synth_options o = {.seed = 1};
 *     struct truth *t = truth_new(arena);
 *     synth_run(p, &o, truth_sink(t), err);         exact totals
 *     synth_run(p, &o, rocpd_sink(...), err);       a file
 *
 * The simulator runs the description as often as the sink has passes; every pass sees the very
 * same records. What records there are is in sink.h, the language in docs/synth.md.
 *
 * Thread-safety: a program belongs to one thread at a time.
 */
#ifndef GS_SYNTH_SYNTH_H
#define GS_SYNTH_SYNTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "synth/ast.h"
#include "synth/sink.h"

struct synth_options {
    uint64_t seed;
    uint64_t max_events; /* 0: SYNTH_MAX_EVENTS */
    bool mpi_as_markers; /* MPI calls appear as markers, as rocprofv3 would show them */
    bool no_telemetry;   /* the profiler does not sample sensors */
};

#define SYNTH_MAX_EVENTS UINT64_C(500000000)

/* Errors name the line. The text is not needed afterwards. */
bool synth_parse(struct program **out, const char *text, size_t n, struct arena *a,
                 struct gs_error *err);

/* "name=expression" replaces the default of a parameter. */
bool synth_set(struct program *p, const char *assignment, struct gs_error *err);

bool synth_run(struct program *p, const struct synth_options *o, struct sink *sink,
               struct gs_error *err);

/* The descriptions built into the program; the list ends with a NULL name. */
struct scenario {
    const char *name, *text;
};
extern const struct scenario synth_scenarios[];
const struct scenario *scenario_find(const char *name); /* NULL: no such one */

#endif
