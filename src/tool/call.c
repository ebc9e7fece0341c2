/* One call: arguments, the trace, the answer, and that it is not too large. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/str.h"
#include "tool/ask.h"

const struct tool *const tools[] = {
#define TOOL(group, name) &tool_##name,
#include "tool/tools.def"
#undef TOOL
    NULL,
};

static bool same_name(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, "-_");
        b += strspn(b, "-_");
        if (strncasecmp(a, b, 1))
            return false;
        if (!*a)
            return true;
    }
}

const struct tool *tool_find(const char *name)
{
    for (const struct tool *const *t = tools; *t; t++)
        if (same_name((*t)->name, name))
            return *t;
    return NULL;
}

/* ---- lists ---- */

enum { ROWS = 20, ROWS_MOST = 1000 };

static void add_list(struct tool_ask *ask, void *v, size_t *n, size_t row_size, void *rows,
                     size_t total)
{
    struct tool_list list = {v, n, row_size, rows, total};
    vec_push(&ask->lists, ask->arena, list);
}

void tool_rows_(struct tool_ask *ask, void *list, size_t row_size, void *rows, size_t n)
{
    struct {
        void *v;
        size_t n, cap;
    } *vec = list;
    add_list(ask, &vec->v, &vec->n, row_size, rows, n);
}

void tool_table_rows(struct tool_ask *ask, struct result *r)
{
    add_list(ask, &r->rows, &r->n, r->fields->row_size, (void *)(uintptr_t)r->rows, r->n);
}

/* The rows that are shown of each list, when a page has so many. */
static void cut(struct tool_ask *ask, size_t limit)
{
    for (size_t i = 0; i < ask->lists.n; i++) {
        const struct tool_list *l = &ask->lists.v[i];
        size_t first = i ? 0 : ask->first, left = l->total - first;
        assert(first <= l->total); /* write_answer() refuses other cursors */
        void *rows = l->all ? l->all + first * l->row_size : NULL;
        memcpy(l->v, &rows, sizeof(rows));
        *l->n = left < limit ? left : limit;
    }
    if (!ask->head || !ask->lists.n)
        return;
    size_t end = ask->first + *ask->lists.v[0].n;
    ask->head->total = ask->lists.v[0].total;
    ask->head->next_cursor =
        end < ask->lists.v[0].total ? arena_printf(ask->arena, "%zu", end) : NULL;
}

static bool read_page(struct tool_ask *ask, struct gs_error *err)
{
    const struct tool_args *o = &ask->args;
    char *end = NULL;
    ask->limit = !o->has_limit ? ROWS : o->limit < ROWS_MOST ? (size_t)o->limit : ROWS_MOST;
    if (!o->cursor)
        return true;
    errno = 0;
    unsigned long long first = strtoull(o->cursor, &end, 10);
    if (errno || end == o->cursor || *end || *o->cursor < '0' || *o->cursor > '9')
        return fail(err, GS_E_USAGE, "'%.80s' is no cursor; take next_cursor of an answer",
                    o->cursor);
    ask->first = first < SIZE_MAX ? (size_t)first : SIZE_MAX;
    return true;
}

/* ---- the answer ---- */

void tool_head_set(struct tool_ask *ask, struct tool_head *head)
{
    const char *id = head->trace ? head->trace : ask->id;
    *head = (struct tool_head){.trace = id};
    if (ask->a) {
        head->start_ns = ask->a->view.start_ns;
        head->end_ns = ask->a->view.end_ns;
    }
    ask->head = head;
}

void tool_tables_take(struct tool_tables *d, const char *const *keys, const struct analysis *a,
                      struct arena *arena)
{
    struct results all = {0};
    analysis_results(a, &all, arena);
    for (; *keys; keys++) {
        const struct result *r = results_find(&all, *keys);
        if (r)
            vec_push(&d->tables, arena, *r);
    }
}

static const void *tables_answer(struct tool_ask *ask)
{
    struct tool_tables *d = arena_new(ask->arena, struct tool_tables);
    tool_head_set(ask, &d->head);
    tool_tables_take(d, ask->tool->tables, ask->a, ask->arena);
    for (size_t i = 0; i < d->tables.n; i++) {
        if (!d->tables.v[i].is_object)
            tool_table_rows(ask, &d->tables.v[i]);
    }
    return d;
}

