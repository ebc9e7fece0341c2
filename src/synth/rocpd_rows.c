/* The bulk: one prepared insert per kind of row, ids in the order of writing. */
#include <stdio.h>
#include <string.h>

#include "base/jwrite.h"
#include "synth/rocpd_in.h"

static const char *const inserts[INS_COUNT] = {
    [INS_EVENT] = "\"rocpd_event{u}\"(id, category_id, stack_id, parent_stack_id, correlation_id) "
                  "VALUES(?, ?, ?, ?, 0)",
    [INS_EVENT_MESSAGE] = "\"rocpd_event{u}\"(id, category_id, stack_id, parent_stack_id, "
                          "correlation_id, extdata) VALUES(?, ?, ?, ?, 0, ?)",
    [INS_REGION] = "\"rocpd_region{u}\"(nid, pid, id, tid, start, end, name_id, event_id) "
                   "VALUES({n}, {p}, ?, ?, ?, ?, ?, ?)",
    [INS_SAMPLE] = "\"rocpd_sample{u}\"(id, track_id, timestamp, event_id) VALUES(?, ?, ?, ?)",
    [INS_KERNEL] =
        "\"rocpd_kernel_dispatch{u}\"(nid, pid, id, tid, agent_id, kernel_id, dispatch_id, "
        "queue_id, stream_id, start, end, private_segment_size, group_segment_size, "
        "workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y, "
        "grid_size_z, region_name_id, event_id\n@, graph_exec_id, graph_node_id\n) "
        "VALUES({n}, {p}, ?1, ?2, ?3, ?4, ?1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, "
        "?14, ?15, ?16, 1, ?17\n@, ?18, ?19\n)",
    [INS_PMC] = "\"rocpd_pmc_event{u}\"(id, event_id, pmc_id, value\n@, instance\n) "
                "VALUES(?1, ?2, ?3, ?4\n@, ?5\n)",
    [INS_COPY] =
        "\"rocpd_memory_copy{u}\"(nid, pid, id, tid, start, end, name_id, dst_agent_id, "
        "dst_address, src_agent_id, src_address, size, stream_id, event_id"
        "\n@, graph_exec_id, graph_node_id\n) VALUES({n}, {p}, ?1, ?2, ?3, ?4, ?5, ?6, ?7, "
        "?8, ?9, ?10, ?11, ?12\n@, ?13, ?14\n)",
    [INS_ALLOC] =
        "\"rocpd_memory_allocate{u}\"(nid, pid, id, tid, agent_id, type, level, start, end, "
        "address, size, queue_id, stream_id, event_id) VALUES({n}, {p}, ?, ?, ?, ?, ?, ?, "
        "?, ?, ?, ?, ?, ?)",
    [INS_GRAPH] = "\"rocpd_graph_launch{u}\"(nid, pid, id, tid, agent_id, queue_id, start, end, "
                  "graph_exec_id, kernel_dispatch_count) VALUES({n}, {p}, ?, ?, ?, ?, ?, ?, ?, ?)",
    [INS_TRACK] = "\"rocpd_track{u}\"(nid, pid, id, tid, name_id) VALUES({n}, {p}, ?, ?, ?)",
};

/* {n} and {p} are the same in every row of a process, so they stand in the text. */
static char *fill_ids(struct rocpd *w, const struct rprocess *p, const char *sql)
{
    struct str out;
    str_init(&out, w->arena);
    str_puts(&out, "INSERT INTO ");
    for (; *sql; sql++) {
        if (!strncmp(sql, "{n}", 3) || !strncmp(sql, "{p}", 3)) {
            str_printf(&out, "%lld", (long long)(sql[1] == 'n' ? p->nid : p->pid_row));
            sql += 2;
        } else {
            str_putc(&out, *sql);
        }
    }
    return out.buf;
}

void rocpdw_prepare_inserts(struct rocpd *w, struct rprocess *p)
{
    for (int i = 0; i < INS_COUNT && !w->sink.failed; i++)
        if (i != INS_GRAPH || w->o.flavor == ROCPD_V305)
            p->insert[i] = rocpdw_prepare(w, p, fill_ids(w, p, inserts[i]));
}

static void bind(sqlite3_stmt *st, const int64_t *v, int n)
{
    for (int i = 0; i < n; i++)
        sqlite3_bind_int64(st, i + 1, v[i]);
}

#define BIND(st, ...)                                                                              \
    do {                                                                                           \
        int64_t values_[] = {__VA_ARGS__};                                                         \
        bind(st, values_, (int)(ARRAY_LEN(values_)));                                              \
    } while (0)

