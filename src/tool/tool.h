/*
 * Tools: small exact questions about traces, for programs that talk. The agent, the MCP server and
 * the tests ask the same tools and get the same bytes.
 *
 * A tool is a const struct at the foot of a group's file and one line in tools.def. Its arguments
 * are a JSON object that `params` describes, its answer a JSON object that `result` describes, so
 * both have schemas. Answers are small: lists come in pages (limit, cursor), rows carry ids to ask
 * further with, and what would be larger than the bound of the box is cut at a row, never in one.
 * No tool computes what an analysis computes; none changes a file.
 *
 *     struct tool_box *box = tool_box_new(&(struct tool_box_opts){.threads = 2}, arena);
 *     tool_box_add(box, run);                        a run that is there already: "t1"
 *     struct tool_answer a = tool_call(box, "hotspots", "{\"limit\": 3}", 12, answers);
 *     a.json, a.len, a.is_error                      always a JSON object
 *
 * A box keeps the runs that it has loaded, each under an id (t1, t2, ...), and loads a path again
 * only when its files have changed. Errors are answers, too: {"error": ..., "code": ...}.
 *
 * Thread-safety: one call at a time for each box.
 */
#ifndef GS_TOOL_TOOL_H
#define GS_TOOL_TOOL_H

#include <stdatomic.h>

#include "base/progress.h"
#include "field/field.h"
#include "run/run.h"

enum { TOOL_ANSWER_BYTES = 100000, TOOL_RUNS = 8 };

struct tool_box_opts {
    struct opt_list roots; /* traces are read below these folders only; none: anywhere */
    int threads;
    const char *cache;         /* folder of loaded traces (cache/cache.h); NULL: none */
    size_t answer_bytes;       /* an answer is not larger; 0: TOOL_ANSWER_BYTES */
    size_t most_runs;          /* kept loaded, the longest unused goes first; 0: TOOL_RUNS */
    struct progress *progress; /* of loading, started by the caller; NULL: a bar of its own */
    bool whole_names;          /* SQL may not cut or encode texts: names in them are hidden */
    const char *source_dir;    /* looked at where a question is about source; NULL: none */
};

struct tool_box;

/* All of it belongs to the arena. */
struct tool_box *tool_box_new(const struct tool_box_opts *o, struct arena *arena);

/*
 * A run that the caller has made, with RUN_DEFAULTS, `replay` and findings. It must outlive the
 * box. Returns its id. Tools whose "trace" is not given look at the only run there is, or at this
 * one, when it was added last.
 */
const char *tool_box_add(struct tool_box *box, struct run *run);

struct tool_answer {
    const char *json; /* an object, on one line */
    size_t len;
    bool is_error;
};

/* `args` is a JSON object of `len` bytes; none at all is an empty one. The arena owns the answer. */
struct tool_answer tool_call(struct tool_box *box, const char *name, const char *args, size_t len,
                             struct arena *arena);

/* Files below the folders that may be traces, by their names; for completion. */
void tool_trace_files(struct opt_list *out, const struct opt_list *folders, struct arena *arena);

/* ---- what tools there are ---- */

enum tool_group {
    TOOL_OWN,         /* ours */
    TOOL_PERFADVISOR, /* PerfAdvisor's names and keys, for prompts that know them */
};

struct tool_ask;

struct tool {
    const char *name, *title;
    const char *description;     /* for a model: what it answers, when to ask it */
    const struct fields *params; /* of struct tool_args */
    const struct fields *result;
    /* Of the analysis: these tables are the answer; NULL at the end. The first list is paged. */
    const char *const *tables;
    /* For a part of the run: what has to be analyzed there; NULL: only whole runs. */
    const struct analysis_kind *const *kinds;
    enum tool_group group;
    bool needs_run;   /* ask->run is there */
    bool takes_sql;   /* a text of SQL is among its arguments, names as they are in tables */
    bool not_offered; /* to models that are asked about one run: of other files, or all of it */
    bool varies;      /* the same question may have another answer the next time */
    /* The row of `result`; NULL: see err. Not there where `tables` answer. */
    const void *(*call)(struct tool_ask *ask, struct gs_error *err);
};

#define TOOL(group, name) extern const struct tool tool_##name;
#include "tool/tools.def"
#undef TOOL

extern const struct tool *const tools[];        /* in the order of tools.def, NULL at the end */
const struct tool *tool_find(const char *name); /* '-', '_' and case aside; NULL: none */

/* JSON Schemas, into an object that is open. */
void tool_input_schema(struct jwrite *w, const struct tool *t);
void tool_output_schema(struct jwrite *w, const struct tool *t);

/* docs/tools.md. */
void tools_reference(struct str *out);

#endif
