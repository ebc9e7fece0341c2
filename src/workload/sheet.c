/*
 * A sheet: its header, whose columns are counters and facts, and its rows.
 *
 * Writers put the passes of the profiler beside each other and number what they all have
 * (wave_size_1, Kernel_ID_2, ...), which shows where a pass begins. An accumulated level
 * (SQ_ACCUM_PREV_HIRES) belongs to the level counted before it, or to the file's name.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "workload/sheet.h"

#define ACCUMULATED "SQ_ACCUM_PREV_HIRES"
/* Counters have 64 bits; half of that is never reached, a wrapped difference is above it. */
#define COUNT_MAX 9.2233720368547758e18

/* Both generations of names; compared without case and punctuation. */
static const struct {
    const char *name;
    enum role role;
} role_names[] = {
    {"Dispatch_ID", ROLE_ID},
    {"Index", ROLE_ID},
    {"Kernel_Name", ROLE_KERNEL},
    {"Start_Timestamp", ROLE_START},
    {"BeginNs", ROLE_START},
    {"End_Timestamp", ROLE_END},
    {"EndNs", ROLE_END},
    {"GPU_ID", ROLE_GPU},
    {"Grid_Size", ROLE_GRID},
    {"grd", ROLE_GRID},
    {"Workgroup_Size", ROLE_GROUP},
    {"wgr", ROLE_GROUP},
    {"LDS_Per_Workgroup", ROLE_LDS},
    {"lds", ROLE_LDS},
    {"Scratch_Per_Workitem", ROLE_SCRATCH},
    {"scr", ROLE_SCRATCH},
    {"Arch_VGPR", ROLE_VGPR},
    {"vgpr", ROLE_VGPR},
    {"Accum_VGPR", ROLE_AGPR},
    {"SGPR", ROLE_SGPR},
};

/* ---- the header ---- */

/* A channel's column counts as its counter. */
static bool is_used(const struct sheet_reader *r, const char *name)
{
    const char *open = strchr(name, '[');
    size_t n = open ? (size_t)(open - name) : strlen(name);
    return idmap_get(r->used, hash_bytes(name, n)) != NO_INDEX;
}

static bool channel_of(const char *name, size_t *base, uint32_t *channel)
{
    const char *open = strchr(name, '[');
    char *end;
    if (!open || open == name || open[1] < '0' || open[1] > '9')
        return false;
    unsigned long v = strtoul(open + 1, &end, 10);
    if (end[0] != ']' || end[1] || v >= WORKLOAD_CHANNELS_MAX)
        return false;
    *base = (size_t)(open - name);
    *channel = (uint32_t)v;
    return true;
}

/* The number behind "wave_size_", "Kernel_ID_", ...: the columns from here are of that pass. */
static bool starts_pass(const char *name, uint32_t *pass)
{
    static const char *const marks[] = {"wave_size_", "Wave_Size_", "Kernel_ID_",
                                        "Correlation_ID_"};
    for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
        char *end;
        if (!str_starts(name, marks[i]))
            continue;
        unsigned long v = strtoul(name + strlen(marks[i]), &end, 10);
        if (*end || v > CSV_FIELDS_MAX)
            return false;
        *pass = (uint32_t)v;
        return true;
    }
    return false;
}

static enum role role_of(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(role_names); i++)
        if (workload_same_name(name, role_names[i].name))
            return role_names[i].role;
    return ROLE_NONE;
}

static struct workload_counter *counter_in(struct sheet_reader *r, const char *name)
{
    for (size_t i = r->w->counters.n; i-- > 0;) {
        struct workload_counter *c = &r->w->counters.v[i];
        if (c->sheet != r->sheet)
            return NULL;
        if (str_eq(c->name, name))
            return c;
    }
    return NULL;
}

/* False: this column was there before. */
static bool bind_counter(struct sheet_reader *r, const char *name, uint32_t pass, uint32_t place)
{
    struct arena *a = r->w->arena;
    size_t base = strlen(name);
    uint32_t channel = 0;
    bool by_channel = channel_of(name, &base, &channel);
    const char *plain = arena_strndup(a, name, base);
    struct workload_counter *c = counter_in(r, plain);
    if (!c) {
        c = vec_add(&r->w->counters, a);
        *c = (struct workload_counter){plain, r->sheet, pass, by_channel, {0}};
    }
    if (c->by_channel != by_channel)
        return false;
    while (c->places.n <= channel)
        vec_push(&c->places, a, NO_INDEX);
    if (c->places.v[channel] != NO_INDEX)
        return false;
    c->places.v[channel] = place;
    return true;
}

