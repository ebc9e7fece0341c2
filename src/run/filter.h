/*
 * Filters: the part of a trace that a command looks at. One definition for all commands; docs/filters.md
 * is the manual.
 *
 * A filter names a property of rows. Work of the GPU (kernels, copies and what hangs on them) that does
 * not have it is taken out of the trace; host calls stay, unless the filter is about them (thread,
 * category, marker, process, rank, window). filter_rows() leaves a trace that holds only the rows that
 * are left: all commands that show rows work on that. Analyses take windows, GPUs and processes
 * through their view (analyze/view.h), which cuts rows at the edges, and have the rest done here;
 * where work was taken out, its time is kept as left_out, so that nobody takes it for idle time of
 * any known cause.
 */
#ifndef GS_RUN_FILTER_H
#define GS_RUN_FILTER_H

#include "analyze/view.h"
#include "base/err.h"
#include "base/opt.h"

/*
 * Patterns: "/regex/" is an extended regular expression, one with * or ? is for the whole text,
 * any other is a part of it; "!" in front takes those that do not match. Lists are repeated options;
 * one that matches is enough, and none with "!" may.
 */
struct filter_opts {
    struct opt_list kernels;          /* by name */
    struct opt_list markers;          /* by text: what was launched or called inside these ranges */
    struct opt_list streams, threads; /* ids, or patterns of names; also divided by commas */
    struct opt_list categories; /* kinds of events (filter_parse.c), divided by commas as well */
    const char *start, *end;    /* rocpd's: moments as in windows */
    const char *start_marker, *end_marker;
    const char *inclusive; /* "true", "false"; NULL: what touches the window */
};

struct run_opts;

/* Whether any is given; windows, GPUs, processes and ranks of run_opts are not looked at. */
bool filter_any(const struct filter_opts *f);

/* The window of a run, by any of the options; view->has_window says whether there is one. */
bool filter_window(struct view_opts *view, const struct trace *t, const struct run_opts *o,
                   struct gs_error *err);

/*
 * Takes rows out of the trace: all filters, windows, GPUs, processes and ranks too. *only gets what is
 * left in words ("kernels matching 'gemm'"), NULL: everything.
 */
bool filter_rows(struct trace *t, const struct run_opts *o, const char **only, struct arena *a,
                 struct gs_error *err);

/*
 * The same without what a view does. view->left_out is what ran on the GPUs and was taken out;
 * view->kernel_wait_ns is rearranged with the kernels.
 */
bool filter_for_view(struct trace *t, const struct run_opts *o, struct view_opts *view,
                     const char **only, struct arena *a, struct gs_error *err);

#endif
