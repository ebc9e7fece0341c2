/* The small tables: who, where, on what. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/jwrite.h"
#include "synth/expr.h"
#include "synth/rocpd_in.h"

int64_t row_agent(const struct rocpd *w, int id)
{
    return id + (w->o.flavor == ROCPD_SYS);
}

int64_t row_thread(const struct rocpd *w, const struct rprocess *p, int index)
{
    return w->o.flavor == ROCPD_SYS ? index + 1 : p->threads.v[index].tid;
}

int64_t row_stream(const struct rocpd *w, int id)
{
    return id + (w->o.flavor == ROCPD_SYS);
}

int64_t row_queue(const struct rocpd *w, int id)
{
    return id + (w->o.flavor == ROCPD_SYS);
}

/* A version 7 UUID from the start time and the pid; rocprof-sys uses 32 hex digits instead. */
void rocpdw_identity(struct rocpd *w, struct rprocess *p)
{
    struct name host = names_get(w->names, p->rec.host);
    uint64_t ms = (uint64_t)p->rec.start_ns / 1000000 & 0xffffffffffff;
    uint64_t state = hash_fixed_bytes(host.s, host.n) ^ hash_fixed_u64((uint64_t)p->rec.pid);
    uint64_t r = random_next(&state);
    p->nid = (int64_t)(hash_fixed_bytes(host.s, host.n) % 4294967295u);
    p->pid_row = p->rec.pid;
    if (w->o.flavor == ROCPD_SYS) {
        p->nid = 1;
        p->pid_row = 1;
        snprintf(p->guid, sizeof(p->guid), "%016llx%016llx", (unsigned long long)r,
                 (unsigned long long)random_next(&state));
    } else {
        snprintf(p->guid, sizeof(p->guid), "%08llx-%04llx-7%03llx-%04llx-%012llx",
                 (unsigned long long)(ms >> 16), (unsigned long long)(ms & 0xffff),
                 (unsigned long long)(ms & 0xfff),
                 (unsigned long long)(0x8000 | (r >> 48 & 0x3fff)),
                 (unsigned long long)(r & 0xffffffffffff));
    }
    snprintf(p->suffix, sizeof(p->suffix), "_%s", p->guid);
    for (char *c = p->suffix; *c; c++)
        if (*c == '-')
            *c = '_';
}

/* --- strings ----------------------------------------------------------------------------- */

struct sorted_name {
    struct name text;
    uint32_t id;
};

static int by_bytes(const void *a, const void *b)
{
    const struct name *x = &((const struct sorted_name *)a)->text;
    const struct name *y = &((const struct sorted_name *)b)->text;
    int c = memcmp(x->s, y->s, x->n < y->n ? x->n : y->n);
    return c ? c : x->n < y->n ? -1 : x->n > y->n;
}

/* Ids are places in the sorted list, so "" is 1. */
void rocpdw_strings(struct rocpd *w)
{
    size_t n = w->names->list.n;
    w->sorted = arena_array(w->arena, struct sorted_name, n);
    w->string_id = arena_array(w->arena, uint32_t, n);
    for (size_t i = 0; i < n; i++)
        w->sorted[i] = (struct sorted_name){w->names->list.v[i], (uint32_t)i};
    qsort(w->sorted, n, sizeof(*w->sorted), by_bytes);
    for (size_t i = 0; i < n; i++)
        w->string_id[w->sorted[i].id] = (uint32_t)i + 1;
    w->string_n = n;
}

static void write_strings(struct rocpd *w, struct rprocess *p)
{
    sqlite3_stmt *st =
        rocpdw_prepare(w, p, "INSERT INTO \"rocpd_string{u}\"(id, string) VALUES(?, ?)");
    for (size_t i = 0; i < w->string_n && !w->sink.failed; i++) {
        sqlite3_bind_int64(st, 1, (int64_t)i + 1);
        sqlite3_bind_text(st, 2, w->sorted[i].text.s, (int)w->sorted[i].text.n, SQLITE_STATIC);
        rocpdw_step(w, p, st);
    }
    sqlite3_finalize(st);
}

