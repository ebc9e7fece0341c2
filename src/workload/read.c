/*
 * pmc_perf.csv and the files of levels: a row a dispatch.
 *
 * Writers put the passes of the profiler beside each other and number what they all have
 * (wave_size_1, Kernel_ID_2, ...), which shows where a pass begins. An accumulated level
 * (SQ_ACCUM_PREV_HIRES) belongs to the level counted before it, or to the file's name.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/str.h"
#include "workload/panels.h"
#include "workload/workload_in.h"

#define ACCUMULATED "SQ_ACCUM_PREV_HIRES"
/* Counters have 64 bits; half of that is never reached, a wrapped difference is above it. */
#define COUNT_MAX 9.2233720368547758e18

enum role {
    ROLE_NONE,
    ROLE_ID,
    ROLE_KERNEL,
    ROLE_START,
    ROLE_END,
    ROLE_GPU,
    ROLE_GRID,
    ROLE_GROUP,
    ROLE_LDS,
    ROLE_SCRATCH,
    ROLE_VGPR,
    ROLE_AGPR,
    ROLE_SGPR,
    ROLE_COUNTER,
};

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

struct odd {
    uint64_t n;
    const char *column; /* of the first */
    uint64_t line;
};

struct sheet_reader {
    struct workload *w;
    struct workload_sheet *sheet;
    struct workload_csv file;
    VEC(enum role) roles;    /* by column */
    VEC(uint32_t) places;    /* by column, of counters */
    VEC(const char *) names; /* by column */
    VEC(struct workload_dispatch) rows;
    VEC(double) cells;
    struct idmap kernels;     /* by hash of the name */
    const struct idmap *used; /* names of counters that formulas use */
    struct odd negative, overflowing, not_number;
    uint64_t cut, rounded;
    bool has_kernel, has_times;
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
    for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
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
    for (size_t i = 0; i < sizeof(role_names) / sizeof(*role_names); i++)
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
    const char *name = workload_text(&r->file.csv, i, a);
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
    for (size_t i = 0; i < r->file.csv.n; i++) {
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
        o->line = r->file.csv.line;
    }
}

