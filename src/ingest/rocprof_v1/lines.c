/*
 * What rocprof keeps while it runs, a record a line:
 *
 *     hip_api_trace.txt, hsa_api_trace.txt   1000:1900 12:13 hipMalloc(ptr=0x7f, size=64) :7
 *     hcc_ops_trace.txt                      2000:2600 0:0 KernelExecution:8:12
 *     async_copy_trace.txt                   2000:2600 async-copy:9:12
 *     roctx_trace.txt                        1500 12:13 1:0:"phase"
 *     results.txt                            dispatch[0], gpu-id(1), ..., time(1,2,3,4)
 *                                              SQ_WAVES (4096)
 *
 * Times, then process and thread (of work: GPU and queue). A launch ends in kernel=NAME; the number
 * behind the last colon is the correlation. Early versions leave it out.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/lines.h"
#include "base/str.h"
#include "ingest/rocprof_v1/rv1.h"

struct text {
    const char *p, *end;
};

static bool digits(struct text *t, uint64_t *out)
{
    const char *start = t->p;
    uint64_t v = 0;
    while (t->p < t->end && *t->p >= '0' && *t->p <= '9' && t->p - start < 19)
        v = v * 10 + (uint64_t)(*t->p++ - '0');
    *out = v;
    return t->p > start;
}

static bool eat(struct text *t, char c)
{
    return t->p < t->end && *t->p == c && t->p++;
}

static bool pair(struct text *t, uint64_t *a, uint64_t *b)
{
    return digits(t, a) && eat(t, ':') && digits(t, b);
}

/* ":123" at the end, cut off; with `blank`, only behind a blank. */
static bool cut_number(struct text *t, bool blank, uint64_t *out)
{
    const char *p = t->end;
    while (p > t->p && p[-1] >= '0' && p[-1] <= '9')
        p--;
    if (p == t->end || t->end - p > 18 || p == t->p || p[-1] != ':' ||
        (blank && (p - t->p < 2 || p[-2] != ' ')))
        return false;
    struct text number = {p, t->end};
    digits(&number, out);
    t->end = p - 1 - blank;
    return true;
}

static const char *find(const struct text *t, const char *part)
{
    size_t n = strlen(part);
    for (const char *p = t->p; p + n <= t->end; p++)
        if (!memcmp(p, part, n))
            return p;
    return NULL;
}

/* The value of an argument, "stream=0x1f" or "stream(31)"; RV3_NO_ID: none. */
static uint64_t argument(const struct text *t, const char *name)
{
    char word[40], copy[32];
    for (const char *forms = "=("; *forms; forms++) {
        size_t n = (size_t)snprintf(word, sizeof(word), "%s%c", name, *forms);
        const char *p = find(t, word);
        if (!p)
            continue;
        p += n;
        size_t len = 0;
        while (p + len < t->end && len < sizeof(copy) - 1 &&
               (isalnum((unsigned char)p[len]) || p[len] == '<' || p[len] == '>'))
            len++;
        memcpy(copy, p, len);
        copy[len] = 0;
        if (isdigit((unsigned char)*copy))
            return strtoull(copy, NULL, 0);
        return 0; /* "nil", "stream:<null>" */
    }
    return RV3_NO_ID;
}

/* "kernel(foo<int>(int))" of early versions: what stands between the brackets. */
static void old_kernel(const struct text *t, struct rv1_call *c)
{
    const char *p = find(t, "kernel(");
    int depth = 1;
    c->kernel = p ? p + 7 : NULL;
    for (p = c->kernel; p && p < t->end && depth; p++)
        depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
    c->kernel_n = p && !depth ? (size_t)(p - 1 - c->kernel) : 0;
}

/* ---- the files ---- */

