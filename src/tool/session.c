/* What can be looked at, and what a trace holds. */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/str.h"
#include "report/trust.h"
#include "tool/ask.h"

/* ---- traces ---- */

enum { FILES_MOST = 2000, FOLDERS_MOST = 2000, DEPTH_MOST = 6 };

struct file_row {
    const char *path;
    int64_t bytes;
};

struct traces_doc {
    struct tool_head head;
    VEC(struct file_row) files;
    VEC(struct tool_loaded) loaded;
    struct opt_list folders;
    bool cut;
};

struct walk {
    struct arena *arena;
    VEC(struct file_row) files;
    size_t folders;
    bool cut;
};

static bool may_be_trace(const char *name)
{
    static const char *const ends[] = {".db",     ".sqlite", ".sqlite3",  ".rpd",
                                       ".rpd.gz", ".json",   ".json.gz",  ".json.zst",
                                       ".db.gz",  ".db.zst", "_trace.csv"};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (str_ends(name, ends[i]))
            return true;
    return false;
}

static int by_path(const void *x, const void *y)
{
    return strcmp(((const struct file_row *)x)->path, ((const struct file_row *)y)->path);
}

/* Links are not followed: what they lead to has a name of its own. */
static void walk_folder(struct walk *w, const char *dir, int depth)
{
    DIR *d = depth > DEPTH_MOST || w->folders++ > FOLDERS_MOST ? NULL : opendir(dir);
    w->cut |= !d && (depth > DEPTH_MOST || w->folders > FOLDERS_MOST);
    VEC(const char *) below = {0};
    for (const struct dirent *e; d && (e = readdir(d)) != NULL;) {
        struct stat st;
        if (*e->d_name == '.')
            continue;
        const char *path = arena_printf(w->arena, "%s/%s", dir, e->d_name);
        if (lstat(path, &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode))
            vec_push(&below, w->arena, path);
        if (!S_ISREG(st.st_mode) || !may_be_trace(e->d_name))
            continue;
        w->cut |= w->files.n >= FILES_MOST;
        if (w->files.n < FILES_MOST)
            vec_push(&w->files, w->arena, ((struct file_row){path, st.st_size}));
    }
    if (d)
        closedir(d);
    for (size_t i = 0; i < below.n; i++)
        walk_folder(w, below.v[i], depth + 1);
}

static void walk_all(struct walk *w, const struct opt_list *folders)
{
    for (size_t i = 0; i < folders->n; i++)
        if (fs_is_dir(folders->v[i]))
            walk_folder(w, folders->v[i], 0);
        else if (fs_is_file(folders->v[i]))
            vec_push(&w->files, w->arena,
                     ((struct file_row){folders->v[i], fs_size(folders->v[i])}));
    if (w->files.n)
        qsort(w->files.v, w->files.n, sizeof(*w->files.v), by_path);
}

void tool_trace_files(struct opt_list *out, const struct opt_list *folders, struct arena *arena)
{
    struct walk w = {.arena = arena};
    walk_all(&w, folders);
    for (size_t i = 0; i < w.files.n; i++)
        vec_push(out, arena, w.files.v[i].path);
}

static const void *call_traces(struct tool_ask *ask, struct gs_error *err)
{
    struct traces_doc *d = arena_new(ask->arena, struct traces_doc);
    struct tool_loaded_list loaded = {0};
    struct walk w = {.arena = ask->arena};
    (void)err;
    tool_head_set(ask, &d->head);
    d->folders = tool_box_settings(ask->box)->roots;
    walk_all(&w, &d->folders);
    tool_box_list(ask->box, &loaded, ask->arena);
    tool_rows(ask, &d->files, w.files.v, w.files.n);
    tool_rows(ask, &d->loaded, loaded.v, loaded.n);
    d->cut = w.cut;
    return d;
}

#define T struct file_row
PART(file_fields, T, ALWAYS(T, path, FIELD_TEXT, "path", "give this as 'trace'"),
     ALWAYS(T, bytes, FIELD_I64, "bytes", "its size"));
#undef T
#define T struct tool_loaded
PART(loaded_fields, T, ALWAYS(T, id, FIELD_TEXT, "id", "give this as 'trace'"),
     ALWAYS(T, path, FIELD_TEXT, "path", "of the file or folder"));
#undef T
#define T struct traces_doc
PART(page_fields, struct tool_head,
     ALWAYS(struct tool_head, total, FIELD_U64, "total", "files, on all pages"),
     OR_NULL(struct tool_head, next_cursor, FIELD_TEXT, "next_cursor",
             "cursor of the next page; null: no more"));
PART(traces_result, T, SPREAD(T, head, FIELD_OBJECT, &page_fields),
     ALWAYS(T, files, FIELD_LIST, "files", "that may be traces, by their names",
            .of = &file_fields),
     ALWAYS(T, loaded, FIELD_LIST, "loaded", "traces that are in memory", .of = &loaded_fields),
     ALWAYS(T, folders, FIELD_LIST, "folders", "that may be read", .of = &field_texts),
     ALWAYS(T, cut, FIELD_BOOL, "cut", "there are more files than were looked at"));
