/*
 * Statistics of rocprof (results.stats.csv, results.hip_stats.csv, ...), of rocprofv3
 * (out_kernel_stats.csv, out_domain_stats.csv, ...) and of rocpd's summaries: a row a name, with how
 * many there are and how long they took. What kind of things they are only the file's name tells.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "base/fs.h"
#include "base/input.h"
#include "base/str.h"
#include "ingest/detect.h"
#include "tally/tally_in.h"

enum column { NAME, CALLS, TOTAL, AVERAGE, PERCENT, MIN, MAX, DEVIATION, COLUMNS };

#define NO_COLUMN ((size_t)-1)

/* As titles begin, without case, blanks and lines: "TotalDurationNs", "DURATION (nsec)". */
static const char *const titles[COLUMNS][3] = {
    [NAME] = {"name", "kernelname"},
    [CALLS] = {"calls", "count"},
    [TOTAL] = {"totalduration", "duration"},
    [AVERAGE] = {"average", "mean"},
    [PERCENT] = {"percent", "share"},
    [MIN] = {"min"},
    [MAX] = {"max"},
    [DEVIATION] = {"stddev"},
};

static enum column column_of(const char *text, size_t n)
{
    char plain[64];
    size_t len = 0;
    for (size_t i = 0; i < n && len + 1 < sizeof(plain); i++)
        if (isalnum((unsigned char)text[i]))
            plain[len++] = (char)tolower((unsigned char)text[i]);
    plain[len] = 0;
    if (str_eq(plain, "name") || str_eq(plain, "kernelname"))
        return NAME;
    for (enum column c = CALLS; c < COLUMNS; c++)
        for (int k = 0; k < 3 && titles[c][k]; k++)
            if (str_starts(plain, titles[c][k]))
                return c;
    return COLUMNS;
}

/* A table of statistics has a name, how many, and how long; and no moment. */
static bool read_header(struct csv *c, size_t *at)
{
    for (int k = 0; k < COLUMNS; k++)
        at[k] = NO_COLUMN;
    for (size_t i = 0; i < c->n; i++) {
        size_t n;
        const char *text = csv_text(c, i, &n);
        enum column k = column_of(text, n);
        if (k < COLUMNS && at[k] == NO_COLUMN)
            at[k] = i;
    }
    return at[NAME] != NO_COLUMN && at[CALLS] != NO_COLUMN && at[TOTAL] != NO_COLUMN;
}

static bool is_ours(struct csv *c)
{
    size_t at[COLUMNS];
    return read_header(c, at);
}

static bool detect(const struct probe *p)
{
    return detect_header(p, is_ours);
}

/* "hip" of results.hip_stats.csv and of out_hip_api_stats.csv, "kernel" of results.stats.csv. */
static const char *kind_of(const char *path)
{
    static const char *const kinds[] = {"domain",  "kernel", "hip",     "hsa",        "copy",
                                        "marker",  "rccl",   "scratch", "allocation", "rocdecode",
                                        "rocjpeg", "kfd",    "ompt"};
    const char *name = fs_basename(path);
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (str_has_fold(name, kinds[i]))
            return kinds[i];
    return str_has(name, ".stats.csv") ? "kernel" : NULL;
}

static double at_column(struct csv *c, size_t i)
{
    double v;
    return i != NO_COLUMN && csv_num(c, i, &v) ? v : NAN;
}

/* Exact where it is a whole number; -1: none. */
static int64_t whole(struct csv *c, size_t i)
{
    int64_t v;
    double real = at_column(c, i);
    if (i != NO_COLUMN && csv_int(c, i, &v))
        return v;
    return real >= 0 && real < 9e18 ? (int64_t)(real + 0.5) : -1;
}

static bool read(struct tally *t, const char *path, struct gs_error *err)
{
    struct arena *temporary = arena_scratch();
    struct input *in = input_new(temporary, path, err);
    struct csv *c = in ? csv_new(temporary, input_read, in) : NULL;
    size_t at[COLUMNS];
    const char *kind = kind_of(path);
    if (c && csv_row(c) && read_header(c, at))
        while (csv_row(c)) {
            size_t n;
            csv_join(c, at[NAME]);
            const char *name = csv_text(c, at[NAME], &n);
            struct tally_statistic s = {.file = path,
                                        .kind = kind,
                                        .name = arena_strndup(t->arena, name, n),
                                        .calls = whole(c, at[CALLS]),
                                        .total_ns = whole(c, at[TOTAL]),
                                        .mean_ns = at_column(c, at[AVERAGE]),
                                        .pct = at_column(c, at[PERCENT]),
                                        .least_ns = at_column(c, at[MIN]),
                                        .most_ns = at_column(c, at[MAX]),
                                        .deviation_ns = at_column(c, at[DEVIATION])};
            vec_push(&t->statistics, t->arena, s);
        }
    bool ok = c && csv_end(c, err);
    if (in && !input_error(in, err))
        ok = false;
    arena_release(temporary);
    return ok;
}

const struct tally_kind tally_statistics_csv = {"statistics of rocprof or rocprofv3", detect, read};
