/* Reading kernels and other rows of a profile. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sat.h"
#include "render/profile_read.h"

const char *read_text(struct reading *r)
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
        *(int64_t *)at = bound_ns(jr_int(&r->j, 0));
        break;
    case FIELD_U64:
        *(uint64_t *)at = bound_bytes(jr_uint(&r->j, 0));
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
        *(const char **)at = read_text(r);
        break;
    case FIELD_BOOL:
        *(bool *)at = jr_bool(&r->j, false);
        break;
    }
}

bool read_member(struct reading *r, const struct fields *f, void *row)
{
    for (size_t i = 0; i < f->n; i++) {
        if (!jr_is(&r->j, f->v[i].key))
            continue;
        read_value(r, &f->v[i], row);
        return true;
    }
    return false;
}

void read_object(struct reading *r, const struct fields *f, void *row)
{
    if (!jr_object(&r->j))
        return;
    while (jr_key(&r->j))
        if (!read_member(r, f, row))
            jr_skip(&r->j);
}

/* ---- kernels ---- */

static double within(double v, double otherwise)
{
    return v >= 0 && v <= 9e18 ? v : otherwise;
}

/* Documents come from strangers: whatever cannot be is made harmless, so no formula meets it. */
static bool is_sound(struct profile_kernel *k)
{
    if (!k->calls || k->calls > (uint64_t)1e15 || k->total_duration_ns < 0 || k->median_ns < 0)
        return false;
    k->avg_duration_ns = within(k->avg_duration_ns, (double)k->median_ns);
    k->typical_ns = within(k->typical_ns, (double)k->median_ns);
    k->std_dev_ns = within(k->std_dev_ns, k->avg_duration_ns);
    k->error_ns = within(k->error_ns, k->typical_ns);
    k->work_items = within(k->work_items, NAN);
    for (size_t i = 0; i < k->configs.n; i++) {
        struct profile_config *c = &k->configs.v[i];
        if (!c->calls || c->calls > k->calls || c->total_ns < 0)
            k->many_configs = true;
        c->std_dev_ns = within(c->std_dev_ns, 0);
        c->typical_ns = within(c->typical_ns, 0);
        c->error_ns = within(c->error_ns, 0);
    }
    return true;
}

static void keep_sound(struct run_profile *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->kernels.n; i++)
        if (is_sound(&p->kernels.v[i]))
            p->kernels.v[n++] = p->kernels.v[i];
    p->kernels.n = n;
    for (enum cause c = 0; c < CAUSES; c++) {
        p->cause_ns[c] = p->cause_ns[c] < 0 ? 0 : p->cause_ns[c];
        p->gap_sq[c] = p->gap_sq[c] >= 0 ? p->gap_sq[c] : 0;
    }
    for (size_t i = 0; i < p->copies.n; i++)
        if (!p->copies.v[i].direction)
            p->copies.v[i].direction = "";
    for (size_t i = 0; i < p->api_classes.n; i++)
        if (!p->api_classes.v[i].class)
            p->api_classes.v[i].class = "";
}

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

void read_kernels(struct reading *r)
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
            else if (jr_is(&r->j, "durations"))
                read_durations(r, &k->durations);
            else if (!read_member(r, &profile_kernel_fields, k))
                jr_skip(&r->j);
        }
    }
}

/* The hotspots of an analysis have the same keys, as far as they go. */
void read_hotspots(struct reading *r)
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
        k->by_median = true;
        if (k->calls < 4) { /* the middle half of so few are all */
            k->typical_ns = k->avg_duration_ns;
            k->error_ns = k->typical_ns / 20;
        }
    }
}

static double items_of(const char *grid)
{
    char *end;
    double x = strtod(grid, &end), y = *end == 'x' ? strtod(end + 1, &end) : 0;
    double z = *end == 'x' ? strtod(end + 1, &end) : 0;
    return x > 0 && y > 0 && z > 0 ? x * y * z : NAN;
}

void join_resources(struct reading *r)
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

void finish_kernels(struct run_profile *p)
{
    keep_sound(p);
    for (size_t i = 0; i < p->kernels.n; i++)
        finish_kernel(&p->kernels.v[i]);
}