/* " :7" and " kernel=NAME" come off the end, in this order. */
static bool take_call(struct rv1 *r, struct text t)
{
    uint64_t start, end;
    struct rv1_call c = {.correlation = RV3_NO_ID, .stream = RV3_NO_ID, .bytes = RV3_NO_ID};
    if (!pair(&t, &start, &end) || !eat(&t, ' ') || !pair(&t, &c.pid, &c.tid) || !eat(&t, ' '))
        return false;
    cut_number(&t, true, &c.correlation);
    const char *kernel = find(&t, " kernel=");
    if (kernel) {
        c.kernel = kernel + 8;
        c.kernel_n = (size_t)(t.end - c.kernel);
        t.end = kernel;
    }
    c.name = t.p;
    while (t.p < t.end && *t.p != '(' && *t.p != ' ')
        t.p++;
    c.name_n = (size_t)(t.p - c.name);
    if (!kernel)
        old_kernel(&t, &c);
    c.start_ns = (int64_t)start;
    c.end_ns = (int64_t)end;
    c.stream = argument(&t, "stream");
    c.stream = c.stream == RV3_NO_ID ? argument(&t, "hStream") : c.stream;
    c.bytes = argument(&t, "sizeBytes");
    c.bytes = c.bytes == RV3_NO_ID && find(&t, "size=") && find(&t, "dst_agent")
                  ? argument(&t, "size")
                  : c.bytes;
    if (c.name_n)
        rv1_add_call(r, &c);
    return c.name_n > 0;
}

/* "NAME:8:12", of early versions "NAME:8". */
static bool take_op(struct rv1 *r, struct text t)
{
    uint64_t start, end, last;
    struct rv1_op op = {.pid = RV3_NO_ID, .correlation = RV3_NO_ID};
    if (!pair(&t, &start, &end) || !eat(&t, ' ') || !pair(&t, &op.gpu, &op.queue) ||
        !eat(&t, ' ') || !cut_number(&t, false, &last))
        return false;
    if (cut_number(&t, false, &op.correlation))
        op.pid = last;
    else
        op.correlation = last;
    op.start_ns = (int64_t)start;
    op.end_ns = (int64_t)end;
    op.name = t.p;
    op.n = (size_t)(t.end - t.p);
    rv1_add_op(r, &op);
    return true;
}

/* "async-copy:9:12", "async-copy:9 12", "async-copy9". */
static bool take_copy(struct rv1 *r, struct text t)
{
    static const char word[] = "async-copy";
    uint64_t start, end;
    struct rv1_op op = {.name = word,
                        .n = sizeof(word) - 1,
                        .pid = RV3_NO_ID,
                        .correlation = RV3_NO_ID,
                        .gpu = RV3_NO_ID,
                        .queue = RV3_NO_ID};
    if (!pair(&t, &start, &end) || !eat(&t, ' ') || t.end - t.p < (ptrdiff_t)op.n ||
        memcmp(t.p, word, op.n) != 0)
        return false;
    t.p += op.n;
    if (eat(&t, ':')) {
        digits(&t, &op.correlation);
        if (eat(&t, ':') || eat(&t, ' '))
            digits(&t, &op.pid);
    }
    op.start_ns = (int64_t)start;
    op.end_ns = (int64_t)end;
    rv1_add_lower_copy(r, &op);
    return true;
}

/* `1500 12:13 1:0:"phase"`, of early versions `1500 12:13 1:phase`. */
static bool take_mark(struct rv1 *r, struct text t)
{
    uint64_t time, what;
    struct rv1_mark m = {.id = 0};
    if (!digits(&t, &time) || !eat(&t, ' ') || !pair(&t, &m.pid, &m.tid) || !eat(&t, ' ') ||
        !digits(&t, &what) || !eat(&t, ':') || what > 4)
        return false;
    struct text rest = t;
    if (digits(&rest, &m.id) && eat(&rest, ':') && eat(&rest, '"') && rest.end > rest.p &&
        rest.end[-1] == '"') {
        t = rest;
        t.end--;
    }
    m.what = (unsigned)what;
    m.time_ns = (int64_t)time;
    m.text = t.p;
    m.n = (size_t)(t.end - t.p);
    rv1_add_mark(r, &m);
    return true;
}

