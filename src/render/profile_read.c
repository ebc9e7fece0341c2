#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "render/fields_json.h"
#include "render/profile_json.h"

enum { HEAD_MAX = 4096 };

struct reading {
    struct jread j;
    struct run_profile *p;
    struct arena *arena;
    struct results tables;
    VEC(struct resource_row) resources; /* of an analysis document */
    int64_t version;                    /* of a profile; 0: none was given */
    bool is_profile, has_kernels, has_hotspots, has_ledger;
};

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

static const char *text(struct reading *r)
{
    size_t n;
    const char *s = jr_str(&r->j, &n);
    return s ? arena_strndup(r->arena, s, n) : NULL;
}

/* ---- rows by their field descriptors ---- */

static void read_value(struct reading *r, const struct field *f, void *row)
{
    void *at = (char *)row + f->offset;
    switch (f->type) {
    case FIELD_I64:
        *(int64_t *)at = jr_int(&r->j, 0);
        break;
    case FIELD_U64:
        *(uint64_t *)at = jr_uint(&r->j, 0);
        break;
    case FIELD_U32:
        *(uint32_t *)at = (uint32_t)jr_uint(&r->j, 0);
        break;
    case FIELD_I32:
        *(int32_t *)at = (int32_t)jr_int(&r->j, -1);
        break;
    case FIELD_NUM:
        *(double *)at = jr_num(&r->j, NAN);
        break;
    case FIELD_TEXT:
        *(const char **)at = text(r);
        break;
    case FIELD_BOOL:
        *(bool *)at = jr_bool(&r->j, false);
        break;
    }
}

static bool read_member(struct reading *r, const struct fields *f, void *row)
{
    for (size_t i = 0; i < f->n; i++) {
        if (!jr_is(&r->j, f->v[i].key))
            continue;
        read_value(r, &f->v[i], row);
        return true;
    }
    return false;
}

static void read_object(struct reading *r, const struct fields *f, void *row)
{
    if (!jr_object(&r->j))
        return;
    while (jr_key(&r->j))
        if (!read_member(r, f, row))
            jr_skip(&r->j);
}

#define READ_ROWS(r, fields, list)                                                                 \
    do {                                                                                           \
        if (jr_array(&(r)->j))                                                                     \
            while (jr_item(&(r)->j))                                                               \
                read_object((r), (fields), vec_add((list), (r)->arena));                           \
    } while (0)

/* ---- kernels ---- */

static void finish_kernel(struct profile_kernel *k)
{
    enum kernel_role role = kernel_role_of(k->name ? k->name : "");
    k->name = k->name ? k->name : "";
    k->short_name = k->short_name ? k->short_name : k->name;
    k->category = kernel_role_info(role)->label;
    k->class = role == ROLE_COLLECTIVE ? KERNEL_COLLECTIVE
               : strncmp(k->name, "__amd_rocclr_copy", strlen("__amd_rocclr_copy")) == 0
                   ? KERNEL_BLIT
                   : KERNEL_COMPUTE;
}

static void read_kernels(struct reading *r)
{
    r->has_kernels = true;
    if (!jr_array(&r->j))
        return;
    while (jr_item(&r->j)) {
        struct profile_kernel *k = vec_add(&r->p->kernels, r->arena);
        k->work_items = k->occupancy_pct = NAN;
        if (!jr_object(&r->j))
            continue;
        while (jr_key(&r->j)) {
            if (jr_is(&r->j, "configs"))
                READ_ROWS(r, &profile_config_fields, &k->configs);
            else if (!read_member(r, &profile_kernel_fields, k))
                jr_skip(&r->j);
        }
    }
}

/* The hotspots of an analysis have the same keys, as far as they go. */
static void read_hotspots(struct reading *r)
{
    r->has_hotspots = true;
    if (!jr_array(&r->j))
        return;
    while (jr_item(&r->j)) {
        struct profile_kernel *k = vec_add(&r->p->kernels, r->arena);
        read_object(r, &profile_kernel_fields, k);
        k->work_items = k->occupancy_pct = NAN;
        k->typical_ns = (double)k->median_ns;
        /* The median's standard error for normal durations; outliers make it larger, not smaller.
         */
        k->error_ns = k->calls ? 1.2533 * k->std_dev_ns / sqrt((double)k->calls) : 0;
        if (k->calls < 4)
            k->error_ns = k->typical_ns / 20;
    }
}

static double items_of(const char *grid)
{
    char *end;
    double x = strtod(grid, &end), y = *end == 'x' ? strtod(end + 1, &end) : 0;
    double z = *end == 'x' ? strtod(end + 1, &end) : 0;
    return x > 0 && y > 0 && z > 0 ? x * y * z : NAN;
}

static void join_resources(struct reading *r)
{
    for (size_t i = 0; i < r->resources.n; i++) {
        const struct resource_row *from = &r->resources.v[i];
        for (size_t n = 0; from->name && n < r->p->kernels.n; n++) {
            struct profile_kernel *k = &r->p->kernels.v[n];
            if (!k->name || strcmp(k->name, from->name) != 0)
                continue;
            k->vgpr = from->vgpr;
            k->accum_vgpr = from->accum_vgpr;
            k->lds_bytes = from->lds_bytes;
            k->scratch_bytes = from->scratch_bytes;
            k->occupancy_pct = from->occupancy_pct;
            k->grid = from->grid;
            k->block = from->block;
            if (from->configurations == 1 && from->grid)
                k->work_items = items_of(from->grid);
        }
    }
}

/* ---- the rest ---- */

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
            ns = jr_int(&r->j, 0);
        else if (jr_is(&r->j, "gap_sq"))
            squares = jr_num(&r->j, NAN);
        else if (jr_is(&r->j, "gap_count"))
            count = jr_uint(&r->j, 0);
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
            r->p->start_ns = jr_int(&r->j, 0);
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
                g->name = text(r);
            else if (jr_is(&r->j, "architecture"))
                g->arch = text(r);
            else if (jr_is(&r->j, "vendor"))
                g->vendor = text(r);
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
                    path = text(r);
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
            r->version = jr_int(&r->j, 0);
        else if (jr_is(&r->j, "label"))
            r->p->label = text(r);
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
    for (size_t i = 0; i < p->kernels.n; i++)
        finish_kernel(&p->kernels.v[i]);
    for (size_t i = 0; i < p->gpus.n; i++)
        if (!p->gpus.v[i].vendor)
            p->gpus.v[i].vendor = vendor_name(VENDOR_UNKNOWN);
    if (!r->is_profile)
        vec_push(
            &p->missing, r->arena,
            "quartiles (noise is taken from the deviation) and grids beyond the top 20 kernels");
    return true;
}

bool profile_read(struct run_profile *p, const char *path, struct arena *arena,
                  struct gs_error *err)
{
    struct mapping file;
    struct reading r = {.p = p, .arena = arena};
    struct analysis none = {.arena = arena};
    *p = (struct run_profile){0};
    if (!map_file(&file, path, err))
        return false;
    analysis_results(&none, &r.tables, arena);
    jr_memory(&r.j, (const char *)file.data, file.size);
    read_document(&r);
    bool ok = finish(&r, path, err);
    jr_release(&r.j);
    unmap_file(&file);
    return ok;
}
