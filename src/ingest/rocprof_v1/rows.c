/*
 * Traces of rocprofv2 as CSV: hip_api_trace_123.csv, hsa_api_trace_123.csv, hcc_ops_trace_123.csv,
 * async_copy_trace_123.csv, roctx_trace_123.csv. Rows of calls may have a field more than the header,
 * the kernel that is launched, so fields count from the end.
 */
#include <string.h>

#include "base/input.h"
#include "base/str.h"
#include "ingest/detect.h"
#include "ingest/rocprof_v1/rv1.h"

enum kind { CALLS, OPS, COPIES, MARKS, KINDS };

static bool has(struct csv *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++) {
        size_t n;
        const char *text = csv_text(c, i, &n);
        if (n == strlen(name) && !memcmp(text, name, n))
            return true;
    }
    return false;
}

/* rocprofv3 has the same words, but writes Correlation_Id. */
static enum kind kind_of(struct csv *c)
{
    if (!has(c, "Domain"))
        return KINDS;
    if (has(c, "ROCTX_ID") && has(c, "Message") && has(c, "Timestamp"))
        return MARKS;
    if (!has(c, "Correlation_ID") || !has(c, "Start_Timestamp"))
        return KINDS;
    return has(c, "Function")      ? CALLS
           : !has(c, "Operation")  ? KINDS
           : has(c, "Kernel_Name") ? OPS
                                   : COPIES;
}

static bool is_ours(struct csv *c)
{
    return kind_of(c) != KINDS;
}

bool rv1_is_rows(const struct probe *p)
{
    return detect_header(p, is_ours);
}

/* Start, end and correlation are the last three fields. */
static bool times_of(struct csv *c, int64_t *start, int64_t *end, uint64_t *correlation)
{
    return c->n >= 5 && csv_int(c, c->n - 3, start) && csv_int(c, c->n - 2, end) &&
           csv_uint(c, c->n - 1, correlation);
}

static bool take_call(struct rv1 *r, struct csv *c, uint64_t pid)
{
    struct rv1_call k = {.pid = pid, .tid = pid, .stream = RV3_NO_ID, .bytes = RV3_NO_ID};
    if (!times_of(c, &k.start_ns, &k.end_ns, &k.correlation))
        return false;
    size_t n;
    const char *text = csv_text(c, 1, &n);
    k.name = arena_strndup(r->arena, text, n); /* the next field may take its place */
    k.name_n = n;
    if (c->n >= 6)
        k.kernel = csv_text(c, 2, &k.kernel_n);
    rv1_add_call(r, &k);
    return true;
}

static bool take_work(struct rv1 *r, struct csv *c, uint64_t pid, bool ops)
{
    struct rv1_op op = {.pid = pid, .gpu = ops ? 0 : RV3_NO_ID, .queue = ops ? 0 : RV3_NO_ID};
    if (!times_of(c, &op.start_ns, &op.end_ns, &op.correlation))
        return false;
    op.name = csv_text(c, ops && c->n >= 6 ? 2 : 1, &op.n);
    op.is_kernel = ops && c->n >= 6 && op.n;
    if (!op.n)
        op.name = csv_text(c, 1, &op.n);
    if (ops)
        rv1_add_op(r, &op);
    else
        rv1_add_lower_copy(r, &op);
    return true;
}

/* A message begins a range, none ends the last one. */
static bool take_mark(struct rv1 *r, struct csv *c, uint64_t pid)
{
    struct rv1_mark m = {.pid = pid, .tid = pid};
    if (c->n < 3 || !csv_int(c, c->n - 1, &m.time_ns))
        return false;
    m.text = csv_text(c, c->n - 2, &m.n);
    m.what = m.n ? 1 : 2;
    rv1_add_mark(r, &m);
    return true;
}

bool rv1_read_rows(struct rv1 *r, const char *path, struct gs_error *err)
{
    struct arena *temporary = arena_scratch();
    struct input *in = input_new(temporary, path, err);
    struct csv *c = in ? csv_new(temporary, input_read, in) : NULL;
    uint64_t pid = rv1_pid_of_name(path);
    enum kind kind = c && csv_row(c) ? kind_of(c) : KINDS;
    if (in)
        in->progress = r->progress;
    while (kind != KINDS && csv_row(c))
        r->bad += !(kind == CALLS   ? take_call(r, c, pid)
                    : kind == MARKS ? take_mark(r, c, pid)
                                    : take_work(r, c, pid, kind == OPS));
    bool ok = c && csv_end(c, err);
    if (in && !input_error(in, err))
        ok = false;
    arena_release(temporary);
    return ok;
}
