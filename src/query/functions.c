/*
 * Functions that libsqlite3 lacks, and some of its own in a version whose time does not grow with the
 * product of its arguments: a statement can be stopped between steps, not inside a function.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/groups_in.h"

/* memmem() is in no standard that we build for; this is as fast for our purposes and never quadratic. */
static const char *find(const char *text, size_t n, const char *part, size_t m)
{
    size_t *next = sqlite3_malloc64((m + 1) * sizeof(*next));
    const char *found = NULL;
    if (!next)
        return NULL;
    next[0] = 0;
    for (size_t i = 1, k = 0; i < m; i++) { /* how much of part ends here and begins it, too */
        while (k && part[i] != part[k])
            k = next[k - 1];
        next[i] = k += part[i] == part[k];
    }
    for (size_t i = 0, k = 0; i < n && !found; i++) {
        while (k && text[i] != part[k])
            k = next[k - 1];
        k += text[i] == part[k];
        if (k == m)
            found = text + i + 1 - m;
    }
    sqlite3_free(next);
    return found;
}

/* ---- numbers ---- */

/* Count, mean and squared distances from it, by Welford; the plain sum of squares beside them. */
void moments_add(struct moments *m, long double x)
{
    long double from = x - m->mean;
    m->n++;
    m->mean += from / (long double)m->n;
    m->distance += from * (x - m->mean);
    m->squares += x * x;
}

double moments_deviation(const struct moments *m, int64_t less)
{
    return (double)(m->distance / (long double)(m->n - less));
}

static void moments_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct moments *m = sqlite3_aggregate_context(ctx, sizeof(*m));
    (void)argc;
    if (!m || sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    long double x = sqlite3_value_type(argv[0]) == SQLITE_INTEGER
                        ? (long double)sqlite3_value_int64(argv[0])
                        : (long double)sqlite3_value_double(argv[0]);
    moments_add(m, x);
}

static struct moments moments_of(sqlite3_context *ctx)
{
    const struct moments *m = sqlite3_aggregate_context(ctx, 0);
    return m ? *m : (struct moments){0};
}

static void variance_end(sqlite3_context *ctx)
{
    struct moments m = moments_of(ctx);
    if (m.n > 1)
        sqlite3_result_double(ctx, moments_deviation(&m, 1));
}

static void stddev_end(sqlite3_context *ctx)
{
    struct moments m = moments_of(ctx);
    if (m.n > 1)
        sqlite3_result_double(ctx, (double)sqrtl(m.distance / (long double)(m.n - 1)));
}

static void stddev_pop_end(sqlite3_context *ctx)
{
    struct moments m = moments_of(ctx);
    if (m.n)
        sqlite3_result_double(ctx, (double)sqrtl(m.distance / (long double)m.n));
}

static void sumsq_end(sqlite3_context *ctx)
{
    struct moments m = moments_of(ctx);
    if (m.n)
        sqlite3_result_double(ctx, (double)m.squares);
}

/* ---- lists of values ---- */

struct list {
    void *v;
    size_t n, cap;
    double share; /* of percentile() */
};

static void *list_add(sqlite3_context *ctx, struct list *l, size_t size)
{
    if (l->n == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 64;
        void *v = sqlite3_realloc64(l->v, cap * size);
        if (!v) {
            sqlite3_result_error_nomem(ctx);
            return NULL;
        }
        l->v = v;
        l->cap = cap;
    }
    return (char *)l->v + l->n++ * size;
}