/* --- rows -------------------------------------------------------------------------------- */

/* One row, values by letter: i int64_t, s text, n the number of a name. NULL ends the list. */
static void row(struct rocpd *w, struct rprocess *p, const char *sql, const char *form, ...)
    __attribute__((sentinel(0)));

static void row(struct rocpd *w, struct rprocess *p, const char *sql, const char *form, ...)
{
    sqlite3_stmt *st = rocpdw_prepare(w, p, sql);
    if (!st)
        return;
    va_list ap;
    va_start(ap, form);
    for (int i = 1; *form; form++, i++) {
        if (*form == 'i') {
            sqlite3_bind_int64(st, i, va_arg(ap, int64_t));
        } else if (*form == 's') {
            sqlite3_bind_text(st, i, va_arg(ap, const char *), -1, SQLITE_TRANSIENT);
        } else if (*form == 'n') {
            struct name n = names_get(w->names, va_arg(ap, uint32_t));
            sqlite3_bind_text(st, i, n.s, (int)n.n, SQLITE_STATIC);
        }
    }
    va_end(ap);
    rocpdw_step(w, p, st);
    sqlite3_finalize(st);
}

static void write_node(struct rocpd *w, struct rprocess *p)
{
    struct name host = names_get(w->names, p->rec.host);
    uint64_t state = hash_fixed_bytes(host.s, host.n);
    char machine[40];
    snprintf(machine, sizeof(machine), "%016llx%016llx", (unsigned long long)random_next(&state),
             (unsigned long long)random_next(&state));
    row(w, p,
        "INSERT INTO \"rocpd_info_node{u}\"(id, hash, machine_id, system_name, hostname, release, "
        "version, hardware_name, domain_name) VALUES(?, ?, ?, 'Linux', ?, '5.14.0-503.el9.x86_64', "
        "'#1 SMP PREEMPT_DYNAMIC', 'x86_64', '(none)')",
        "iisn", p->nid, (int64_t)(hash_fixed_bytes(host.s, host.n) >> 1), machine, p->rec.host,
        NULL);
}

static void write_process(struct rocpd *w, struct rprocess *p)
{
    struct jwrite j;
    str_clear(&w->text);
    jw_init(&j, &w->text, 0);
    jw_open(&j, NULL, '{');
    for (size_t i = 0; i < p->rec.env_n; i++) {
        struct name v = names_get(w->names, p->rec.env[i].value);
        jw_strn(&j, names_text(w->names, p->rec.env[i].name), v.s, v.n);
    }
    jw_close(&j);
    row(w, p,
        "INSERT INTO \"rocpd_info_process{u}\"(id, nid, ppid, pid, init, fini, start, end, "
        "command, "
        "environment, extdata) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?5, ?6, ?7, ?8, "
        "'{\"output_path\":\".\",\"output_file\":\"trace\",\"csv_output\":false}')",
        "iiiiiins", p->pid_row, p->nid, p->rec.ppid, p->rec.pid, p->rec.start_ns, p->rec.end_ns,
        p->rec.command, w->text.buf, NULL);
    for (size_t i = 0; i < p->threads.n; i++) {
        const struct rec_thread *t = &p->threads.v[i];
        const char *form = t->name ? "iiiiin" : "iiiii";
        row(w, p,
            "INSERT INTO \"rocpd_info_thread{u}\"(id, nid, ppid, pid, tid, name) "
            "VALUES(?, ?, ?, ?, ?, ?)",
            form, row_thread(w, p, (int)i), p->nid, p->rec.ppid, p->pid_row, t->tid, t->name, NULL);
    }
}

