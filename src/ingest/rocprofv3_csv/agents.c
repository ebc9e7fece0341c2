/*
 * Agents. A cell names one by the driver's number ("Agent 4", or 4), or by type and place among its
 * type ("GPU 0"), as the user asked; agent_info describes them. Where that file is missing, what
 * ran on an agent shows what it is.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/jwrite.h"
#include "base/str.h"
#include "ingest/rocpd/rocpd.h"
#include "ingest/rocprofv3_csv/csv_in.h"

/* An agent id of the build: how it was named, and the number. */
enum { BY_NUMBER, BY_GPU, BY_CPU, WAY_SHIFT = 60 };
#define NUMBER_MASK ((UINT64_C(1) << WAY_SHIFT) - 1)

static uint64_t agent_id(const char *text, size_t n)
{
    static const struct {
        const char *word;
        uint64_t way;
    } words[] = {{"Agent ", BY_NUMBER}, {"GPU ", BY_GPU}, {"CPU ", BY_CPU}};
    uint64_t way = BY_NUMBER, number = 0;
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        size_t length = strlen(words[i].word);
        if (n > length && !memcmp(text, words[i].word, length)) {
            way = words[i].way;
            text += length;
            n -= length;
        }
    }
    if (!n || n > 17)
        return RV3_NO_ID;
    for (size_t i = 0; i < n; i++) {
        if (!isdigit((unsigned char)text[i]))
            return RV3_NO_ID;
        number = number * 10 + (uint64_t)(text[i] - '0');
    }
    return way << WAY_SHIFT | number;
}

uint32_t rv3c_agent(struct rv3c *r, uint32_t process, enum column c)
{
    size_t n;
    const char *text = rv3c_text(r, c, &n);
    return rv3_agent(&r->build, process, agent_id(text, n));
}

void rv3c_saw_agent(struct rv3c *r, uint32_t slot, enum agent_type type)
{
    if (slot == NO_INDEX)
        return;
    while (r->evidence.n <= slot)
        vec_push(&r->evidence, r->build.arena, 0);
    r->evidence.v[slot] = (uint8_t)(type + 1);
}

/* ---- agent_info ---- */

static void read_gpu(struct rv3c *r, struct gpu *g)
{
    static const struct {
        enum column column;
        const char *key;
    } numbers[] = {
        {COL_CU_COUNT, "cu_count"},
        {COL_SIMD_PER_CU, "simd_per_cu"},
        {COL_MAX_WAVES, "max_waves_per_simd"},
        {COL_WAVE_SIZE, "wave_front_size"},
        {COL_LDS_KB, "lds_size_in_kb"},
        {COL_NUM_XCC, "num_xcc"},
        {COL_CLOCK, "max_engine_clk_fcompute"},
        {COL_PCI_DOMAIN, "domain"},
        {COL_LOCATION, "location_id"},
    };
    struct str text;
    struct jwrite w;
    str_init(&text, r->build.arena);
    jw_init(&w, &text, 0);
    jw_open(&w, NULL, '{');
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        jw_uint(&w, numbers[i].key, rv3c_small(r, numbers[i].column));
    jw_close(&w);
    rocpd_read_agent_json(g, text.buf, text.len);
    g->arch = rv3c_string(r, COL_NAME);
    g->name = rv3c_string(r, COL_PRODUCT);
    if (!g->name)
        g->name = rv3c_string(r, COL_MODEL);
    if (str_eq(trace_str(r->trace, rv3c_string(r, COL_VENDOR_NAME)), "NVIDIA"))
        g->vendor = VENDOR_NVIDIA;
}

/* The host of a process, which the row may name. */
static uint32_t host_of(struct rv3c *r, uint32_t process)
{
    struct process *p = &r->trace->processes.v[r->build.processes.v[process].process];
    uint32_t host = rv3c_string(r, COL_HOSTNAME);
    p->host = p->host ? p->host : host;
    return p->host;
}

static uint64_t agent_key(uint32_t process, int64_t number)
{
    return (uint64_t)process << 32 | (uint64_t)number; /* node, logical node or place: 32 bits */
}

/* False: it has been listed before. */
static bool is_new(struct rv3c *r, const struct csv_agent *a)
{
    uint32_t next = (uint32_t)r->agents.n;
    return idmap_claim(&r->of_node[a->type], agent_key(a->process, a->node), next) == next;
}