/* What a column of accumulated levels is called; NULL when it is something else. */
static const char *accumulated(struct sheet_reader *r, const char *name, const char *before)
{
    size_t n = strlen(ACCUMULATED);
    const char *file = r->sheet->file;
    if (!str_starts(name, ACCUMULATED) || (name[n] && name[n] != '_'))
        return NULL;
    if (before && strstr(before, "LEVEL"))
        return arena_printf(r->w->arena, "%s_ACCUM", before);
    if (strstr(file, "LEVEL"))
        return arena_printf(r->w->arena, "%.*s_ACCUM", (int)(strlen(file) - 4), file);
    return NULL;
}

static void bind_column(struct sheet_reader *r, size_t i, uint32_t *pass, struct odd *twice)
{
    struct arena *a = r->w->arena;
    const char *name = workload_text(r->file.csv, i, a);
    const char *before = i ? r->names.v[i - 1] : NULL;
    const char *level = accumulated(r, name, before);
    enum role role = role_of(name);
    uint32_t place = NO_INDEX;
    bool main = !r->w->sheets.n;
    starts_pass(name, pass);
    vec_push(&r->names, a, name);
    for (size_t k = 0; k < r->roles.n && role != ROLE_NONE; k++)
        if (r->roles.v[k] == role) {
            twice->n++;
            twice->column = twice->column ? twice->column : name;
            role = ROLE_NONE;
        }
    if (role == ROLE_NONE && is_used(r, level ? level : name)) {
        place = (uint32_t)r->sheet->width;
        if (bind_counter(r, level ? level : name, *pass, place)) {
            role = ROLE_COUNTER;
            r->sheet->width++;
        } else {
            twice->n++;
            twice->column = twice->column ? twice->column : name;
        }
    } else if (role == ROLE_NONE && main) {
        r->w->unused++;
    }
    vec_push(&r->roles, a, role);
    vec_push(&r->places, a, place);
    r->has_kernel |= role == ROLE_KERNEL;
}

static void read_header(struct sheet_reader *r)
{
    struct odd twice = {0};
    uint32_t pass = 0;
    bool start = false, end = false;
    for (size_t i = 0; i < r->file.csv->n; i++) {
        bind_column(r, i, &pass, &twice);
        if (!r->w->sheets.n && pass + 1 > r->w->passes)
            r->w->passes = pass + 1;
        start |= r->roles.v[i] == ROLE_START;
        end |= r->roles.v[i] == ROLE_END;
    }
    r->has_times = start && end;
    if (twice.n)
        workload_note(r->w, "%s: %llu %s there twice ('%s'...): the first is taken", r->sheet->file,
                      (unsigned long long)twice.n, twice.n == 1 ? "column is" : "columns are",
                      twice.column);
}

/* ---- rows ---- */

static void count_odd(struct sheet_reader *r, struct odd *o, size_t column)
{
    if (!o->n++) {
        o->column = r->names.v[column];
        o->line = r->file.csv->line;
    }
}

static double number(struct sheet_reader *r, size_t i)
{
    double v;
    if (!csv_num(r->file.csv, i, &v)) {
        size_t n;
        csv_text(r->file.csv, i, &n);
        if (n)
            count_odd(r, &r->not_number, i);
        return NAN;
    }
    if (v < 0) {
        count_odd(r, &r->negative, i);
        return NAN;
    }
    if (v >= COUNT_MAX) {
        count_odd(r, &r->overflowing, i);
        return NAN;
    }
    return v;
}

static uint32_t kernel_of(struct sheet_reader *r, const char *name, size_t n)
{
    static const char *const tails[] = {" [clone .kd]", " (.kd)", ".kd"};
    struct workload *w = r->w;
    for (size_t i = 0; i < ARRAY_LEN(tails); i++) {
        size_t length = strlen(tails[i]);
        if (n > length && !memcmp(name + n - length, tails[i], length))
            n -= length;
    }
    for (uint64_t key = hash_bytes(name, n);; key = hash_u64(key)) {
        uint32_t k = idmap_get(&r->kernels, key);
        if (k == NO_INDEX) {
            k = (uint32_t)w->kernels.n;
            vec_push(&w->kernels, w->arena,
                     ((struct workload_kernel){.name = arena_strndup(w->arena, name, n)}));
            idmap_put(&r->kernels, key, k);
            return k;
        }
        if (strlen(w->kernels.v[k].name) == n && !memcmp(w->kernels.v[k].name, name, n))
            return k;
    }
}

