#include <string.h>

#include "base/log.h"
#include "ingest/rocpd/rocpd.h"
#include "ingest/rocprofv3_csv/csv_in.h"

static const char *const names[N_COLUMNS] = {
#define COLUMN(name, header) [COL_##name] = header,
#include "ingest/rocprofv3_csv/columns.def"
#undef COLUMN
};

static bool has(const struct header *h, enum column a)
{
    return h->at[a] != NO_COLUMN;
}

/* A file of counter values without one of these would be taken for one of kernels. */
static enum column lacks(const struct header *h)
{
    static const enum column needed[] = {COL_COUNTER_NAME, COL_COUNTER_VALUE, COL_DISPATCH};
    if (!has(h, COL_COUNTER_NAME) && !has(h, COL_COUNTER_VALUE))
        return N_COLUMNS;
    for (size_t i = 0; i < ARRAY_LEN(needed); i++)
        if (!has(h, needed[i]))
            return needed[i];
    return N_COLUMNS;
}

/* By what only such a file has. Other tools use the same words, but write them Dispatch_ID. */
static enum file_kind kind_of(const struct header *h)
{
    bool timed = has(h, COL_START) && has(h, COL_END);
    if (has(h, COL_NODE) && has(h, COL_AGENT_TYPE))
        return FILE_AGENTS;
    if (has(h, COL_SAMPLE_TIME) && has(h, COL_EXEC_MASK))
        return FILE_PC_SAMPLES;
    if (has(h, COL_COUNTER_NAME) && has(h, COL_COUNTER_VALUE) && has(h, COL_DISPATCH) &&
        has(h, COL_CORRELATION))
        return FILE_COUNTERS;
    if (timed && has(h, COL_KERNEL_NAME) && has(h, COL_DISPATCH) && has(h, COL_CORRELATION))
        return FILE_KERNELS;
    if (timed && has(h, COL_SRC_AGENT) && has(h, COL_DST_AGENT))
        return FILE_COPIES;
    if (timed && has(h, COL_FUNCTION) && has(h, COL_DOMAIN))
        return FILE_CALLS;
    if (timed && has(h, COL_KIND) && has(h, COL_OPERATION) &&
        (has(h, COL_ALLOC_SIZE) || has(h, COL_ALLOC_FLAGS)))
        return FILE_ALLOCS;
    return FILE_UNKNOWN;
}

void header_read(struct header *h, struct csv *c)
{
    for (size_t k = 0; k < N_COLUMNS; k++)
        h->at[k] = NO_COLUMN;
    h->twice = N_COLUMNS;
    for (size_t i = c->n; i-- > 0;) { /* of two columns with one name the first counts */
        size_t n;
        const char *text = csv_text(c, i, &n);
        for (size_t k = 0; k < N_COLUMNS; k++)
            if (n == strlen(names[k]) && !memcmp(text, names[k], n)) {
                h->twice = h->at[k] == NO_COLUMN ? h->twice : (enum column)k;
                h->at[k] = i;
            }
    }
    h->lacks = lacks(h);
    h->kind = h->lacks == N_COLUMNS ? kind_of(h) : FILE_UNKNOWN;
}

void header_warn(const struct header *h, const char *path)
{
    if (h->lacks != N_COLUMNS)
        log_warn("%s: counter values without a column '%s'; passed over", path, names[h->lacks]);
    else if (h->twice != N_COLUMNS && h->kind != FILE_UNKNOWN)
        log_warn("%s: two columns are called '%s'; the first is read", path, names[h->twice]);
}

const char *rv3c_text(struct rv3c *r, enum column c, size_t *n)
{
    return csv_text(r->csv, r->header.at[c], n);
}

uint32_t rv3c_string(struct rv3c *r, enum column c)
{
    size_t n;
    const char *text = rv3c_text(r, c, &n);
    return n ? strings_addn(&r->trace->strings, text, n) : 0;
}

uint64_t rv3c_id(struct rv3c *r, enum column c)
{
    uint64_t v;
    return csv_uint(r->csv, r->header.at[c], &v) ? v : RV3_NO_ID;
}

int64_t rv3c_time(struct rv3c *r, enum column c)
{
    int64_t v;
    return csv_int(r->csv, r->header.at[c], &v) ? v : NO_TIME;
}

uint32_t rv3c_small(struct rv3c *r, enum column c)
{
    uint64_t v;
    if (!csv_uint(r->csv, r->header.at[c], &v))
        return 0;
    return v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}