static bool write_answer(struct tool_ask *ask, const void *row, struct str *out,
                         struct gs_error *err)
{
    size_t most = tool_box_settings(ask->box)->answer_bytes, limit = ask->limit;
    if (ask->lists.n && ask->first > ask->lists.v[0].total)
        return fail(err, GS_E_USAGE, "the cursor is behind the end: there are %zu rows",
                    ask->lists.v[0].total);
    for (;;) {
        struct jwrite w;
        str_clear(out);
        cut(ask, limit);
        jw_init(&w, out, 0);
        fields_write(&w, NULL, ask->result ? ask->result : ask->tool->result, row);
        if (out->len <= most)
            return true;
        if (limit <= 1 || !ask->lists.n)
            return fail(err, GS_E_USAGE,
                        "the answer has %zu bytes, and %zu is the most; ask for a part of it",
                        out->len, most);
        size_t fits = limit * most / out->len * 9 / 10;
        limit = fits < 1 ? 1 : fits < limit ? fits : limit - 1;
    }
}

struct request {
    struct tool_box *box;
    const char *name, *args;
    size_t len;
    struct arena *arena;
    struct str out;
    struct gs_error err;
    bool ok;
};

static bool unknown(const char *name, struct gs_error *err)
{
    static const char *const names[] = {
#define TOOL(group, name) #name,
#include "tool/tools.def"
#undef TOOL
        NULL,
    };
    const char *near = opt_nearest(name, names);
    return fail(err, GS_E_USAGE, "unknown tool '%.80s'%s%s%s", name, near ? "; did you mean '" : "",
                near ? near : "", near ? "'?" : "");
}

static bool answer(struct request *q)
{
    struct tool_ask *ask = arena_new(q->arena, struct tool_ask);
    ask->box = q->box;
    ask->arena = q->arena;
    ask->tool = tool_find(q->name);
    if (!ask->tool)
        return unknown(q->name, &q->err);
    if (!tool_args_read(&ask->args, ask->tool->params, q->args, q->len, q->arena, &q->err) ||
        !read_page(ask, &q->err))
        return false;
    if (ask->tool->needs_run) {
        ask->run = tool_run(q->box, ask->args.trace, &ask->id, &q->err);
        if (ask->run && !ask->tool->varies &&
            tool_given(q->box, ask->run, ask->tool, q->args, q->len, &q->out))
            return true;
        ask->a = ask->run ? tool_part(ask, &q->err) : NULL;
        if (!ask->a)
            return false;
    }
    const void *row = ask->tool->call ? ask->tool->call(ask, &q->err) : tables_answer(ask);
    if (!row || !write_answer(ask, row, &q->out, &q->err))
        return false;
    if (ask->run && !ask->tool->varies)
        tool_give(q->box, ask->run, ask->tool, q->args, q->len, &q->out);
    return true;
}

static void run_guarded(void *ctx)
{
    struct request *q = ctx;
    q->ok = answer(q);
}

static const char *code_name(enum gs_code code)
{
    static const char *const names[] = {"ok", "gate", "usage", "io", "format", "empty", "network"};
    return (size_t)code < ARRAY_LEN(names) ? names[code] : "io";
}

struct tool_answer tool_call(struct tool_box *box, const char *name, const char *args, size_t len,
                             struct arena *arena)
{
    struct request *q = arena_new(arena, struct request);
    *q = (struct request){.box = box, .name = name, .args = args, .len = len, .arena = arena};
    str_init(&q->out, arena);
    if (!mem_guard(run_guarded, q, &q->err))
        q->ok = false;
    if (!q->ok) {
        struct jwrite w;
        str_clear(&q->out);
        jw_init(&w, &q->out, 0);
        jw_open(&w, NULL, '{');
        jw_str(&w, "error", q->err.text);
        jw_str(&w, "code", code_name(q->err.code));
        jw_close(&w);
    }
    while (q->out.len && q->out.buf[q->out.len - 1] == '\n')
        q->out.buf[--q->out.len] = 0;
    return (struct tool_answer){q->out.buf, q->out.len, !q->ok};
}
