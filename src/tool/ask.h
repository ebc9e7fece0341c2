/*
 * For the files of tools: what a call is given, and how lists are answered.
 */
#ifndef GS_TOOL_ASK_H
#define GS_TOOL_ASK_H

#include "compare/profile.h"
#include "depend/whatif.h"
#include "tool/tool.h"

/* Every argument that any tool takes; a tool's params name those it has. */
struct tool_args {
    const char *trace, *before, *after;
    const char *window;
    bool has_start, has_end, has_phase;
    int64_t start_ns, end_ns;
    uint64_t phase;
    bool has_limit, has_phases;
    uint64_t limit, max_phases;
    const char *cursor;
    const char *id, *name, *kind, *term, *table, *sql, *priority, *contains, *format, *sections,
        *columns;
    struct opt_list goals, profilers, app;
    const char *gpu, *source_dir, *folder;
    struct opt_list kernels, remove;
    const char *graph_range, *overlap, *merge, *fuse, *link, *host, *rank;
    bool graph, pinned, prefetch, stay;
    uint64_t streams;
};

/* What every answer about a trace begins with; the first member of results. */
struct tool_head {
    const char *trace; /* its id */
    int64_t start_ns, end_ns;
    uint64_t total; /* rows of the paged list */
    const char *next_cursor;
};

/* A list of the result: where its rows and their number stand, and all that there are. */
struct tool_list {
    void *v;
    size_t *n;
    size_t row_size;
    char *all;
    size_t total;
};

struct tool_ask {
    struct tool_box *box;
    const struct tool *tool;
    struct tool_args args;
    struct arena *arena;
    struct run *run;             /* NULL: the tool needs none */
    const char *id;              /* of it */
    const struct analysis *a;    /* of the part asked for; of the whole run without one */
    struct tool_head *head;      /* of the result; NULL: it has none */
    const struct fields *result; /* instead of the tool's, where columns are known only now */
    VEC(struct tool_list) lists;
    size_t first; /* row that the page begins with */
    size_t limit; /* rows of a page */
};

/* Fills in the head of a result, for calls that make one. */
void tool_head_set(struct tool_ask *ask, struct tool_head *head);

/*
 * Gives a list of the result its rows: as many as a page holds. The first one of a call is the
 * paged one; of others the first rows are shown.
 *
 *     tool_rows(ask, &doc->kernels, rows, n);
 */
#define tool_rows(ask, list, rows, count)                                                          \
    tool_rows_((ask), (list), sizeof(*(list)->v), (void *)(rows), (count))
void tool_table_rows(struct tool_ask *ask, struct result *r); /* the same, of a table */
void tool_rows_(struct tool_ask *ask, void *list, size_t row_size, void *rows, size_t n);

/* The part of the run that is asked for, or all of it; NULL: see err. */
const struct analysis *tool_part(struct tool_ask *ask, struct gs_error *err);

/* Fails unless the path is below the roots of the box; returns it without links. */
const char *tool_path(struct tool_box *box, const char *path, struct arena *arena,
                      struct gs_error *err);

/* The run of an argument; with NULL the only one, or that which was named last. */
struct run *tool_run(struct tool_box *box, const char *trace, const char **id,
                     struct gs_error *err);

const struct tool_box_opts *tool_box_settings(const struct tool_box *box);

/* What 'compare' needs of a run of the box, made once. */
const struct run_profile *tool_profile(struct tool_box *box, const struct run *run);

/* Room for 'whatif', made once. */
struct whatif_room *tool_room(struct tool_box *box, const struct run *run);

/* What SQL found out about its rows. */
struct query_kept;
struct query_kept *tool_kept(struct tool_box *box, const struct run *run);
struct summary *tool_run_summary(struct tool_box *box, const struct run *run);

/*
 * Answers are kept with their run, until it goes or changes. True: `out` is what this tool has
 * answered to these arguments before.
 */
bool tool_given(struct tool_box *box, const struct run *run, const struct tool *tool,
                const char *args, size_t n, struct str *out);
void tool_give(struct tool_box *box, const struct run *run, const struct tool *tool,
               const char *args, size_t n, const struct str *answer);

/* Everything loaded so far, in order of ids. */
struct tool_loaded {
    const char *id, *path;
    const struct run *run;
};
struct tool_loaded_list {
    struct tool_loaded *v;
    size_t n, cap;
};
void tool_box_list(const struct tool_box *box, struct tool_loaded_list *out, struct arena *arena);

/* ---- args.c ---- */

bool tool_args_read(struct tool_args *out, const struct fields *params, const char *json,
                    size_t len, struct arena *arena, struct gs_error *err);

/* ---- parts of params and results that tools share ---- */

#define P(member, type, doc, ...)                                                                  \
    IF_ANY(struct tool_args, member, type, #member, doc, ##__VA_ARGS__)
#define P_NUMBER(member, flagged, doc, ...)                                                        \
    IF_ANY(struct tool_args, member, FIELD_U64, #member, doc,                                      \
           .flag = FLAG(struct tool_args, flagged), ##__VA_ARGS__)
#define P_TRACE                                                                                    \
    P(trace, FIELD_TEXT,                                                                           \
      "file or folder of a trace, or the id of one that is loaded (t1); not needed when one is "   \
      "loaded: the last that was named is meant")
#define P_PART                                                                                     \
    IF_ANY(struct tool_args, start_ns, FIELD_I64, "start_ns",                                      \
           "only from this moment on, in the trace's clock",                                       \
           .flag = FLAG(struct tool_args, has_start)),                                             \
        IF_ANY(struct tool_args, end_ns, FIELD_I64, "end_ns", "only up to this moment",            \
               .flag = FLAG(struct tool_args, has_end)),                                           \
        P(window, FIELD_TEXT,                                                                      \
          "the same in words: '10%..90%', '1.5s..3s', 'marker:NAME', 'marker:A..marker:B'"),       \
        P_NUMBER(phase, has_phase, "only this phase, from 1", .least = "1")
#define P_PAGE                                                                                     \
    P_NUMBER(limit, has_limit, "rows of a list, 20 when not given, 1000 at most", .least = "1"),   \
        P(cursor, FIELD_TEXT, "next_cursor of the answer before: goes on there")

extern const struct fields tool_head_fields, tool_tables_fields, tool_params_part,
    tool_params_whole, tool_params_trace;
#define TOOL_HEAD(T) SPREAD(T, head, FIELD_OBJECT, &tool_head_fields)

struct tool_tables {
    struct tool_head head;
    struct results tables;
};
/* The tables with these keys (NULL at the end), in their order. */
void tool_tables_take(struct tool_tables *d, const char *const *keys, const struct analysis *a,
                      struct arena *arena);

#endif
