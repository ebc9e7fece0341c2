#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "ingest/rpd/rpd.h"

/* A decimal or, after 0x, hexadecimal number; RPD_NONE for anything else. */
static int64_t number(const char *p, size_t n)
{
    bool hex = n > 2 && p[0] == '0' && (p[1] | 0x20) == 'x';
    uint64_t v = 0;
    if (!n || n > 18)
        return RPD_NONE;
    for (size_t i = hex ? 2 : 0; i < n; i++) {
        unsigned digit = (unsigned)p[i] - '0';
        if (hex && digit > 9)
            digit = ((unsigned)p[i] | 0x20) - 'a' + 10;
        if (digit >= (hex ? 16u : 10u))
            return RPD_NONE;
        v = v * (hex ? 16 : 10) + digit;
    }
    return (int64_t)v;
}

int64_t rpd_argument(const char *args, const char *key)
{
    const char *p = strstr(args, key);
    if (!p)
        return RPD_NONE;
    p += strlen(key);
    p += strspn(p, " =");
    return number(p, strcspn(p, " |"));
}

/* ---- columns ---- */

struct column_job {
    struct rpd *r;
    const struct scan *scan;
    struct rpd_columns *out;
};

static void begin(void *ctx, size_t rows)
{
    struct column_job *job = ctx;
    job->out->n = rows;
    for (size_t c = 0; c < job->scan->n_cols; c++)
        job->out->col[c] = arena_array(job->r->arena, int64_t, rows);
}

static void rows(void *ctx, const struct scan_batch *b)
{
    struct column_job *job = ctx;
    for (size_t c = 0; c < job->scan->n_cols; c++) {
        int64_t *to = job->out->col[c] + b->first;
        if (job->scan->cols[c].type == SCAN_INT) {
            memcpy(to, b->col[c], b->n * sizeof(*to));
            continue;
        }
        for (size_t i = 0; i < b->n; i++)
            to[i] = number(batch_texts(b, c)[i].p, batch_texts(b, c)[i].n);
    }
}

static bool ascend(const struct rpd_columns *c)
{
    for (size_t i = 1; i < c->n; i++)
        if (c->col[0][i] <= c->col[0][i - 1])
            return false;
    return true;
}

/* Gives rpd_row() the order it relies on where the key is not the table's own. */
static void put_in_order(struct rpd *r, struct rpd_columns *c, size_t n_cols)
{
    uint32_t *order = arena_array(r->arena, uint32_t, c->n);
    for (size_t i = 0; i < c->n; i++)
        order[i] = (uint32_t)i;
    sort_rows(order, c->n, c->col[0], r->arena);
    size_t kept = 0;
    for (size_t i = 0; i < c->n; i++)
        if (!i || c->col[0][order[i]] != c->col[0][order[i - 1]])
            order[kept++] = order[i];
    for (size_t k = 0; k < n_cols; k++) {
        int64_t *sorted = arena_array(r->arena, int64_t, kept);
        for (size_t i = 0; i < kept; i++)
            sorted[i] = c->col[k][order[i]];
        c->col[k] = sorted;
    }
    trace_note(r->trace, NOTE_DUPLICATE, c->n - kept, "rows repeat the id of another one");
    c->n = kept;
}

bool rpd_read_columns(struct rpd *r, const char *table, const struct scan_col *cols, size_t n,
                      struct rpd_columns *out, struct gs_error *err)
{
    if (!db_has_table(r->db, table)) {
        char text[128];
        *out = (struct rpd_columns){0};
        snprintf(text, sizeof(text), "table %s is missing", table);
        trace_note(r->trace, NOTE_MISSING_TABLE, 1, text);
        return true;
    }
    struct scan scan = {.table = table, .cols = cols, .n_cols = n, .begin = begin, .rows = rows};
    struct column_job job = {r, &scan, out};
    scan.ctx = &job;
    if (!scan_table(r->db, &scan, err))
        return false;
    if (!ascend(out))
        put_in_order(r, out, n);
    return true;
}

bool rpd_read_strings(struct rpd *r, struct gs_error *err)
{
    idtable_init(&r->strings, r->arena);
    if (!db_has_table(r->db, "rocpd_string"))
        return fail(err, GS_E_FORMAT, "table rocpd_string is missing: nothing has a name");
    return scan_strings(r->db, "rocpd_string", &r->trace->strings, &r->strings, err);
}