/* ---- results.txt ---- */

static uint32_t small(const struct text *t, const char *name)
{
    uint64_t v = argument(t, name);
    return v == RV3_NO_ID ? 0 : v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

/* Under either spelling. */
static uint64_t property(const struct text *t, const char *dashed, const char *lined)
{
    uint64_t v = argument(t, dashed);
    return v == RV3_NO_ID ? argument(t, lined) : v;
}

struct dispatched {
    struct rv3_kernel k;
    uint32_t counted;
    bool there, is_counted;
};

static bool times_of(const struct text *t, int64_t *start, int64_t *end)
{
    uint64_t v[4] = {0};
    const char *p = find(t, ", time(");
    struct text at = {p ? p + 7 : t->end, t->end};
    for (int i = 0; i < 4; i++)
        if (!digits(&at, &v[i]) || !eat(&at, i < 3 ? ',' : ')'))
            return false;
    *start = (int64_t)v[1];
    *end = (int64_t)v[2];
    return true;
}

static bool take_dispatch(struct rv1 *r, struct text t, struct dispatched *d)
{
    const char *name = find(&t, "kernel-name(\""), *stop = NULL;
    name = name ? name : find(&t, "kernel_name(\"");
    struct text before = {t.p, name ? name : t.end};
    struct symbol s = {.vgprs = small(&before, "arch_vgpr"),
                       .accum_vgprs = small(&before, "accum_vgpr"),
                       .sgprs = small(&before, "sgpr")};
    int64_t start, end;
    uint64_t pid = argument(&before, " pid"), gpu = property(&before, "gpu-id", "gpu_id");
    *d = (struct dispatched){.there = false};
    if (!name)
        return false;
    name += 13;
    struct text after = {name, t.end};
    stop = find(&after, "\")");
    if (!stop)
        return false;
    r->dispatches++;
    struct text rest = {stop, t.end};
    bool timed = times_of(&rest, &start, &end);
    r->no_time += !timed;
    r->lower += timed && r->has_ops;
    if (!timed || r->has_ops)
        return true;
    s.vgprs = s.vgprs ? s.vgprs : small(&before, " vgpr");
    uint32_t process = rv1_process(r, pid == RV3_NO_ID ? 0 : pid);
    d->k = (struct rv3_kernel){
        .process = process,
        .agent = rv1_agent(r, process, gpu == RV3_NO_ID ? 0 : gpu),
        .symbol = rv1_symbol(r, process, name, (size_t)(stop - name), &s),
        .start_ns = start,
        .end_ns = end,
        .dispatch = r->dispatches,
        .correlation = RV3_NO_ID,
        .thread = argument(&before, " tid"),
        .queue = property(&before, "queue-id", "queue_id"),
        .launch = {.grid = {small(&before, "grd"), 1, 1},
                   .group = {small(&before, "wgr"), 1, 1},
                   .lds_bytes = small(&before, "lds"),
                   .scratch_bytes = small(&before, "scr")},
    };
    d->k.stream = d->k.queue;
    d->there = true;
    rv3_count(&r->build, strings_add(&r->trace->strings, "KERNEL_DISPATCH"), 1);
    rv3_add_kernel(&r->build, &d->k);
    return true;
}

/* "  SQ_WAVES (4096)" */
static bool take_counter(struct rv1 *r, struct text t, struct dispatched *d)
{
    char number[64];
    while (eat(&t, ' ') || eat(&t, '\t'))
        ;
    const char *name = t.p, *open = find(&t, " (");
    if (!open || t.end[-1] != ')' || open == name || t.end - open - 3 >= (ptrdiff_t)sizeof(number))
        return false;
    size_t n = (size_t)(t.end - open - 3);
    memcpy(number, open + 2, n);
    number[n] = 0;
    char *end;
    double value = strtod(number, &end);
    if (*end || !n)
        return false;
    if (!d->there)
        return true;
    uint32_t text = strings_addn(&r->trace->strings, name, (size_t)(open - name));
    uint32_t slot = rv3_counter(&r->build, d->k.process, (uint64_t)text << 32 | d->k.agent);
    if (r->build.counters.v[slot] == NO_INDEX) {
        uint32_t agent = r->build.agents.v[d->k.agent].agent;
        struct counter_info c = {.name = text, .id = slot, .gpu = r->trace->agents.v[agent].gpu};
        rv3_describe_counter(&r->build, slot, &c);
    }
    if (!d->is_counted)
        d->counted = rv3_counted(&r->build, &d->k);
    d->is_counted = true;
    rv3_add_counter(&r->build, d->counted, slot, 0, value);
    return true;
}

/* ---- which file it is ---- */

enum kind { CALLS, OPS, COPIES, MARKS, DISPATCHES, KINDS };

/* By the first line. */
static enum kind kind_of(struct text t)
{
    uint64_t a, b;
    struct text one = t;
    if (t.end - t.p > 9 && !memcmp(t.p, "dispatch[", 9))
        return DISPATCHES;
    if (digits(&one, &a) && eat(&one, ' ') && pair(&one, &a, &b) && eat(&one, ' ') &&
        digits(&one, &a) && eat(&one, ':'))
        return MARKS;
    if (!pair(&t, &a, &b) || !eat(&t, ' '))
        return KINDS;
    if (t.end - t.p > 10 && !memcmp(t.p, "async-copy", 10))
        return COPIES;
    if (!pair(&t, &a, &b) || !eat(&t, ' ') || t.p == t.end)
        return KINDS;
    one = t;
    if (!cut_number(&one, true, &a) && cut_number(&one, false, &a))
        return OPS;
    const char *p = t.p;
    while (p < t.end && (isalnum((unsigned char)*p) || *p == '_'))
        p++;
    return p > t.p && (p == t.end || *p == '(' || *p == ' ') ? CALLS : KINDS;
}

bool rv1_is_lines(const struct probe *p)
{
    const char *stop = p->n ? memchr(p->head, '\n', p->n) : NULL;
    struct text t = {p->head, stop ? stop : p->head + p->n};
    if (p->is_sqlite || t.p == t.end || memchr(p->head, '\0', p->n))
        return false;
    t.end -= t.end[-1] == '\r';
    return kind_of(t) != KINDS;
}

static bool take_line(struct rv1 *r, enum kind kind, struct text t, struct dispatched *d)
{
    switch (kind) {
    case CALLS:
        return take_call(r, t);
    case OPS:
        return take_op(r, t);
    case COPIES:
        return take_copy(r, t);
    case MARKS:
        return take_mark(r, t);
    default:
        return t.end - t.p > 9 && !memcmp(t.p, "dispatch[", 9) ? take_dispatch(r, t, d)
                                                               : take_counter(r, t, d);
    }
}

bool rv1_read_lines(struct rv1 *r, const char *path, struct gs_error *err)
{
    struct arena *temporary = arena_scratch();
    struct input *in = input_new(temporary, path, err);
    struct lines *lines = in ? lines_new(temporary, input_read, in) : NULL;
    struct dispatched *d = arena_new(temporary, struct dispatched);
    enum kind kind = KINDS;
    size_t n;
    if (in)
        in->progress = r->progress;
    for (const char *text; in && (text = lines_next(lines, &n));) {
        struct text t = {text, text + n};
        if (!n)
            continue;
        kind = kind == KINDS ? kind_of(t) : kind;
        r->bad += !take_line(r, kind, t, d);
    }
    bool ok = in && lines_end(lines, err);
    if (in && !input_error(in, err))
        ok = false;
    arena_release(temporary);
    return ok;
}