/* Exact where both are integers: nanoseconds since 1970 do not fit a double. */
static double duration(struct sheet_reader *r, size_t start, size_t end)
{
    int64_t from, to;
    double a, b, d;
    if (csv_int(r->file.csv, start, &from) && csv_int(r->file.csv, end, &to)) {
        if (from < 0 || to < from)
            return NAN;
        d = (double)(to - from);
    } else {
        size_t n;
        const char *text = csv_text(r->file.csv, start, &n);
        if (!csv_num(r->file.csv, start, &a) || !csv_num(r->file.csv, end, &b))
            return NAN;
        r->rounded += memchr(text, 'E', n) || memchr(text, 'e', n);
        d = b - a;
    }
    return d > 0 && d < 1e18 ? d : NAN;
}

static double *member(struct workload_dispatch *d, enum role role)
{
    switch (role) {
    case ROLE_GRID:
        return &d->grid;
    case ROLE_GROUP:
        return &d->group;
    case ROLE_LDS:
        return &d->lds;
    case ROLE_SCRATCH:
        return &d->scratch;
    case ROLE_VGPR:
        return &d->vgpr;
    case ROLE_AGPR:
        return &d->agpr;
    case ROLE_SGPR:
        return &d->sgpr;
    default:
        return NULL;
    }
}

static void read_row(struct sheet_reader *r)
{
    struct workload *w = r->w;
    struct workload_dispatch d = {.id = (int64_t)r->rows.n,
                                  .gpu = -1,
                                  .grid = NAN,
                                  .group = NAN,
                                  .lds = NAN,
                                  .scratch = NAN,
                                  .vgpr = NAN,
                                  .agpr = NAN,
                                  .sgpr = NAN,
                                  .duration_ns = NAN};
    size_t start = 0, end = 0, length = 0;
    const char *kernel = "";
    size_t in_block = r->rows.n % BLOCK_ROWS;
    if (!in_block)
        vec_push(&r->sheet->blocks, w->arena,
                 arena_array(w->arena, double, r->sheet->width *BLOCK_ROWS + 1));
    double *block = r->sheet->blocks.v[r->sheet->blocks.n - 1];
    for (size_t i = 0; i < r->roles.n; i++) {
        double *v = member(&d, r->roles.v[i]);
        if (v)
            *v = number(r, i);
        else if (r->roles.v[i] == ROLE_COUNTER)
            block[r->places.v[i] * BLOCK_ROWS + in_block] = number(r, i);
        else if (r->roles.v[i] == ROLE_KERNEL)
            kernel = csv_text(r->file.csv, i, &length);
        else if (r->roles.v[i] == ROLE_ID)
            csv_int(r->file.csv, i, &d.id);
        else if (r->roles.v[i] == ROLE_GPU)
            csv_int(r->file.csv, i, &d.gpu);
        else if (r->roles.v[i] == ROLE_START)
            start = i;
        else if (r->roles.v[i] == ROLE_END)
            end = i;
    }
    if (r->has_times)
        d.duration_ns = duration(r, start, end);
    d.kernel = r->has_kernel ? kernel_of(r, kernel, length) : kernel_of(r, "(no name)", 9);
    vec_push(&r->rows, w->arena, d);
}

static void say_odd(struct sheet_reader *r, const struct odd *o, const char *what)
{
    if (o->n)
        workload_note(r->w, "%s: %llu %s %s and left out; the first in column '%s', line %llu",
                      r->sheet->file, (unsigned long long)o->n,
                      o->n == 1 ? "value is" : "values are", what, o->column,
                      (unsigned long long)o->line);
}

bool sheet_read(struct sheet_reader *r, const char *path, struct gs_error *err)
{
    struct workload *w = r->w;
    struct gs_error why = {0};
    size_t kernel = 0;
    if (!workload_csv_open(&r->file, r->w, path, err))
        return false;
    struct csv *c = r->file.csv;
    if (csv_row(c))
        read_header(r);
    while (kernel < r->roles.n && r->roles.v[kernel] != ROLE_KERNEL)
        kernel++;
    while (r->roles.n && csv_row(c)) {
        if (c->n > c->columns)
            csv_join(c, kernel);
        if (c->n < c->columns)
            r->cut++;
        else
            read_row(r);
    }
    bool ok = workload_csv_close(&r->file, &why);
    if (!ok && !r->rows.n) {
        *err = why;
        return wrap(err, "cannot read '%s'", path);
    }
    if (!ok)
        workload_note(w, "%s is damaged and was read up to there: %s", r->sheet->file, why.text);
    say_odd(r, &r->not_number, "not a number");
    say_odd(r, &r->negative, "negative, which no counter is,");
    say_odd(r, &r->overflowing, "above 2^63, which no counter reaches,");
    if (r->cut)
        workload_note(w, "%s: %llu %s cut short and left out; the file may be half copied",
                      r->sheet->file, (unsigned long long)r->cut,
                      r->cut == 1 ? "row is" : "rows are");
    r->sheet->rows = r->rows.n;
    return true;
}