static double number(struct sheet_reader *r, size_t i)
{
    double v;
    if (!csv_num(&r->file.csv, i, &v)) {
        size_t n;
        csv_text(&r->file.csv, i, &n);
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
    for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++) {
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
    if (csv_int(&r->file.csv, start, &from) && csv_int(&r->file.csv, end, &to)) {
        if (from < 0 || to < from)
            return NAN;
        d = (double)(to - from);
    } else {
        size_t n;
        const char *text = csv_text(&r->file.csv, start, &n);
        if (!csv_num(&r->file.csv, start, &a) || !csv_num(&r->file.csv, end, &b))
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
    vec_reserve(&r->cells, w->arena, r->cells.n + r->sheet->width + 1);
    double *cells = r->cells.v + r->cells.n;
    r->cells.n += r->sheet->width;
    for (size_t i = 0; i < r->roles.n; i++) {
        double *v = member(&d, r->roles.v[i]);
        if (v)
            *v = number(r, i);
        else if (r->roles.v[i] == ROLE_COUNTER)
            cells[r->places.v[i]] = number(r, i);
        else if (r->roles.v[i] == ROLE_KERNEL)
            kernel = csv_text(&r->file.csv, i, &length);
        else if (r->roles.v[i] == ROLE_ID)
            csv_int(&r->file.csv, i, &d.id);
        else if (r->roles.v[i] == ROLE_GPU)
            csv_int(&r->file.csv, i, &d.gpu);
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

/* The rows into r; what was wrong with the file is only a note once there is a row. */
static bool read_sheet(struct sheet_reader *r, const char *path, struct gs_error *err)
{
    struct workload *w = r->w;
    struct gs_error why = {0};
    size_t kernel = 0;
    if (!workload_csv_open(&r->file, path, err))
        return false;
    struct csv *c = &r->file.csv;
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
    r->sheet->cells = r->cells.v;
    return true;
}

/* ---- the dispatches ---- */

static void take_dispatches(struct sheet_reader *r)
{
    struct workload *w = r->w;
    size_t untimed = 0;
    for (size_t i = 0; i < r->rows.n; i++) {
        struct workload_dispatch *d = &r->rows.v[i];
        struct workload_kernel *k = &w->kernels.v[d->kernel];
        d->occurrence = k->dispatches++;
        if (isnan(d->duration_ns)) {
            untimed++;
            continue;
        }
        k->total_ns += d->duration_ns;
        k->timed++;
    }
    for (size_t k = 0; k < w->kernels.n; k++)
        if (!w->kernels.v[k].timed)
            w->kernels.v[k].total_ns = NAN;
    w->dispatches.v = r->rows.v;
    w->dispatches.n = r->rows.n;
    w->dispatches.cap = r->rows.n;
    if (untimed)
        workload_note(w,
                      "%zu of %zu dispatches have no duration%s: nothing per second can be said of "
                      "them",
                      untimed, r->rows.n,
                      !r->has_times ? " (there are no columns of timestamps)"
                      : r->rounded  ? " (the timestamps were rounded by whatever saved the file)"
                                    : " (their end is not after their start)");
}

/* Rows of another file are the same dispatch when kernel, occurrence and grid agree. */
static void join_rows(struct sheet_reader *r)
{
    struct workload *w = r->w;
    struct idmap by = {0};
    uint32_t *seen = arena_array(w->arena, uint32_t, w->kernels.n + 1);
    size_t joined = 0;
    idmap_init(&by, w->arena);
    for (size_t i = 0; i < r->rows.n; i++) {
        uint32_t k = r->rows.v[i].kernel;
        idmap_put(&by, (uint64_t)k << 32 | seen[k]++, (uint32_t)i);
    }
    r->sheet->row_of = arena_array(w->arena, uint32_t, w->dispatches.n);
    for (size_t i = 0; i < w->dispatches.n; i++) {
        const struct workload_dispatch *d = &w->dispatches.v[i];
        uint32_t row = idmap_get(&by, (uint64_t)d->kernel << 32 | d->occurrence);
        bool other_grid = row != NO_INDEX && !isnan(d->grid) && !isnan(r->rows.v[row].grid) &&
                          (d->grid < r->rows.v[row].grid || d->grid > r->rows.v[row].grid);
        r->sheet->row_of[i] = other_grid ? NO_INDEX : row;
        joined += r->sheet->row_of[i] != NO_INDEX;
    }
    if (joined < w->dispatches.n || joined < r->rows.n)
        workload_note(w, "%s: %zu of %zu rows belong to one of the %zu dispatches of pmc_perf.csv",
                      r->sheet->file, joined, r->rows.n, w->dispatches.n);
}

static void read_level(struct sheet_reader *main, const char *level)
{
    struct workload *w = main->w;
    struct gs_error err = {0};
    struct sheet_reader r = {.w = w, .kernels = main->kernels, .used = main->used};
    size_t counters = w->counters.n;
    const char *path = arena_printf(w->arena, "%s/%s.csv", w->dir, level);
    if (!fs_exists(path))
        return;
    r.sheet = arena_new(w->arena, struct workload_sheet);
    r.sheet->file = arena_printf(w->arena, "%s.csv", level);
    if (!read_sheet(&r, path, &err)) {
        workload_note(w, "%s", err.text);
        w->counters.n = counters;
        return;
    }
    join_rows(&r);
    main->kernels = r.kernels;
    for (size_t i = counters; i < w->counters.n; i++)
        w->counters.v[i].pass = w->passes;
    w->passes++;
    vec_push(&w->sheets, w->arena, r.sheet);
}

bool workload_read_sheets(struct workload *w, struct gs_error *err)
{
    static const char *const levels[] = {"SQ_LEVEL_WAVES", "SQ_IFETCH_LEVEL", "SQ_INST_LEVEL_LDS",
                                         "SQ_INST_LEVEL_SMEM", "SQ_INST_LEVEL_VMEM"};
    const char *path = arena_printf(w->arena, "%s/pmc_perf.csv", w->dir);
    struct idmap used;
    struct sheet_reader r = {.w = w, .used = &used};
    idmap_init(&r.kernels, w->arena);
    panels_names(&used, w->arena);
    if (!fs_exists(path))
        return fail(err, GS_E_EMPTY,
                    "nothing to analyze: no pmc_perf.csv in '%s'; copy the whole folder, or "
                    "profile once more",
                    w->dir);
    r.sheet = arena_new(w->arena, struct workload_sheet);
    r.sheet->file = "pmc_perf.csv";
    if (!read_sheet(&r, path, err))
        return false;
    if (!r.rows.n)
        return fail(err, GS_E_EMPTY, "nothing to analyze: '%s' holds no dispatch", path);
    if (!r.has_kernel && !w->counters.n)
        return fail(err, GS_E_FORMAT,
                    "cannot read '%s': neither kernels nor counters among its %zu columns", path,
                    r.roles.n);
    w->columns = r.roles.n;
    if (!r.has_kernel)
        workload_note(w,
                      "pmc_perf.csv has no column Kernel_Name: all dispatches count as one kernel");
    take_dispatches(&r);
    vec_push(&w->sheets, w->arena, r.sheet);
    for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++)
        read_level(&r, levels[i]);
    return true;
}