static void values_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct list *l = sqlite3_aggregate_context(ctx, sizeof(*l));
    if (!l || sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    l->share = argc > 1 ? sqlite3_value_double(argv[1]) / 100 : 0.5;
    double *v = list_add(ctx, l, sizeof(*v));
    if (v)
        *v = sqlite3_value_double(argv[0]);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/*
 * Moves the value that belongs to place k there, smaller ones before it, by halving; where that goes
 * badly again and again, by sorting.
 */
static void select_value(double *v, size_t n, size_t k)
{
    size_t lo = 0, hi = n - 1;
    for (int round = 0; lo < hi; round++) {
        double a = v[lo], b = v[lo + (hi - lo) / 2], c = v[hi];
        double middle = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
        size_t i = lo, j = hi;
        if (round > 200) {
            qsort(v + lo, hi - lo + 1, sizeof(*v), by_value);
            return;
        }
        while (i <= j) {
            while (v[i] < middle)
                i++;
            while (v[j] > middle)
                j--;
            if (i > j)
                break;
            double swap = v[i];
            v[i++] = v[j];
            v[j] = swap;
            if (!j--)
                break;
        }
        if (k <= j && j != SIZE_MAX)
            hi = j;
        else if (k >= i)
            lo = i;
        else
            return;
    }
}

double query_percentile(double *v, size_t n, double share)
{
    double at = share * (double)(n - 1);
    size_t low = (size_t)at, high = low + 1 < n ? low + 1 : low;
    select_value(v, n, low);
    double below = v[low], above = below;
    if (high > low) {
        above = v[high];
        for (size_t i = high; i < n; i++)
            above = v[i] < above ? v[i] : above;
    }
    return below + (above - below) * (at - (double)low);
}

static void values_end(sqlite3_context *ctx)
{
    struct list *l = sqlite3_aggregate_context(ctx, 0);
    if (!l || !l->n)
        return;
    if (!(l->share >= 0 && l->share <= 1))
        sqlite3_result_error(ctx, "percentile is between 0 and 100", -1);
    else
        sqlite3_result_double(ctx, query_percentile(l->v, l->n, l->share));
    sqlite3_free(l->v);
}

static int by_start(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

static void spans_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct list *l = sqlite3_aggregate_context(ctx, sizeof(*l));
    (void)argc;
    if (!l || sqlite3_value_type(argv[0]) == SQLITE_NULL ||
        sqlite3_value_type(argv[1]) == SQLITE_NULL)
        return;
    int64_t *v = list_add(ctx, l, 2 * sizeof(*v));
    if (v) {
        v[0] = sqlite3_value_int64(argv[0]);
        v[1] = sqlite3_value_int64(argv[1]);
    }
}

static void spans_end(sqlite3_context *ctx)
{
    struct list *l = sqlite3_aggregate_context(ctx, 0);
    if (!l || !l->n)
        return;
    int64_t *v = l->v, until = INT64_MIN;
    uint64_t sum = 0;
    qsort(v, l->n, 2 * sizeof(*v), by_start);
    for (size_t i = 0; i < l->n; i++) {
        int64_t from = v[2 * i] > until ? v[2 * i] : until, to = v[2 * i + 1];
        if (to <= from)
            continue;
        sum += (uint64_t)to - (uint64_t)from;
        until = to;
    }
    sqlite3_result_int64(ctx, sum > INT64_MAX ? INT64_MAX : (int64_t)sum);
    sqlite3_free(l->v);
}

/* ---- texts ---- */

static size_t characters(const char *text, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

static void instr(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL || sqlite3_value_type(argv[1]) == SQLITE_NULL)
        return;
    bool bytes =
        sqlite3_value_type(argv[0]) == SQLITE_BLOB && sqlite3_value_type(argv[1]) == SQLITE_BLOB;
    const char *text =
        bytes ? sqlite3_value_blob(argv[0]) : (const void *)sqlite3_value_text(argv[0]);
    const char *part =
        bytes ? sqlite3_value_blob(argv[1]) : (const void *)sqlite3_value_text(argv[1]);
    size_t n = (size_t)sqlite3_value_bytes(argv[0]), m = (size_t)sqlite3_value_bytes(argv[1]);
    if (!m) {
        sqlite3_result_int(ctx, 1);
        return;
    }
    const char *at = text && part ? find(text, n, part, m) : NULL;
    size_t before = at ? (size_t)(at - text) : 0;
    sqlite3_result_int64(ctx,
                         at ? (sqlite3_int64)(bytes ? before : characters(text, before)) + 1 : 0);
}

static void replace(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    for (int i = 0; i < 3; i++)
        if (sqlite3_value_type(argv[i]) == SQLITE_NULL)
            return;
    const char *text = (const char *)sqlite3_value_text(argv[0]);
    const char *part = (const char *)sqlite3_value_text(argv[1]);
    const char *with = (const char *)sqlite3_value_text(argv[2]);
    size_t n = (size_t)sqlite3_value_bytes(argv[0]), m = (size_t)sqlite3_value_bytes(argv[1]);
    size_t w = (size_t)sqlite3_value_bytes(argv[2]);
    if (!text || !part || !with || !m) {
        sqlite3_result_value(ctx, argv[0]);
        return;
    }
    int most = sqlite3_limit(sqlite3_context_db_handle(ctx), SQLITE_LIMIT_LENGTH, -1);
    sqlite3_str *out = sqlite3_str_new(sqlite3_context_db_handle(ctx));
    const char *end = text + n;
    for (const char *at; (at = find(text, (size_t)(end - text), part, m)) != NULL; text = at + m) {
        sqlite3_str_append(out, text, (int)(at - text));
        sqlite3_str_append(out, with, (int)w);
        if (sqlite3_str_errcode(out) || sqlite3_str_length(out) > most)
            break;
    }
    sqlite3_str_append(out, text, (int)(end - text));
    int rc = sqlite3_str_errcode(out), length = sqlite3_str_length(out);
    char *result = sqlite3_str_finish(out);
    if (rc == SQLITE_TOOBIG || length > most)
        sqlite3_result_error_toobig(ctx);
    else if (rc)
        sqlite3_result_error_nomem(ctx);
    else
        sqlite3_result_text(ctx, result ? result : "", length, SQLITE_TRANSIENT);
    sqlite3_free(result);
}

/* trim(X, Y), ltrim and rtrim: every character of X is looked for in Y, which must be short. */
enum { MOST_TRIMMED = 1000 };
enum { TRIM_LEFT = 1, TRIM_RIGHT = 2 };

static size_t character(const char *p, const char *end)
{
    size_t n = 1;
    while (p + n < end && ((unsigned char)p[n] & 0xc0) == 0x80)
        n++;
    return n;
}

static bool is_in(const char *c, size_t n, const char *set, const char *set_end)
{
    for (const char *p = set; p < set_end; p += character(p, set_end))
        if (character(p, set_end) == n && !memcmp(p, c, n))
            return true;
    return false;
}

static void trim(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    int sides = *(const int *)sqlite3_user_data(ctx);
    (void)argc;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL || sqlite3_value_type(argv[1]) == SQLITE_NULL)
        return;
    const char *text = (const char *)sqlite3_value_text(argv[0]);
    const char *set = (const char *)sqlite3_value_text(argv[1]);
    if (!text || !set)
        return;
    const char *end = text + sqlite3_value_bytes(argv[0]);
    const char *set_end = set + sqlite3_value_bytes(argv[1]);
    if (set_end - set > MOST_TRIMMED) {
        sqlite3_result_error(ctx, "trim: too many characters to take off", -1);
        return;
    }
    while ((sides & TRIM_LEFT) && text < end && is_in(text, character(text, end), set, set_end))
        text += character(text, end);
    while ((sides & TRIM_RIGHT) && end > text) {
        const char *last = end - 1;
        while (last > text && ((unsigned char)*last & 0xc0) == 0x80)
            last--;
        if (!is_in(last, (size_t)(end - last), set, set_end))
            break;
        end = last;
    }
    sqlite3_result_text(ctx, text, (int)(end - text), SQLITE_TRANSIENT);
}

