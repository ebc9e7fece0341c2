/* A process: who it is, and which of its parts is read where. */
#include <string.h>

#include "base/str.h"
#include "ingest/rocprofv3_json/json.h"

uint64_t rv3j_handle(struct jread *j)
{
    uint64_t handle = RV3_NO_ID;
    if (jr_type(j) != J_OBJECT)
        return jr_uint(j, RV3_NO_ID);
    jr_object(j);
    while (jr_key(j)) {
        if (jr_is(j, "handle"))
            handle = jr_uint(j, RV3_NO_ID);
        else
            jr_skip(j);
    }
    return handle;
}

uint32_t rv3j_text(struct rv3j *r)
{
    size_t n;
    const char *text = jr_str(r->j, &n);
    return text ? strings_addn(&r->trace->strings, text, n) : 0;
}

/* ---- metadata ---- */

static uint32_t read_command(struct rv3j *r)
{
    struct jread *j = r->j;
    if (jr_type(j) == J_STRING)
        return rv3j_text(r);
    struct str s;
    str_init(&s, r->build.arena);
    if (jr_array(j)) {
        while (jr_item(j)) {
            size_t n;
            const char *word = jr_str(j, &n);
            str_puts(&s, s.len ? " " : "");
            str_put(&s, word ? word : "", n);
        }
    }
    return strings_addn(&r->trace->strings, s.buf, s.len);
}

static uint32_t read_hostname(struct rv3j *r)
{
    uint32_t host = 0;
    if (!jr_object(r->j))
        return 0;
    while (jr_key(r->j)) {
        if (jr_is(r->j, "hostname"))
            host = rv3j_text(r);
        else
            jr_skip(r->j);
    }
    return host;
}

static void read_metadata(struct rv3j *r)
{
    struct jread *j = r->j;
    struct process *p = &r->trace->processes.v[r->build.processes.v[0].process];
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "node"))
            p->host = read_hostname(r);
        else if (jr_is(j, "pid"))
            p->pid = jr_int(j, 0);
        else if (jr_is(j, "ppid"))
            p->ppid = jr_int(j, 0);
        else if (jr_is(j, "init_time"))
            p->start_ns = jr_int(j, 0);
        else if (jr_is(j, "fini_time"))
            p->end_ns = jr_int(j, 0);
        else if (jr_is(j, "command"))
            p->command = read_command(r);
        else
            jr_skip(j);
    }
}

/* ---- kernel symbols ---- */

static uint32_t small(int64_t v)
{
    return v < 0 || v > UINT32_MAX ? 0 : (uint32_t)v;
}

static void keep(struct jread *j, struct str *out)
{
    size_t n;
    const char *text = jr_str(j, &n);
    str_clear(out);
    str_put(out, text ? text : "", n);
}

static void read_symbol(struct rv3j *r)
{
    struct jread *j = r->j;
    struct symbol s = {.process = r->build.processes.v[0].process};
    uint64_t id = RV3_NO_ID;
    if (!jr_object(j))
        return;
    str_clear(&r->full_name);
    str_clear(&r->shown_name);
    while (jr_key(j)) {
        if (jr_is(j, "kernel_id"))
            id = jr_uint(j, RV3_NO_ID);
        else if (jr_is(j, "kernel_name"))
            s.mangled = rv3j_text(r);
        else if (jr_is(j, "demangled_kernel_name"))
            keep(j, &r->full_name);
        else if (jr_is(j, "formatted_kernel_name"))
            keep(j, &r->shown_name);
        else if (jr_is(j, "group_segment_size"))
            s.lds_bytes = small(jr_int(j, 0));
        else if (jr_is(j, "private_segment_size"))
            s.scratch_bytes = small(jr_int(j, 0));
        else if (jr_is(j, "sgpr_count"))
            s.sgprs = small(jr_int(j, 0));
        else if (jr_is(j, "arch_vgpr_count"))
            s.vgprs = small(jr_int(j, 0));
        else if (jr_is(j, "accum_vgpr_count"))
            s.accum_vgprs = small(jr_int(j, 0));
        else
            jr_skip(j);
    }
    /* What is shown may be cut short, as the user asked; then groups would merge. */
    const char *name = r->full_name.len    ? r->full_name.buf
                       : r->shown_name.len ? r->shown_name.buf
                                           : trace_str(r->trace, s.mangled);
    s.id = (int64_t)id;
    if (id && id != RV3_NO_ID) /* 0 holds the place of none */
        rv3_describe_symbol(&r->build, rv3_symbol(&r->build, r->process, id), &s, name);
}

static void read_symbols(struct rv3j *r)
{
    if (jr_array(r->j))
        while (jr_item(r->j))
            read_symbol(r);
}

void rv3j_read_process(struct rv3j *r)
{
    static const struct {
        const char *key;
        void (*read)(struct rv3j *r);
    } parts[] = {
        {"metadata", read_metadata},           {"agents", rv3j_read_agents},
        {"counters", rv3j_read_counter_list},  {"strings", rv3j_read_strings},
        {"kernel_symbols", read_symbols},      {"callback_records", rv3j_read_callbacks},
        {"buffer_records", rv3j_read_buffers},
    };
    const size_t n = ARRAY_LEN(parts);
    if (!jr_object(r->j))
        return;
    while (jr_key(r->j)) {
        size_t i = 0;
        while (i < n && !jr_is(r->j, parts[i].key))
            i++;
        if (i < n)
            parts[i].read(r);
        else
            jr_skip(r->j);
    }
}
