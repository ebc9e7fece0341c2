#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "render/fields_json.h"
#include "render/profile_read.h"

enum { HEAD_MAX = 4096 };

bool profile_is_document(const char *head, size_t n)
{
    char text[HEAD_MAX + 1];
    size_t len = 0;
    while (n && strchr(" \t\r\n", *head)) {
        head++;
        n--;
    }
    for (; len < n && len < HEAD_MAX && head[len]; len++)
        text[len] = head[len];
    text[len] = 0;
    if (*text != '{')
        return false;
    return strstr(text, "\"" PROFILE_DOCUMENT "\"") || strstr(text, "\"gpusight_version\"");
}

static void read_tables(struct reading *r)
{
    struct run_profile *p = r->p;
    if (!jr_object(&r->j))
        return;
    while (jr_key(&r->j)) {
        const struct result *t = NULL;
        for (size_t i = 0; i < r->tables.n && !t; i++)
            if (jr_is(&r->j, r->tables.v[i].fields->key))
                t = &r->tables.v[i];
        const char *key = t ? t->fields->key : "";
        if (!strcmp(key, "breakdown"))
            read_object(r, t->fields, &p->breakdown);
        else if (!strcmp(key, "launch_latency"))
            read_object(r, t->fields, &p->launches);
        else if (!strcmp(key, "allocations"))
            read_object(r, t->fields, &p->allocations);
        else if (!strcmp(key, "collectives"))
            read_object(r, t->fields, &p->collectives);
        else if (!strcmp(key, "copies"))
            READ_ROWS(r, t->fields, &p->copies);
        else if (!strcmp(key, "api_classes"))
            READ_ROWS(r, t->fields, &p->api_classes);
        else if (!strcmp(key, "telemetry"))
            READ_ROWS(r, t->fields, &p->telemetry);
        else if (!strcmp(key, "kernel_resources"))
            READ_ROWS(r, t->fields, &r->resources);
        else if (!strcmp(key, "phases"))
            READ_ROWS(r, t->fields, &r->phases);
        else if (!strcmp(key, "hotspots"))
            read_hotspots(r);
        else
            jr_skip(&r->j);
    }
}

static void read_cause(struct reading *r)
{
    int64_t ns = 0;
    double squares = NAN;
    uint64_t count = 0;
    enum cause cause = CAUSES;
    if (!jr_object(&r->j))
        return;
    while (jr_key(&r->j)) {
        if (jr_is(&r->j, "cause")) {
            const char *key = jr_str(&r->j, NULL);
            for (enum cause c = 0; key && c < CAUSES; c++)
                if (strcmp(key, cause_info(c)->key) == 0)
                    cause = c;
        } else if (jr_is(&r->j, "ns"))
            ns = bound_ns(jr_int(&r->j, 0));
        else if (jr_is(&r->j, "gap_sq"))
            squares = jr_num(&r->j, NAN);
        else if (jr_is(&r->j, "gap_count"))
            count = bound_bytes(jr_uint(&r->j, 0));
        else
            jr_skip(&r->j);
    }
    if (cause == CAUSES)
        return;
    r->has_ledger = true;
    r->p->cause_ns[cause] = ns;
    if (isnan(squares))
        return;
    r->p->has_gaps = true;
    r->p->gap_sq[cause] = squares;
    r->p->gap_count[cause] = count;
}

static void read_ledger(struct reading *r)
{
    if (!jr_object(&r->j))
        return;
    while (jr_key(&r->j)) {
        if (jr_is(&r->j, "start_ns"))
            r->p->start_ns = bound_moment(jr_int(&r->j, 0));
        else if (jr_is(&r->j, "causes") && jr_array(&r->j))
            while (jr_item(&r->j))
                read_cause(r);
        else if (!jr_is(&r->j, "causes"))
            jr_skip(&r->j);
    }
}

static void read_gpus(struct reading *r)
{
    if (!jr_array(&r->j))
        return;
    while (jr_item(&r->j)) {
        struct profile_gpu *g = vec_add(&r->p->gpus, r->arena);
        if (!jr_object(&r->j))
            continue;
        while (jr_key(&r->j)) {
            if (jr_is(&r->j, "name"))
                g->name = read_text(r);
            else if (jr_is(&r->j, "architecture"))
                g->arch = read_text(r);
            else if (jr_is(&r->j, "vendor"))
                g->vendor = read_text(r);
            else if (jr_is(&r->j, "cu_count"))
                g->cu_count = (uint32_t)jr_uint(&r->j, 0);
            else if (jr_is(&r->j, "clock_mhz"))
                g->clock_mhz = (uint32_t)jr_uint(&r->j, 0);
            else
                jr_skip(&r->j);
        }
    }
}