static int64_t add_event(struct rocpd *w, struct rprocess *p, uint32_t category, uint64_t stack,
                         uint64_t parent)
{
    sqlite3_stmt *st = p->insert[INS_EVENT];
    BIND(st, ++p->event, w->string_id[category], (int64_t)stack, (int64_t)parent);
    rocpdw_step(w, p, st);
    return p->event;
}

static int64_t add_message(struct rocpd *w, struct rprocess *p, const struct rec_region *r,
                           uint32_t category)
{
    sqlite3_stmt *st = p->insert[INS_EVENT_MESSAGE];
    struct name m = names_get(w->names, r->message);
    str_clear(&w->text);
    str_puts(&w->text, "{\"message\":");
    jw_quote(&w->text, m.s, m.n);
    str_puts(&w->text, "}");
    BIND(st, ++p->event, w->string_id[category], (int64_t)r->corr, (int64_t)r->parent);
    sqlite3_bind_text(st, 5, w->text.buf, (int)w->text.len, SQLITE_STATIC);
    rocpdw_step(w, p, st);
    return p->event;
}

/* --- arguments --------------------------------------------------------------------------- */

enum { ARG_ROOM = 64 }; /* the longest: {x=..., y=..., z=...} with 20 and 10 digits */

static char *put_hex(char *end, uint64_t v)
{
    do
        *--end = "0123456789abcdef"[v & 15];
    while (v >>= 4);
    *--end = 'x';
    *--end = '0';
    return end;
}

static char *put_int(char *end, uint64_t v)
{
    do
        *--end = (char)('0' + v % 10);
    while (v /= 10);
    return end;
}

/* The text of a value, written backwards from `end`. */
static char *arg_text(char *end, const struct rec_arg *a)
{
    static const char *const kinds[] = {"hipMemcpyHostToHost", "hipMemcpyHostToDevice",
                                        "hipMemcpyDeviceToHost", "hipMemcpyDeviceToDevice"};
    if (a->form == ARG_POINTER)
        return put_hex(end, a->value);
    if (a->form == ARG_INT)
        return put_int(end, a->value);
    if (a->form == ARG_COPY_KIND) {
        size_t n = strlen(kinds[a->value & 3]);
        return memcpy(end - n, kinds[a->value & 3], n);
    }
    *--end = '}';
    end = put_int(end, a->z);
    end -= 4;
    memcpy(end, ", z=", 4);
    end = put_int(end, a->y);
    end -= 4;
    memcpy(end, ", y=", 4);
    end = put_int(end, a->value);
    end -= 3;
    return memcpy(end, "{x=", 3);
}

/*
 * All arguments of a call go in with one statement, whose types and names stand in its text: half
 * the time of a row each. There are few signatures, so the statements are found by their pointers.
 */
static struct arg_insert *arg_insert(struct rocpd *w, struct rprocess *p,
                                     const struct rec_arg *args, size_t n)
{
    for (size_t i = 0; i < p->arg_inserts.n; i++) {
        struct arg_insert *k = &p->arg_inserts.v[i];
        if (k->n == n && k->first == args[0].name && k->last == args[n - 1].name &&
            k->type == args[0].type)
            return k;
    }
    struct str sql;
    str_init(&sql, w->arena);
    str_puts(&sql,
             "INSERT INTO \"rocpd_arg{u}\"(id, event_id, position, type, name, value) VALUES");
    for (size_t i = 0; i < n; i++)
        str_printf(&sql, "%s(?1 + %zu, ?2, %zu, '%s', '%s', ?%zu)", i ? ", " : "", i, i,
                   args[i].type, args[i].name, i + 3);
    struct arg_insert *k = vec_add(&p->arg_inserts, w->arena);
    *k = (struct arg_insert){n, args[0].name, args[n - 1].name, args[0].type, NULL};
    k->st = rocpdw_prepare(w, p, sql.buf);
    return k;
}

static void add_args(struct rocpd *w, struct rprocess *p, const struct rec_region *r, int64_t event)
{
    size_t n = w->o.args >= 0 && (size_t)w->o.args < r->arg_n ? (size_t)w->o.args : r->arg_n;
    if (!n)
        return;
    sqlite3_stmt *st = arg_insert(w, p, r->args, n)->st;
    char buf[ARG_ROOM * 8];
    BIND(st, p->arg + 1, event);
    for (size_t i = 0; i < n; i++) {
        char *end = buf + ARG_ROOM * (i + 1), *text = arg_text(end, &r->args[i]);
        sqlite3_bind_text(st, (int)i + 3, text, (int)(end - text), SQLITE_STATIC);
    }
    rocpdw_step(w, p, st);
    p->arg += (int64_t)n;
}