/* ---- printf ---- */

enum { WIDEST = 1000000, MOST_ARGUMENTS = 100 };

/* Whether no width and no precision is so large that filling it takes long. */
static bool is_narrow(const char *format, int argc, sqlite3_value **argv)
{
    int at = 1;
    for (const char *p = format; *p; p++) {
        if (*p != '%')
            continue;
        for (p++; *p && strchr("-+ #0!,.*123456789l", *p); p++) {
            if (*p == '*') {
                sqlite3_int64 n = at < argc ? sqlite3_value_int64(argv[at]) : 0;
                at++;
                if (n > WIDEST || n < -WIDEST)
                    return false;
            } else if (*p >= '0' && *p <= '9') {
                char *end;
                if (strtod(p, &end) > WIDEST)
                    return false;
                p += strspn(p, "0123456789") - 1;
            }
        }
        if (!*p)
            break;
        at += *p != '%' && *p != 'n';
    }
    return true;
}

/* SQLite's own, in a connection that has it still. */
static void format(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct query *q = sqlite3_user_data(ctx);
    const char *text = argc ? (const char *)sqlite3_value_text(argv[0]) : NULL;
    if (!text || argc > MOST_ARGUMENTS)
        return;
    if (!is_narrow(text, argc, argv)) {
        sqlite3_result_error_toobig(ctx);
        return;
    }
    if (q->format_args != argc) {
        sqlite3_str *sql = sqlite3_str_new(q->plain);
        sqlite3_str_appendall(sql, "SELECT printf(?");
        for (int i = 1; i < argc; i++)
            sqlite3_str_appendall(sql, ",?");
        sqlite3_str_appendall(sql, ")");
        char *made = sqlite3_str_finish(sql);
        sqlite3_finalize(q->format);
        q->format = NULL;
        int rc = made ? sqlite3_prepare_v2(q->plain, made, -1, &q->format, NULL) : SQLITE_NOMEM;
        sqlite3_free(made);
        q->format_args = rc == SQLITE_OK ? argc : -1;
    }
    for (int i = 0; q->format && i < argc; i++)
        sqlite3_bind_value(q->format, i + 1, argv[i]);
    if (q->format && sqlite3_step(q->format) == SQLITE_ROW)
        sqlite3_result_value(ctx, sqlite3_column_value(q->format, 0));
    else
        sqlite3_result_error_nomem(ctx);
    sqlite3_reset(q->format);
}