#undef T
static const struct field traces_params_list[] = {P_PAGE};
static const struct fields traces_params = FIELDS("", "", struct tool_args, traces_params_list);

const struct tool tool_traces = {
    .name = "traces",
    .not_offered = true,
    .title = "Which traces there are",
    .description = "Files that may be traces in the folders that can be read, and traces that are "
                   "loaded, with their ids",
    .params = &traces_params,
    .result = &traces_result,
    .call = call_traces,
};

/* ---- info ---- */

struct device_row {
    int32_t index;
    const char *name, *arch, *host, *vendor;
    uint32_t cu_count;
};
struct process_row {
    int64_t pid;
    int32_t rank;
    const char *host, *command;
};

struct info_doc {
    struct tool_head head;
    const char *format, *writer;
    uint64_t file_count, kernels, copies, calls, markers, allocations, counters;
    VEC(struct process_row) processes;
    VEC(struct device_row) gpus;
    struct trust_json trust;
};

static void take_lists(struct tool_ask *ask, struct info_doc *d)
{
    const struct trace *t = &ask->run->trace;
    VEC(struct process_row) processes = {0};
    VEC(struct device_row) gpus = {0};
    for (size_t i = 0; i < t->processes.n; i++) {
        const struct process *p = &t->processes.v[i];
        vec_push(&processes, ask->arena,
                 ((struct process_row){p->pid, p->rank, trace_str(t, p->host),
                                       trace_str(t, p->command)}));
    }
    for (size_t i = 0; i < t->gpus.n; i++) {
        const struct gpu *g = &t->gpus.v[i];
        vec_push(&gpus, ask->arena,
                 ((struct device_row){g->index, trace_str(t, g->name), trace_str(t, g->arch),
                                      trace_str(t, g->host), vendor_name(g->vendor), g->cu_count}));
    }
    tool_rows(ask, &d->processes, processes.v, processes.n);
    tool_rows(ask, &d->gpus, gpus.v, gpus.n);
}

static const void *call_info(struct tool_ask *ask, struct gs_error *err)
{
    (void)err;
    const struct trace *t = &ask->run->trace;
    struct info_doc *d = arena_new(ask->arena, struct info_doc);
    tool_head_set(ask, &d->head);
    d->format = trace_format_names[t->files.v[0].format];
    d->writer = trace_writer_names[t->files.v[0].flavor];
    d->file_count = t->files.n;
    d->kernels = t->kernels.n;
    d->copies = t->copies.n;
    d->calls = t->regions.n;
    d->markers = t->markers.n;
    d->allocations = t->allocations.n;
    d->counters = t->counters.n;
    take_lists(ask, d);
    trust_json_make(&d->trust, &ask->a->quality, &ask->a->capabilities, ask->arena);
    return d;
}

#define T struct device_row
PART(device_fields, T, ALWAYS(T, index, FIELD_I32, "index", "number on its host, from 0"),
     ALWAYS(T, name, FIELD_TEXT, "name", "product name"),
     ALWAYS(T, arch, FIELD_TEXT, "architecture", "gfx942, sm_90, ..."),
     ALWAYS(T, host, FIELD_TEXT, "host", "host it is in"),
     ALWAYS(T, vendor, FIELD_TEXT, "vendor", "who made it"),
     ALWAYS(T, cu_count, FIELD_U32, "cu_count", "compute units or SMs; 0: not known"));
#undef T
#define T struct process_row
PART(process_fields, T, ALWAYS(T, pid, FIELD_I64, "pid", "process"),
     OR_NULL(T, rank, FIELD_I32, "rank", "of a job; null: not known"),
     ALWAYS(T, host, FIELD_TEXT, "host", "where it ran"),
     ALWAYS(T, command, FIELD_TEXT, "command", "as recorded; passwords are hidden"));
#undef T
#define T struct info_doc
#define COUNT(member, doc) ALWAYS(T, member, FIELD_U64, #member, doc)
PART(info_result, T, TOOL_HEAD(T), ALWAYS(T, format, FIELD_TEXT, "format", "found by content"),
     OR_NULL(T, writer, FIELD_TEXT, "writer", "profiler that wrote it"),
     COUNT(file_count, "files that were read"), COUNT(kernels, "dispatches"),
     COUNT(copies, "copies of memory"), COUNT(calls, "host-side calls"),
     COUNT(markers, "ranges and moments the program marked"),
     COUNT(allocations, "records of allocated memory"), COUNT(counters, "values of counters"),
     ALWAYS(T, processes, FIELD_LIST, "processes", "that were recorded", .of = &process_fields),
     ALWAYS(T, gpus, FIELD_LIST, "gpus", "that the trace lists", .of = &device_fields),
     SPREAD(T, trust, FIELD_OBJECT, &trust_quality_fields),
     SPREAD(T, trust, FIELD_OBJECT, &trust_capability_fields));
#undef T

const struct tool tool_info = {
    .name = "info",
    .title = "What a trace holds",
    .description =
        "Format, counts of every kind of record, processes, GPUs, what the trace can and "
        "cannot answer with the command that would capture the rest, and how far it can "
        "be trusted",
    .params = &tool_params_whole,
    .result = &info_result,
    .needs_run = true,
    .call = call_info,
};