static void read_files(struct reading *r)
{
    if (!jr_array(&r->j))
        return;
    while (jr_item(&r->j)) {
        const char *path = NULL;
        if (jr_object(&r->j))
            while (jr_key(&r->j)) {
                if (jr_is(&r->j, "path"))
                    path = read_text(r);
                else
                    jr_skip(&r->j);
            }
        if (path)
            vec_push(&r->p->files, r->arena, path);
    }
}

/* One member of an object, or everything else in it skipped. */
static void read_within(struct reading *r, const char *key, void (*read)(struct reading *))
{
    if (!jr_object(&r->j))
        return;
    while (jr_key(&r->j)) {
        if (jr_is(&r->j, key))
            read(r);
        else
            jr_skip(&r->j);
    }
}

static void read_capabilities(struct reading *r)
{
    if (!jr_object(&r->j))
        return;
    while (jr_key(&r->j)) {
        struct profile_capability c = {arena_strndup(r->arena, r->j.text, r->j.text_len), false};
        c.present = jr_bool(&r->j, false);
        vec_push(&r->p->capabilities, r->arena, c);
    }
}

static void read_document(struct reading *r)
{
    if (!jr_object(&r->j))
        return;
    while (jr_key(&r->j)) {
        if (jr_is(&r->j, "document")) {
            const char *kind = jr_str(&r->j, NULL);
            r->is_profile = kind && strcmp(kind, PROFILE_DOCUMENT) == 0;
        } else if (jr_is(&r->j, "version"))
            r->version = bound_ns(jr_int(&r->j, 0));
        else if (jr_is(&r->j, "label"))
            r->p->label = read_text(r);
        else if (jr_is(&r->j, "metadata"))
            read_within(r, "files", read_files);
        else if (jr_is(&r->j, "profiling_info"))
            read_within(r, "gpus", read_gpus);
        else if (jr_is(&r->j, "ledger"))
            read_ledger(r);
        else if (jr_is(&r->j, "capabilities"))
            read_capabilities(r);
        else if (jr_is(&r->j, "analyses"))
            read_tables(r);
        else if (jr_is(&r->j, "kernels"))
            read_kernels(r);
        else if (jr_is(&r->j, "phases"))
            read_phases(r);
        else if (jr_is(&r->j, "ranks"))
            READ_ROWS(r, &profile_rank_fields, &r->p->ranks);
        else
            jr_skip(&r->j);
    }
}

static bool finish(struct reading *r, const char *path, struct gs_error *err)
{
    struct run_profile *p = r->p;
    if (!jr_end(&r->j, err))
        return wrap(err, "cannot read '%s'", path);
    if (r->is_profile && r->version != PROFILE_VERSION)
        return fail(err, GS_E_FORMAT, "'%s' is a profile of version %lld, this program reads %d",
                    path, (long long)r->version, PROFILE_VERSION);
    if (!r->has_ledger || (!r->has_kernels && !r->has_hotspots))
        return fail(
            err, GS_E_FORMAT,
            "'%s' holds no ledger or no kernels; save it with 'gpusight analyze --format json'",
            path);
    if (!p->label)
        p->label = arena_strdup(r->arena, fs_basename(path));
    join_resources(r);
    finish_kernels(p);
    finish_phases(r);
    for (size_t i = 0; i < p->gpus.n; i++)
        if (!p->gpus.v[i].vendor)
            p->gpus.v[i].vendor = vendor_name(VENDOR_UNKNOWN);
    if (!r->is_profile)
        vec_push(
            &p->missing, r->arena,
            "quartiles (noise is taken from the deviation) and grids beyond the top 20 kernels");
    return true;
}

bool profile_parse(struct run_profile *p, const char *data, size_t n, const char *path,
                   struct arena *arena, struct gs_error *err)
{
    struct reading r = {.p = p, .arena = arena};
    struct analysis none = {.arena = arena};
    *p = (struct run_profile){0};
    analysis_results(&none, &r.tables, arena);
    jr_memory(&r.j, data, n);
    read_document(&r);
    bool ok = finish(&r, path, err);
    jr_release(&r.j);
    return ok;
}

bool profile_read(struct run_profile *p, const char *path, struct arena *arena,
                  struct gs_error *err)
{
    struct mapping file;
    if (!map_file(&file, path, err))
        return false;
    bool ok = profile_parse(p, (const char *)file.data, file.size, path, arena, err);
    unmap_file(&file);
    return ok;
}
