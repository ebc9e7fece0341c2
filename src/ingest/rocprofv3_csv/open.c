#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/input.h"
#include "base/str.h"
#include "ingest/detect.h"
#include "ingest/rank.h"
#include "ingest/rocprofv3_csv/csv_in.h"

/* ---- detect ---- */

static bool is_ours(struct csv *c)
{
    struct header header = {.kind = FILE_UNKNOWN};
    header_read(&header, c);
    return header.kind != FILE_UNKNOWN;
}

static bool detect(const struct probe *p)
{
    return detect_header(p, is_ours);
}

/* ---- load ---- */

struct member {
    const char *path;
    enum file_kind kind;
};

struct load_call {
    struct rv3c *r;
    struct trace *trace;
    const char *capture;
    struct gs_error *err;
    VEC(struct member) members;
    uint64_t bytes;
    bool ok;
};

static void (*const add_row[FILE_KINDS])(struct rv3c *r) = {
    [FILE_AGENTS] = rv3c_add_agent,         [FILE_CALLS] = rv3c_add_call,
    [FILE_KERNELS] = rv3c_add_kernel,       [FILE_COPIES] = rv3c_add_copy,
    [FILE_ALLOCS] = rv3c_add_alloc,         [FILE_COUNTERS] = rv3c_add_counter,
    [FILE_PC_SAMPLES] = rv3c_add_pc_sample,
};

/* Reads one file: its header only, or all of it. */
static bool read_file(struct load_call *c, const char *path, bool rows)
{
    struct rv3c *r = c->r;
    struct arena *temporary = arena_scratch();
    struct input *in = input_new(temporary, path, c->err);
    if (!in) {
        arena_release(temporary);
        return false;
    }
    r->csv = csv_new(temporary, input_read, in);
    r->header = (struct header){.kind = FILE_UNKNOWN, .twice = N_COLUMNS, .lacks = N_COLUMNS};
    if (csv_row(r->csv))
        header_read(&r->header, r->csv);
    if (rows && r->header.kind != FILE_UNKNOWN)
        while (csv_row(r->csv))
            add_row[r->header.kind](r);
    bool ok = csv_end(r->csv, c->err);
    if (!input_error(in, c->err))
        ok = false;
    r->csv = NULL;
    arena_release(temporary);
    return ok || wrap(c->err, "%s", fs_basename(path));
}

/* The default prefix is %hostname%/%pid%: the only place that names the two. */
static void read_name(struct load_call *c)
{
    struct rv3c *r = c->r;
    const char *base = fs_basename(c->capture), *end = base;
    while (isdigit((unsigned char)*end))
        end++;
    if (end == base || *end || end - base > 9)
        return;
    int64_t pid = strtoll(base, NULL, 10);
    const char *folder_end = base - (base > c->capture), *folder = folder_end;
    while (folder > c->capture && folder[-1] != '/')
        folder--;
    if (folder < folder_end && *folder != '.')
        r->host = strings_addn(&r->trace->strings, folder, (size_t)(folder_end - folder));
    rv3c_new_process(r, 0, pid);
}

static int by_kind(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind)
                              : strcmp(x->path, y->path);
}

static bool find_members(struct load_call *c)
{
    struct rv3c *r = c->r;
    struct csv_files files = {0};
    if (!rv3c_files(&files, c->capture, r->build.arena, c->err))
        return false;
    for (size_t i = 0; i < files.n; i++) {
        if (!read_file(c, files.v[i], false))
            return false;
        header_warn(&r->header, files.v[i]);
        if (r->header.kind ==
            FILE_UNKNOWN) /* a header and no more is fine, no header is not ours */
            continue;
        int64_t bytes = fs_size(files.v[i]);
        c->bytes += bytes < 0 ? 0 : (uint64_t)bytes;
        vec_push(&c->members, r->build.arena, ((struct member){files.v[i], r->header.kind}));
    }
    if (c->members.n)
        qsort(c->members.v, c->members.n, sizeof(*c->members.v), by_kind);
    return true;
}

static bool load_capture(struct load_call *c, struct arena *arena)
{
    struct rv3c *r = c->r = arena_new(arena, struct rv3c);
    struct trace *t = r->trace = c->trace;
    rv3_init(&r->build, t, (uint32_t)t->files.n, arena);
    r->last_counted = r->last_counter = NO_INDEX;
    rv3c_init_processes(r);
    for (size_t type = 0; type < AGENT_TYPES; type++)
        idmap_init(&r->of_node[type], arena);
    size_t n = strlen(c->capture), bare = n > 1 && c->capture[n - 1] == '/';
    struct trace_file file = ingest_file(arena_strndup(&t->arena, c->capture, n - bare),
                                         TRACE_ROCPROFV3_CSV, WRITER_ROCPROFV3, "fast");
    vec_push(&t->files, &t->arena, file);
    read_name(c);
    c->ok = find_members(c);
    if (c->members.n == 1)
        t->files.v[r->build.file].path = arena_strdup(&t->arena, c->members.v[0].path);
    t->files.v[r->build.file].bytes = c->bytes;
    for (size_t i = 0; c->ok && i < c->members.n; i++)
        c->ok = read_file(c, c->members.v[i].path, true);
    if (!c->ok)
        return false;
    rv3c_resolve(r);
    rv3_finish(&r->build);
    for (size_t i = 0; i < r->processes.n; i++)
        rank_from_path(&t->processes.v[r->build.processes.v[i].process], c->capture);
    return true;
}

static bool load(struct trace *t, const char *path, const struct ingest_opts *o,
                 struct arena *arena, struct gs_error *err)
{
    struct load_call call = {.trace = t, .capture = path, .err = err};
    (void)o;
    return load_capture(&call, arena);
}

static void parts(struct fs_list *out, const char *path, struct arena *a)
{
    struct csv_files files = {0};
    struct gs_error ignored;
    if (rv3c_files(&files, path, a, &ignored))
        for (size_t i = 0; i < files.n; i++)
            vec_push(out, a, (char *)files.v[i]);
}

const struct format format_rocprofv3_csv = {
    .name = "rocprofv3-csv",
    .label = "AMD rocprofv3 CSV",
    .detect = detect,
    .capture = rv3c_capture,
    .parts = parts,
    .load = load,
};