void rv3c_add_agent(struct rv3c *r)
{
    size_t n;
    const char *type = rv3c_text(r, COL_AGENT_TYPE, &n);
    bool owned = r->header.at[COL_GUID] != NO_COLUMN;
    struct csv_agent a = {.process = NO_INDEX, .gpu = {.vendor = VENDOR_AMD, .host = r->host}};
    uint64_t node = rv3c_id(r, COL_NODE);
    if (node > INT32_MAX)
        return;
    a.type = n == 3 && !memcmp(type, "GPU", 3)   ? AGENT_GPU
             : n == 3 && !memcmp(type, "CPU", 3) ? AGENT_CPU
                                                 : AGENT_OTHER;
    if (owned) {
        a.process = rv3c_process(r);
        a.gpu.host = host_of(r, a.process);
    }
    a.node = (int64_t)node;
    a.logical = (int64_t)rv3c_small(r, COL_LOGICAL_NODE);
    if (a.type == AGENT_GPU)
        read_gpu(r, &a.gpu);
    a.gpu.node_id = (int32_t)a.node;
    if (is_new(r, &a))
        vec_push(&r->agents, r->build.arena, a);
}

/* ---- numbers of agents ---- */

/* By process, type and node. */
static int by_node(const void *x, const void *y)
{
    const struct csv_agent *a = *(struct csv_agent *const *)x, *b = *(struct csv_agent *const *)y;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

/* Agents of a type are counted in order of their nodes, in whatever order they are listed. */
static void number_agents(struct rv3c *r)
{
    size_t n = r->agents.n;
    struct csv_agent **v = arena_array(r->build.arena, struct csv_agent *, n + 1);
    for (size_t i = 0; i < n; i++)
        v[i] = &r->agents.v[i];
    if (n)
        qsort(v, n, sizeof(*v), by_node);
    for (size_t i = 1; i < n; i++)
        if (v[i]->process == v[i - 1]->process && v[i]->type == v[i - 1]->type)
            v[i]->type_index = v[i - 1]->type_index + 1;
    for (size_t i = 0; i < n; i++)
        v[i]->gpu.index = (int32_t)v[i]->type_index;
}

struct place {
    uint32_t host;
    int64_t node;
    int32_t index; /* among those of the host */
};

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/*
 * Users count the GPUs of a host. A process that lists only its own would call each of them 0, so
 * they are counted over all processes of the host, by the driver's number.
 */
static void number_gpus(struct rv3c *r)
{
    struct place *v = arena_array(r->build.arena, struct place, r->agents.n + 1);
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < r->agents.n; i++)
        if (r->agents.v[i].type == AGENT_GPU)
            v[n++] = (struct place){r->agents.v[i].gpu.host, r->agents.v[i].node, 0};
    if (n)
        qsort(v, n, sizeof(*v), by_place);
    for (size_t i = 0; i < n; i++) {
        const struct place *last = kept ? &v[kept - 1] : NULL;
        if (last && by_place(last, &v[i]) == 0)
            continue;
        v[i].index = last && last->host == v[i].host ? last->index + 1 : 0;
        v[kept++] = v[i];
    }
    for (size_t i = 0; i < r->agents.n; i++) {
        struct csv_agent *a = &r->agents.v[i];
        struct place own = {a->gpu.host, a->node, 0};
        if (a->type == AGENT_GPU && a->process != NO_INDEX)
            a->gpu.index =
                ((const struct place *)bsearch(&own, v, kept, sizeof(*v), by_place))->index;
    }
}

/* ---- from slots to agents ---- */

/* Agents by what else a cell may call them: of several of a process the last by its logical node, the
 * first by its place among the GPUs or the others. */
struct called {
    struct idmap logical, gpu, other;
};

static void call_agents(struct called *c, struct rv3c *r)
{
    idmap_init(&c->logical, r->build.arena);
    idmap_init(&c->gpu, r->build.arena);
    idmap_init(&c->other, r->build.arena);
    for (uint32_t i = 0; i < r->agents.n; i++) {
        const struct csv_agent *a = &r->agents.v[i];
        struct idmap *place = a->type == AGENT_GPU ? &c->gpu : &c->other;
        idmap_put(&c->logical, agent_key(a->process, a->logical), i);
        idmap_claim(place, agent_key(a->process, a->type_index), i);
    }
}

