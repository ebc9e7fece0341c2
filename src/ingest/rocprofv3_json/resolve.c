/* When the process has been read: numbers become names. */
#include <string.h>

#include "ingest/agents.h"
#include "ingest/rocpd/rocpd.h"
#include "ingest/rocprofv3/rowindex.h"
#include "ingest/rocprofv3_json/json.h"

/* What a record's operation is called; "": the file does not say. */
static uint32_t rv3j_operation(const struct rv3j *r, uint32_t operation)
{
    uint32_t kind = operation >> OPERATION_BITS, number = operation & OPERATION_MASK;
    if (operation == NO_INDEX || kind >= r->kinds.n || number >= r->kinds.v[kind].operations.n)
        return 0;
    return r->kinds.v[kind].operations.v[number];
}

/* ---- texts by key ---- */

static struct rowindex *index_texts(struct rv3j *r, const struct rv3_texts *t)
{
    uint32_t *process = arena_array(r->build.arena, uint32_t, t->n); /* all of process 0 */
    return rowindex_make(t->key, process, 1, 0, t->n, r->build.arena);
}

static uint32_t text_of(const struct rv3_texts *t, const struct rowindex *x, uint64_t key)
{
    uint32_t row = rowindex_get(x, (int64_t)key);
    return row == NO_INDEX ? 0 : t->text[row];
}

/* ---- regions and markers ---- */

/* Kind of region by kind of record; the default where the file does not name the latter. */
static uint8_t region_kind(const struct category_info *info, size_t n, uint32_t operation,
                           uint8_t otherwise)
{
    uint32_t kind = operation >> OPERATION_BITS;
    if (operation == NO_INDEX || kind >= n)
        return otherwise;
    if (info[kind].category == CATEGORY_MARKER)
        return KIND_MARKER;
    return info[kind].category == CATEGORY_REGION ? (uint8_t)info[kind].kind : otherwise;
}

static void add_marker(struct rv3j *r, size_t from, uint32_t function, uint32_t text)
{
    const struct regions *g = &r->trace->regions;
    trace_room(r->trace, markers, 1);
    struct markers *m = &r->trace->markers;
    size_t row = m->n++;
    m->start_ns[row] = g->start_ns[from];
    m->end_ns[row] = g->end_ns[from];
    m->id[row] = g->id[from];
    m->name[row] = text ? text : function;
    m->domain[row] = 0;
    m->thread[row] = g->thread[from];
    bool instant = g->start_ns[from] == g->end_ns[from];
    m->kind[row] =
        instant ? MARKER_INSTANT : (uint8_t)rocpd_marker_kind(trace_phrase(r->trace, function));
    r->trace->sample_records += instant; /* as rocpd counts them */
}

/* Names the regions and moves the markers out of them; the others close ranks. */
static void resolve_regions(struct rv3j *r)
{
    struct trace *t = r->trace;
    struct regions *g = &t->regions;
    struct category_info *info = arena_array(r->build.arena, struct category_info, r->kinds.n);
    struct rowindex *texts = index_texts(r, &r->marker_texts);
    for (size_t i = 0; i < r->kinds.n; i++)
        info[i] = category_of(trace_str(t, r->kinds.v[i].name));
    uint64_t unnamed = 0;
    size_t to = r->build.first_region;
    for (size_t from = to; from < g->n; from++) {
        uint32_t name = rv3j_operation(r, g->name[from]);
        uint8_t kind = region_kind(info, r->kinds.n, g->name[from], g->kind[from]);
        unnamed += !name;
        if (kind == KIND_MARKER) {
            fix_times(&g->start_ns[from], &g->end_ns[from]);
            add_marker(r, from, name, text_of(&r->marker_texts, texts, (uint64_t)g->id[from]));
            continue;
        }
        table_move(g, REGION_COLUMNS, to, from);
        g->name[to] = name;
        g->kind[to++] = kind;
    }
    g->n = to;
    trace_note(t, NOTE_DANGLING, unnamed, "regions whose name is not listed");
}

/* ---- the rest ---- */

static void resolve_memory(struct rv3j *r)
{
    struct trace *t = r->trace;
    struct rv3_build *b = &r->build;
    for (size_t i = 0; i < b->copy_links.n; i++) {
        uint32_t name = rv3j_operation(r, b->copy_links.operation[i]);
        t->copies.kind[b->first_copy + i] = (uint8_t)copy_kind_said(trace_str(t, name));
    }
    for (size_t i = 0; i < b->alloc_links.n; i++) {
        uint32_t name = rv3j_operation(r, b->alloc_links.operation[i]);
        if (!name)
            continue;
        t->allocations.op[b->first_alloc + i] = (uint8_t)rv3_alloc_op(trace_str(t, name));
        t->allocations.level[b->first_alloc + i] = (uint8_t)rv3_alloc_level(trace_str(t, name));
    }
}

/* Before launches_finish(), which merges launches that turn out equal. */
static void resolve_renames(struct rv3j *r)
{
    struct rowindex *texts = index_texts(r, &r->rename_texts);
    struct launch_table *l = &r->build.launches.workers[0];
    for (size_t i = 0; i < l->list.n; i++) {
        uint32_t rename = l->list.v[i].rename;
        if (rename & RENAME_LATER)
            l->list.v[i].rename =
                text_of(&r->rename_texts, texts, r->renames.v[rename & ~RENAME_LATER]);
    }
}

static void resolve_pc_samples(struct rv3j *r)
{
    struct pc_samples *s = &r->trace->pc_samples;
    for (size_t i = r->build.first_pc_sample; i < s->n; i++) {
        uint32_t index = s->instruction[i];
        s->instruction[i] = index < r->instructions.n ? r->instructions.v[index] : 0;
        s->comment[i] = index < r->comments.n ? r->comments.v[index] : 0;
    }
}

static void resolve_agents(struct rv3j *r)
{
    struct rv3_build *b = &r->build;
    uint32_t host = r->trace->processes.v[b->processes.v[0].process].host;
    for (size_t i = 0; i < r->agents.n; i++) {
        struct pending_agent *a = &r->agents.v[i];
        a->gpu.host = host;
        rv3_describe_agent(b, rv3_agent(b, r->process, a->handle), a->type, a->node_id,
                           a->type == AGENT_GPU ? &a->gpu : NULL);
    }
    for (size_t i = 0; i < r->counters.n; i++) {
        struct pending_counter *c = &r->counters.v[i];
        uint32_t slot = rv3_agent(b, r->process, c->agent);
        uint32_t agent = slot == NO_INDEX ? NO_INDEX : b->agents.v[slot].agent;
        c->info.gpu = agent == NO_INDEX ? NO_INDEX : r->trace->agents.v[agent].gpu;
        rv3_describe_counter(b, rv3_counter(b, r->process, c->handle), &c->info);
    }
}

void rv3j_resolve(struct rv3j *r)
{
    resolve_agents(r);
    resolve_regions(r);
    resolve_memory(r);
    resolve_renames(r);
    resolve_pc_samples(r);
    for (size_t i = 0; i < r->kinds.n; i++)
        rv3_count(&r->build, r->kinds.v[i].name, r->counts[i]);
}
