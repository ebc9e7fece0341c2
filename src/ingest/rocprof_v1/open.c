#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/sat.h"
#include "base/str.h"
#include "ingest/detect.h"
#include "ingest/rank.h"
#include "ingest/rocprof_v1/rv1.h"

/* In the order of reading: calls, work of the upper level, then that of the lower, markers. */
static const char *const members[] = {"hip_api_trace", "hsa_api_trace",    "kfd_api_trace",
                                      "hcc_ops_trace", "async_copy_trace", "roctx_trace",
                                      "results"};
static const char *const extensions[] = {".txt", ".txt.gz", ".txt.zst",
                                         ".csv", ".csv.gz", ".csv.zst"};

static bool detect(const struct probe *p)
{
    return rv1_is_results(p) || rv1_is_lines(p) || rv1_is_rows(p);
}

/* ---- which files are one capture ---- */

/* A file name in parts: "", or "123_" before it or "_123" behind it, and which member it is. */
struct named {
    size_t member;
    uint64_t pid;
    bool is_csv;
};

static bool all_digits(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isdigit((unsigned char)p[i]))
            return false;
    return n > 0 && n < 10;
}

static bool parse_name(const char *path, struct named *out)
{
    const char *name = fs_basename(path);
    size_t n = strlen(name);
    for (size_t e = 0; e < ARRAY_LEN(extensions); e++) {
        if (!str_ends(name, extensions[e]))
            continue;
        size_t stem = n - strlen(extensions[e]);
        for (size_t m = 0; m < ARRAY_LEN(members); m++) {
            size_t len = strlen(members[m]);
            if (stem < len)
                continue;
            size_t more = stem - len;
            bool is_csv = e >= 3;
            *out = (struct named){.member = m, .is_csv = is_csv};
            if (!more && !memcmp(name, members[m], len))
                return true;
            if (!is_csv && more > 1 && name[more - 1] == '_' && all_digits(name, more - 1) &&
                !memcmp(name + more, members[m], len)) {
                out->pid = strtoull(name, NULL, 10);
                return true;
            }
            if (is_csv && more > 1 && name[len] == '_' && all_digits(name + len + 1, more - 1) &&
                !memcmp(name, members[m], len)) {
                out->pid = strtoull(name + len + 1, NULL, 10);
                return true;
            }
        }
    }
    return false;
}

uint64_t rv1_pid_of_name(const char *path)
{
    struct named n;
    return parse_name(path, &n) ? n.pid : 0;
}

static const char *member_path(const char *folder, const struct named *n, size_t extension,
                               struct arena *a)
{
    const char *end = extensions[extension], *word = members[n->member];
    unsigned long long pid = n->pid;
    if (!pid)
        return arena_printf(a, "%s%s%s", folder, word, end);
    return n->is_csv ? arena_printf(a, "%s%s_%llu%s", folder, word, pid, end)
                     : arena_printf(a, "%s%llu_%s%s", folder, pid, word, end);
}

/* All members that are there, in order. */
static void list_members(struct opt_list *out, const char *folder, uint64_t pid, bool is_csv,
                         struct arena *a)
{
    for (size_t m = 0; m < ARRAY_LEN(members); m++)
        for (size_t e = is_csv ? 3 : 0; e < (is_csv ? 6u : 3u); e++) {
            struct named n = {m, pid, is_csv};
            const char *path = member_path(folder, &n, e, a);
            if (fs_is_file(path))
                vec_push(out, a, path);
        }
}

static const char *folder_of(const char *path, struct arena *a)
{
    const char *name = fs_basename(path);
    return name == path ? "" : arena_strndup(a, path, (size_t)(name - path));
}

/* A capture is known by its first file; results.csv alone is one as well, by any name. */
static const char *rv1_capture(const char *path, struct arena *a)
{
    struct named n;
    struct opt_list all = {0};
    if (!parse_name(path, &n))
        return arena_strdup(a, path);
    list_members(&all, folder_of(path, a), n.pid, n.is_csv, a);
    return all.n ? all.v[0] : arena_strdup(a, path);
}

/* The files of a capture, in the order in which they are read. */
static void rv1_members(struct opt_list *out, const char *capture, struct arena *a)
{
    struct named n;
    if (parse_name(capture, &n))
        list_members(out, folder_of(capture, a), n.pid, n.is_csv, a);
    if (!out->n)
        vec_push(out, a, capture);
}

/* ---- loading ---- */

static bool read_member(struct rv1 *r, const char *path, struct gs_error *err)
{
    struct arena *temporary = arena_scratch();
    struct probe p;
    bool ok = detect_probe(&p, path, temporary, err), results = false, lines = false, rows = false;
    if (ok) {
        results = rv1_is_results(&p);
        lines = !results && rv1_is_lines(&p);
        rows = !results && !lines && rv1_is_rows(&p);
    }
    arena_release(temporary);
    return ok && (results ? rv1_read_results(r, path, err)
                  : lines ? rv1_read_lines(r, path, err)
                  : rows  ? rv1_read_rows(r, path, err)
                          : true); /* of this name, and empty or something else */
}

static void note_rest(struct rv1 *r)
{
    struct trace *t = r->trace;
    trace_note(t, NOTE_NULL, r->no_time, "dispatches without times, passed over");
    trace_note(t, NOTE_SKIPPED, r->bad, "lines that are no records of this file, passed over");
    trace_note(t, NOTE_DANGLING, r->unmatched, "ends of markers without a beginning");
    trace_note(t, NOTE_OTHER, r->lower,
               "records of work that is there already, as HIP recorded it, passed over");
}

static bool load(struct trace *t, const char *path, const struct ingest_opts *o,
                 struct arena *arena, struct gs_error *err)
{
    struct rv1 *r = arena_new(arena, struct rv1);
    struct opt_list files = {0};
    bool csv = true;
    *r = (struct rv1){.trace = t, .arena = arena, .progress = o->progress};
    idmap_init(&r->processes, arena);
    idmap_init(&r->calls, arena);
    idmap_init(&r->counts, arena);
    rv3_init(&r->build, t, (uint32_t)t->files.n, arena);
    rv1_members(&files, path, arena);
    struct trace_file f = ingest_file(path, TRACE_ROCPROF_CSV, WRITER_ROCPROF, "fast");
    f.bytes = 0;
    for (size_t i = 0; i < files.n; i++) {
        int64_t size = fs_size(files.v[i]);
        f.bytes = add_bytes(f.bytes, size < 0 ? 0 : (uint64_t)size);
        csv &= str_has(fs_basename(files.v[i]), ".csv");
    }
    f.format = csv || files.n == 1 ? f.format : TRACE_ROCPROF_TEXT;
    vec_push(&t->files, &t->arena, f);
    for (size_t i = 0; i < files.n; i++)
        if (!read_member(r, files.v[i], err))
            return files.n == 1 ? false : wrap(err, "%s", fs_basename(files.v[i]));
    if (r->dispatches && r->no_time == r->dispatches)
        return fail(err, GS_E_FORMAT,
                    "dispatches without times; capture them with 'rocprof --timestamp on', or with "
                    "rocprofv3");
    rv1_close_marks(r);
    note_rest(r);
    rv3_finish(&r->build);
    for (size_t i = 0; i < r->build.processes.n; i++)
        rank_from_path(&t->processes.v[r->build.processes.v[i].process], path);
    return true;
}

const struct format format_rocprof_v1 = {
    .name = "rocprof-csv",
    .label = "CSV or lines of the older rocprof",
    .detect = detect,
    .capture = rv1_capture,
    .load = load,
};