/* Those of the process and those of all: the one listed first, NO_INDEX being the last of all. */
static uint32_t first_of(const struct idmap *m, uint32_t process, int64_t number)
{
    uint32_t own = idmap_get(m, agent_key(process, number));
    uint32_t common = idmap_get(m, agent_key(NO_INDEX, number));
    return own < common ? own : common;
}

static uint32_t last_of(const struct idmap *m, uint32_t process, int64_t number)
{
    uint32_t own = idmap_get(m, agent_key(process, number));
    uint32_t common = idmap_get(m, agent_key(NO_INDEX, number));
    return own == NO_INDEX || (common != NO_INDEX && common > own) ? common : own;
}

static const struct csv_agent *listed(const struct rv3c *r, const struct called *c,
                                      const struct rv3_agent *slot)
{
    uint64_t way = slot->id >> WAY_SHIFT, number = slot->id & NUMBER_MASK;
    uint32_t at = NO_INDEX;
    if (number > UINT32_MAX)
        return NULL;
    if (way != BY_NUMBER) {
        at = first_of(way == BY_GPU ? &c->gpu : &c->other, slot->process, (int64_t)number);
    } else {
        for (size_t type = 0; type < ARRAY_LEN(r->of_node); type++) {
            uint32_t found = first_of(&r->of_node[type], slot->process, (int64_t)number);
            at = found < at ? found : at;
        }
        if (at == NO_INDEX)
            at = last_of(&c->logical, slot->process, (int64_t)number);
    }
    return at == NO_INDEX ? NULL : &r->agents.v[at];
}

/* No description: what ran on it is a GPU; copies say what their ends are. */
static void describe_seen(struct rv3c *r, uint32_t slot)
{
    const struct rv3_agent *s = &r->build.agents.v[slot];
    uint64_t way = s->id >> WAY_SHIFT;
    int64_t number = (int64_t)(s->id & NUMBER_MASK);
    uint8_t seen = slot < r->evidence.n ? r->evidence.v[slot] : 0;
    bool is_gpu = s->ran || way == BY_GPU || seen == AGENT_GPU + 1;
    struct gpu g = {.vendor = VENDOR_AMD, .host = r->host};
    if (!is_gpu && way != BY_CPU && !seen)
        return;
    g.node_id = g.index = number > INT32_MAX ? INT32_MAX : (int32_t)number;
    rv3_describe_agent(&r->build, slot, is_gpu ? AGENT_GPU : AGENT_CPU, number, is_gpu ? &g : NULL);
}

/* Agents that nothing refers to are there all the same. */
static void describe_all(struct rv3c *r)
{
    for (size_t i = 0; i < r->agents.n; i++) {
        const struct csv_agent *a = &r->agents.v[i];
        uint32_t process = a->process;
        if (process == NO_INDEX)
            process = rv3c_any_process(r);
        rv3_describe_agent(&r->build, rv3_agent(&r->build, process, (uint64_t)a->node), a->type,
                           a->node, a->type == AGENT_GPU ? &a->gpu : NULL);
    }
}

void rv3c_resolve(struct rv3c *r)
{
    struct rv3_build *b = &r->build;
    struct called called;
    number_agents(r);
    number_gpus(r);
    describe_all(r);
    call_agents(&called, r);
    for (uint32_t i = 0; i < b->agents.n; i++) {
        const struct csv_agent *a = listed(r, &called, &b->agents.v[i]);
        if (a)
            rv3_describe_agent(b, i, a->type, a->node, a->type == AGENT_GPU ? &a->gpu : NULL);
        else
            describe_seen(r, i);
    }
    for (size_t i = 0; i < r->counters.n; i++) {
        const struct csv_counter *c = &r->counters.v[i];
        uint32_t agent = c->agent == NO_INDEX ? NO_INDEX : b->agents.v[c->agent].agent;
        struct counter_info info = {.name = c->name, .id = c->slot, .gpu = NO_INDEX};
        if (agent != NO_INDEX)
            info.gpu = r->trace->agents.v[agent].gpu;
        rv3_describe_counter(b, c->slot, &info);
    }
}