/* --- regions ----------------------------------------------------------------------------- */

/* The track of a thread's instants of one category: markers in all real cases. */
static int64_t thread_track(struct rocpd *w, struct rprocess *p, int thread, uint32_t category)
{
    if (!p->thread_track)
        p->thread_track = arena_array(w->arena, int64_t, p->threads.n);
    if (!p->thread_track[thread]) {
        p->thread_track[thread] = ++p->track;
        BIND(p->insert[INS_TRACK], p->track, row_thread(w, p, thread), w->string_id[category]);
        rocpdw_step(w, p, p->insert[INS_TRACK]);
    }
    return p->thread_track[thread];
}

void rocpdw_region(struct sink *s, const struct rec_region *r)
{
    struct rocpd *w = (struct rocpd *)s;
    struct rprocess *p = &w->processes.v[r->process];
    bool sys = w->o.flavor == ROCPD_SYS;
    uint32_t category = w->category[r->category];
    if (r->category == CAT_HSA && !sys && !strncmp(names_text(w->names, r->name), "hsa_amd_", 8))
        category = w->category[RCAT_HSA_AMD];
    /* rocprof-sys names a user's region by its text, rocprofv3 keeps the text in the event. */
    uint32_t name = sys && r->category == CAT_MARKER ? r->message : r->name;
    int64_t event = r->category == CAT_MARKER && !sys
                        ? add_message(w, p, r, category)
                        : add_event(w, p, category, r->corr, r->parent);
    add_args(w, p, r, event);
    if (r->start_ns == r->end_ns) {
        int64_t id = sys ? ++p->sample : (int64_t)r->corr;
        int64_t track = thread_track(w, p, r->thread, category);
        BIND(p->insert[INS_SAMPLE], id, track, r->start_ns, event);
        rocpdw_step(w, p, p->insert[INS_SAMPLE]);
        return;
    }
    int64_t id = sys ? ++p->region : (int64_t)r->corr;
    BIND(p->insert[INS_REGION], id, row_thread(w, p, r->thread), r->start_ns, r->end_ns,
         w->string_id[name], event);
    rocpdw_step(w, p, p->insert[INS_REGION]);
}

/* --- GPU records ------------------------------------------------------------------------- */

void rocpdw_flush_graph(struct rocpd *w, struct rprocess *p)
{
    const struct rec_kernel *k = &p->last_graph;
    if (!k->graph_exec || w->o.flavor != ROCPD_V305)
        return;
    BIND(p->insert[INS_GRAPH], ++p->graph, row_thread(w, p, k->thread),
         row_agent(w, CPU_AGENTS + k->gpu), row_queue(w, k->queue), p->graph_start, k->end_ns,
         (int64_t)k->graph_exec, p->graph_kernels);
    rocpdw_step(w, p, p->insert[INS_GRAPH]);
    p->last_graph.graph_exec = 0;
}

static void follow_graph(struct rocpd *w, struct rprocess *p, const struct rec_kernel *k)
{
    if (p->last_graph.graph_exec != k->graph_exec) {
        rocpdw_flush_graph(w, p);
        p->graph_start = k->start_ns;
        p->graph_kernels = 0;
    }
    p->last_graph = *k;
    p->graph_kernels++;
}

void rocpdw_kernel(struct sink *s, const struct rec_kernel *r)
{
    struct rocpd *w = (struct rocpd *)s;
    struct rprocess *p = &w->processes.v[r->process];
    sqlite3_stmt *st = p->insert[INS_KERNEL];
    if (w->o.flavor == ROCPD_V305 && (r->graph_exec || p->last_graph.graph_exec))
        follow_graph(w, p, r);
    int64_t event = add_event(w, p, w->category[RCAT_KERNEL], r->corr, r->corr);
    if (!p->first_dispatch_event)
        p->first_dispatch_event = event;
    BIND(st, (int64_t)r->dispatch, row_thread(w, p, r->thread), row_agent(w, CPU_AGENTS + r->gpu),
         r->symbol->id, row_queue(w, r->queue), row_stream(w, r->stream), r->start_ns, r->end_ns,
         r->scratch, r->lds, r->wg[0], r->wg[1], r->wg[2], r->grid[0], r->grid[1], r->grid[2],
         event);
    if (w->o.flavor == ROCPD_V305) {
        sqlite3_bind_int64(st, 18, (int64_t)r->graph_exec);
        sqlite3_bind_int64(st, 19, (int64_t)r->graph_node);
    }
    rocpdw_step(w, p, st);
}