static void write_streams(struct rocpd *w, struct rprocess *p)
{
    static const char stream[] = "INSERT INTO \"rocpd_info_stream{u}\"(id, nid, pid, name) "
                                 "VALUES(?, ?, ?, ?)";
    static const char queue[] = "INSERT INTO \"rocpd_info_queue{u}\"(id, nid, pid, name) "
                                "VALUES(?, ?, ?, ?)";
    char name[32];
    row(w, p, stream, "iiis", row_stream(w, 0), p->nid, p->pid_row, "Default Stream", NULL);
    row(w, p, queue, "iiis", row_queue(w, 0), p->nid, p->pid_row, "Default Queue", NULL);
    int n = 0;
    for (size_t i = 0; i < p->streams.n; i++) {
        if (!p->streams.v[i].id)
            continue; /* the default stream of a GPU */
        snprintf(name, sizeof(name), "Stream %d", n++);
        row(w, p, stream, "iiis", row_stream(w, p->streams.v[i].id), p->nid, p->pid_row, name,
            NULL);
    }
    for (size_t i = 0; i < p->queues.n; i++) {
        snprintf(name, sizeof(name), "Queue %zu", i);
        row(w, p, queue, "iiis", row_queue(w, p->queues.v[i].id), p->nid, p->pid_row, name, NULL);
    }
}

static void write_agents(struct rocpd *w, struct rprocess *p)
{
    for (size_t i = 0; i < p->agents.n; i++) {
        const struct rec_agent *a = &p->agents.v[i];
        static const char cpu[] = "AMD EPYC 9654 96-Core Processor";
        str_clear(&w->text);
        rocpdw_agent_json(&w->text, a, a->gpu_count);
        row(w, p,
            "INSERT INTO \"rocpd_info_agent{u}\"(id, nid, pid, type, absolute_index, "
            "logical_index, "
            "type_index, uuid, name, model_name, vendor_name, product_name, user_name, extdata) "
            "VALUES(?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11, ?12)",
            "iiisiiisssss", row_agent(w, a->id), p->nid, p->pid_row, a->gpu ? "GPU" : "CPU",
            (int64_t)a->id, (int64_t)(a->gpu ? a->gpu_index : a->id),
            a->gpu ? a->gpu->device_id : INT64_C(0), a->gpu ? a->gpu->arch : cpu,
            a->gpu ? a->gpu->model : "", a->gpu ? "AMD" : "CPU", a->gpu ? a->gpu->product : cpu,
            w->text.buf, NULL);
    }
}

static void write_counters(struct rocpd *w, struct rprocess *p)
{
    for (size_t i = 0; i < p->counters.n; i++) {
        const struct rec_counter_info *c = &p->counters.v[i];
        row(w, p,
            "INSERT INTO \"rocpd_info_pmc{u}\"(id, nid, pid, agent_id, target_arch, name, symbol, "
            "description, component, value_type, block, expression, is_constant, is_derived) "
            "VALUES(?1, ?2, ?3, ?4, 'GPU', ?5, ?5, 'counter', 'rocm', 'ABS', ?6, '', 0, 0)",
            "iiiinn", (int64_t)c->index + 1, p->nid, p->pid_row, row_agent(w, CPU_AGENTS + c->gpu),
            c->name, c->block, NULL);
    }
}

static void symbol_json(struct rocpd *w, const struct rec_symbol *s)
{
    struct jwrite j;
    struct name name = names_get(w->names, s->name);
    size_t cut = strcspn(name.s, "(<");
    str_clear(&w->text);
    jw_init(&j, &w->text, 0);
    jw_open(&j, NULL, '{');
    jw_int(&j, "size", 176);
    jw_int(&j, "kernel_id", s->id);
    jw_int(&j, "code_object_id", 1);
    jw_int(&j, "kernel_code_entry_byte_offset", 3456);
    jw_open(&j, "kernel_address", '{');
    jw_int(&j, "handle", 0x7f4000000000 + s->id * 0x1000);
    jw_close(&j);
    jw_strn(&j, "formatted_kernel_name", name.s, name.n);
    jw_strn(&j, "demangled_kernel_name", name.s, name.n);
    jw_strn(&j, "truncated_kernel_name", name.s, cut);
    jw_close(&j);
}