void functions_register(struct query *q)
{
    static const int left = TRIM_LEFT, right = TRIM_RIGHT, both = TRIM_LEFT | TRIM_RIGHT;
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    static const struct {
        const char *name;
        int argc;
        void (*step)(sqlite3_context *, int, sqlite3_value **);
        void (*end)(sqlite3_context *);
    } sums[] = {
        {"variance", 1, moments_step, variance_end},     {"stddev", 1, moments_step, stddev_end},
        {"stddev_pop", 1, moments_step, stddev_pop_end}, {"sumsq", 1, moments_step, sumsq_end},
        {"median", 1, values_step, values_end},          {"percentile", 2, values_step, values_end},
        {"union_ns", 2, spans_step, spans_end},
    };
    for (size_t i = 0; i < ARRAY_LEN(sums); i++)
        sqlite3_create_function(q->db, sums[i].name, sums[i].argc, flags, NULL, NULL, sums[i].step,
                                sums[i].end);
    sqlite3_limit(q->plain, SQLITE_LIMIT_LENGTH, WIDEST);
    sqlite3_create_function(q->db, "printf", -1, flags, q, format, NULL, NULL);
    sqlite3_create_function(q->db, "format", -1, flags, q, format, NULL, NULL);
    sqlite3_create_function(q->db, "instr", 2, flags, NULL, instr, NULL, NULL);
    sqlite3_create_function(q->db, "trim", 2, flags, (void *)(uintptr_t)&both, trim, NULL, NULL);
    sqlite3_create_function(q->db, "ltrim", 2, flags, (void *)(uintptr_t)&left, trim, NULL, NULL);
    sqlite3_create_function(q->db, "rtrim", 2, flags, (void *)(uintptr_t)&right, trim, NULL, NULL);
    sqlite3_create_function(q->db, "replace", 3, flags, NULL, replace, NULL, NULL);
}