void rocpdw_counter(struct sink *s, const struct rec_counter *r)
{
    struct rocpd *w = (struct rocpd *)s;
    struct rprocess *p = &w->processes.v[r->process];
    sqlite3_stmt *st = p->insert[INS_PMC];
    /* Dispatches were written in one go, so their events are in a row. */
    int64_t event = p->first_dispatch_event + (int64_t)r->dispatch - 1;
    BIND(st, ++p->pmc, event, r->index + 1);
    sqlite3_bind_double(st, 4, r->value);
    if (w->o.flavor == ROCPD_V305)
        sqlite3_bind_int64(st, 5, r->instance);
    rocpdw_step(w, p, st);
}

void rocpdw_copy(struct sink *s, const struct rec_copy *r)
{
    static const char *const names[] = {"MEMORY_COPY_HOST_TO_DEVICE", "MEMORY_COPY_DEVICE_TO_HOST",
                                        "MEMORY_COPY_DEVICE_TO_DEVICE",
                                        "MEMORY_COPY_DEVICE_TO_DEVICE", "MEMORY_COPY_HOST_TO_HOST"};
    struct rocpd *w = (struct rocpd *)s;
    struct rprocess *p = &w->processes.v[r->process];
    sqlite3_stmt *st = p->insert[INS_COPY];
    uint32_t name = names_adds(w->names, names[r->direction]);
    int64_t event = add_event(w, p, w->category[RCAT_COPY], r->corr, r->corr);
    BIND(st, ++p->copy, row_thread(w, p, r->thread), r->start_ns, r->end_ns, w->string_id[name],
         row_agent(w, r->dst_agent), (int64_t)r->dst_address, row_agent(w, r->src_agent),
         (int64_t)r->src_address, r->size, row_stream(w, r->stream), event);
    if (w->o.flavor == ROCPD_V305) {
        sqlite3_bind_int64(st, 13, (int64_t)r->graph_exec);
        sqlite3_bind_int64(st, 14, (int64_t)r->graph_node);
    }
    rocpdw_step(w, p, st);
}

void rocpdw_alloc(struct sink *s, const struct rec_alloc *r)
{
    static const char *const types[] = {"ALLOC", "FREE", "REALLOC", "RECLAIM"};
    static const char *const levels[] = {"REAL", "VIRTUAL", "SCRATCH"};
    struct rocpd *w = (struct rocpd *)s;
    struct rprocess *p = &w->processes.v[r->process];
    sqlite3_stmt *st = p->insert[INS_ALLOC];
    uint32_t category = w->category[r->level == LEVEL_SCRATCH ? RCAT_SCRATCH : RCAT_ALLOC];
    int64_t event = add_event(w, p, category, r->corr, 0);
    BIND(st, ++p->alloc, row_thread(w, p, r->thread), row_agent(w, r->agent), 0, 0, r->start_ns,
         r->end_ns, (int64_t)r->address, r->type == ALLOC_FREE ? 0 : r->size, row_queue(w, 0),
         row_stream(w, 0), event);
    if (r->type == ALLOC_FREE)
        sqlite3_bind_null(st, 3);
    sqlite3_bind_text(st, 4, types[r->type], -1, SQLITE_STATIC);
    sqlite3_bind_text(st, 5, levels[r->level], -1, SQLITE_STATIC);
    rocpdw_step(w, p, st);
}

/* One event per reading of a GPU; one sample and one value per metric. */
void rocpdw_sample(struct sink *s, const struct rec_sample *r)
{
    struct rocpd *w = (struct rocpd *)s;
    struct rprocess *p = &w->processes.v[r->process];
    const struct rec_sample *last = &p->last_sample;
    if (!p->sample || last->time_ns != r->time_ns || last->gpu != r->gpu)
        add_event(w, p, w->category[RCAT_SMI], 0, 0);
    p->last_sample = *r;
    int64_t pmc = rocpdw_sensor(w, p, r);
    BIND(p->insert[INS_SAMPLE], ++p->sample, p->metric_track[r->metric], r->time_ns, p->event);
    rocpdw_step(w, p, p->insert[INS_SAMPLE]);
    BIND(p->insert[INS_PMC], ++p->pmc, p->event, pmc);
    sqlite3_bind_double(p->insert[INS_PMC], 4, r->value);
    rocpdw_step(w, p, p->insert[INS_PMC]);
}
