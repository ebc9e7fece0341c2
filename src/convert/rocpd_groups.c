/* Which processes share a set of tables of a rocpd database, and what the sets are called. */
#include <ctype.h>

#include "convert/rocpd_in.h"

static bool is_guid(const char *s)
{
    size_t n = s ? strlen(s) : 0;
    return n == 36 && strspn(s, "0123456789abcdefABCDEF-") == n;
}

/* One that the same trace always gets. */
static const char *made_guid(const struct rocpd_out *w, uint32_t process, uint64_t salt)
{
    const struct trace *t = w->t;
    const struct process *p = &t->processes.v[process];
    uint64_t ms = (uint64_t)(p->start_ns / 1000000) & 0xffffffffffff;
    const char *host = trace_str(t, p->host);
    uint64_t r = hash_fixed_bytes(host, strlen(host)) ^
                 hash_fixed_u64((uint64_t)p->pid + ((uint64_t)process << 32)) ^ salt;
    if (t->kernels.n)
        r ^= hash_fixed_u64((uint64_t)t->kernels.start_ns[0] + t->kernels.n);
    return arena_printf(w->c->arena, "%08llx-%04llx-7%03llx-%04llx-%012llx",
                        (unsigned long long)(ms >> 16), (unsigned long long)(ms & 0xffff),
                        (unsigned long long)(ms & 0xfff),
                        (unsigned long long)(0x8000 | (r >> 48 & 0x3fff)),
                        (unsigned long long)(r & 0xffffffffffff));
}

/* That of the file, where the processes from..to are all that it has. */
static const char *file_guid(const struct rocpd_out *w, uint32_t from, uint32_t to)
{
    const struct trace *t = w->t;
    uint32_t file = t->processes.v[from].file;
    const char *given = file < t->files.n ? t->files.v[file].guid : NULL;
    bool alone = (!from || t->processes.v[from - 1].file != file) &&
                 (to == t->processes.n || t->processes.v[to].file != file);
    for (uint32_t i = from; alone && i < to; i++)
        alone = t->processes.v[i].file == file;
    return alone && is_guid(given) ? given : NULL;
}

/* Copies of a file have one guid; SQLite's names do not tell small letters from large ones. */
static bool is_new(struct idmap *used, const char *guid)
{
    char small[40];
    size_t n = 0;
    for (; guid[n] && n < sizeof(small); n++)
        small[n] = (char)tolower((unsigned char)guid[n]);
    uint64_t key = hash_bytes(small, n);
    bool new = idmap_get(used, key) == NO_INDEX;
    idmap_put(used, key, 0);
    return new;
}

struct grouping {
    uint32_t *agents, *streams; /* of each process */
    struct idmap guids;
    VEC(struct rocpd_name) names;
};

static void name_group(struct rocpd_out *w, struct grouping *g, uint32_t from, uint32_t to)
{
    const char *guid = file_guid(w, from, to);
    if (!guid || !is_new(&g->guids, guid))
        for (uint64_t salt = 0;; salt++) {
            guid = made_guid(w, from, salt ? hash_fixed_u64(salt) : 0);
            if (is_new(&g->guids, guid))
                break;
        }
    vec_push(&g->names, w->c->arena, ((struct rocpd_name){guid, rocpd_suffix(guid, w->c->arena)}));
}

static void count_places(struct rocpd_out *w, struct grouping *g)
{
    const struct trace *t = w->t;
    g->agents = arena_array(w->c->arena, uint32_t, t->processes.n + 1);
    g->streams = arena_array(w->c->arena, uint32_t, t->processes.n + 1);
    for (size_t i = 0; i < t->agents.n; i++)
        g->agents[t->agents.v[i].process]++;
    for (size_t i = 0; i < t->streams.n; i++)
        g->streams[t->streams.v[i].process]++;
}

/*
 * Where the set that begins with a process ends. Readers count pairs of agents and streams of a set
 * in 32 bits, which bounds what one may hold.
 */
static uint32_t group_end(const struct rocpd_out *w, const struct grouping *g, uint32_t from)
{
    enum { FEWEST = 4096, MOST_PAIRS = 1 << 30 };
    size_t n = w->t->processes.n, most = n / (ROCPD_OWN_SETS / 2) + 1;
    uint64_t agents = 0, streams = 0;
    uint32_t i = from;
    most = !w->shared ? 1 : most < FEWEST ? FEWEST : most;
    for (; i < n && i - from < most; i++) {
        agents += g->agents[i];
        streams += (uint64_t)g->streams[i] + 1; /* and the default one */
        if (i > from && (agents + 1) * (streams + 1) > MOST_PAIRS)
            break;
    }
    return i;
}

static void put_processes(struct rocpd_out *w, uint32_t from, uint32_t to)
{
    struct rocpd_group *g = arena_new(w->c->arena, struct rocpd_group);
    g->number = (uint32_t)w->groups.n;
    g->instead = INT64_C(1) << 40;
    vec_push(&w->groups, w->c->arena, g);
    for (uint32_t i = from; i < to; i++) {
        struct rocpd_process *p = arena_new(w->c->arena, struct rocpd_process);
        *p = (struct rocpd_process){.group = g, .process = i};
        w->processes.v[i] = p;
    }
}

bool rocpd_make_groups(struct rocpd_out *w, struct gs_error *err)
{
    struct grouping g = {0};
    size_t n = w->t->processes.n;
    w->shared = w->c->process == NO_INDEX && n > ROCPD_OWN_SETS;
    idmap_init(&g.guids, w->c->arena);
    count_places(w, &g);
    for (size_t i = 0; i < n; i++)
        vec_push(&w->processes, w->c->arena, NULL);
    for (uint32_t i = 0, end; i < n; i = end) {
        end = group_end(w, &g, i);
        if (!conversion_takes(w->c, i))
            continue;
        name_group(w, &g, i, end);
        put_processes(w, i, end);
    }
    if (!rocpd_writer_prepare(w->out, g.names.v, g.names.n)) {
        *err = w->out->error;
        return false;
    }
    for (size_t i = 0; i < w->groups.n; i++)
        w->groups.v[i]->set = rocpd_writer_set(w->out, g.names.v[i].guid);
    for (size_t i = 0; i < n; i++)
        if (w->processes.v[i])
            w->processes.v[i]->set = w->processes.v[i]->group->set;
    return true;
}

/* ---- ids ---- */

int64_t rocpd_take_row(struct rocpd_group *g, struct idmap *used, int64_t id)
{
    uint64_t group = hash_u64(g->number);
    while (idmap_get(used, group ^ (uint64_t)id) != NO_INDEX)
        id = g->instead++;
    idmap_put(used, group ^ (uint64_t)id, 0);
    return id;
}

const char *rocpd_extdata(struct rocpd_out *w, int64_t row, int64_t id)
{
    if (row == id)
        return "{}";
    return arena_printf(w->c->arena, "{\"id_in_process\":%lld}", (long long)id);
}