static void write_symbols(struct rocpd *w, struct rprocess *p)
{
    row(w, p,
        "INSERT INTO \"rocpd_info_code_object{u}\"(id, nid, pid, agent_id, uri, load_base, "
        "load_size, "
        "load_delta, extdata) VALUES(1, ?, ?, ?, 'file:///home/user/app#offset=8192&size=65536', "
        "139637976727552, 65536, 139637976727552, '{\"size\":128,\"storage_type\":1}')",
        "iii", p->nid, p->pid_row, row_agent(w, CPU_AGENTS), NULL);
    for (size_t i = 0; i < p->symbols.n; i++) {
        const struct rec_symbol *s = &p->symbols.v[i];
        symbol_json(w, s);
        row(w, p,
            "INSERT INTO \"rocpd_info_kernel_symbol{u}\"(id, nid, pid, code_object_id, "
            "kernel_name, "
            "display_name, kernel_object, kernarg_segment_size, kernarg_segment_alignment, "
            "group_segment_size, private_segment_size, sgpr_count, arch_vgpr_count, "
            "accum_vgpr_count, extdata) VALUES(?, ?, ?, 1, ?, ?, ?, 64, 8, ?, ?, ?, ?, ?, ?)",
            "iiinniiiiiis", (int64_t)s->id, p->nid, p->pid_row, s->mangled, s->name,
            INT64_C(0x7f4000000000) + s->id * 0x1000, s->lds, s->scratch, s->sgpr, s->vgpr, s->agpr,
            w->text.buf, NULL);
    }
}

void rocpdw_info(struct rocpd *w, struct rprocess *p)
{
    write_strings(w, p);
    write_node(w, p);
    write_process(w, p);
    write_streams(w, p);
    write_agents(w, p);
    write_counters(w, p);
    write_symbols(w, p);
}

int64_t rocpdw_sensor(struct rocpd *w, struct rprocess *p, const struct rec_sample *r)
{
    static const struct {
        const char *name, *symbol, *units;
    } metrics[] = {
        {"device_power", "Pow", "W"},
        {"device_gfx_clock", "GfxClk", "MHz"},
        {"device_busy_gfx", "Busy", "%"},
        {"device_temp", "Temp", "\u00b0C"},
        {"device_memory_usage", "MemUsg", "MB"},
    };
    enum { METRICS = 5 };
    if (!p->sensor)
        p->sensor = arena_array(w->arena, int64_t, p->agents.n * METRICS);
    int64_t *id = &p->sensor[r->gpu * METRICS + (int)r->metric];
    const char *name = metrics[r->metric].name;
    if (!p->metric_track[r->metric]) {
        p->metric_track[r->metric] = ++p->track;
        row(w, p, "INSERT INTO \"rocpd_track{u}\"(id, nid, pid, name_id) VALUES(?, ?, ?, ?)",
            "iiii", p->track, p->nid, p->pid_row, (int64_t)w->string_id[names_adds(w->names, name)],
            NULL);
    }
    if (!*id) {
        *id = (int64_t)p->counters.n + ++p->sensors;
        row(w, p,
            "INSERT INTO \"rocpd_info_pmc{u}\"(id, nid, pid, agent_id, target_arch, name, symbol, "
            "description, component, units, value_type, block, expression, is_constant, "
            "is_derived) "
            "VALUES(?1, ?2, ?3, ?4, 'GPU', ?5, ?6, ?5, 'amd_smi', ?7, 'ABS', '', '', 0, 0)",
            "iiiisss", *id, p->nid, p->pid_row, row_agent(w, CPU_AGENTS + r->gpu), name,
            metrics[r->metric].symbol, metrics[r->metric].units, NULL);
    }
    return *id;
}
