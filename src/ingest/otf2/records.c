/* The parent: records of the child become slices on tracks. It believes none of them. */
#include "ingest/otf2/otf2.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/str.h"
#include "ingest/perfetto/perfetto.h"

enum { TEXT_MOST = 1 << 24, TYPE_STREAM = 2, TYPE_METRIC = 3, GROUP_ACCELERATOR = 2 };
enum {
    PARADIGM_OPENMP = 3,
    PARADIGM_MPI = 4,
    PARADIGM_CUDA = 5,
    PARADIGM_MEASUREMENT = 6,
    PARADIGM_PTHREAD = 7,
    PARADIGM_HIP = 23,
    ROLE_TRANSFER = 30,
    ROLE_ARTIFICIAL = 31
};

struct o_region {
    uint32_t name, paradigm, role;
};

struct o_group {
    uint32_t name, node, maker;
    bool device;
};

struct o_location {
    uint32_t name, track, type, group;
    int64_t gpu, stream;
};

struct otf2_in {
    struct perfetto p;
    struct arena *arena;
    int fd;
    struct idmap strings, nodes, groups, locations, regions, metrics, series;
    VEC(struct o_region) region;
    VEC(struct o_group) group;
    VEC(struct o_location) location;
    VEC(uint32_t) metric; /* two strings each: name, unit */
    uint64_t resolution, realtime, offset;
    char *buf;
    size_t at, end;
    bool complete;
};

/* ---- the pipe ---- */

enum { BUFFER = 1 << 16 };

static bool take(struct otf2_in *o, void *to, size_t n)
{
    char *out = to;
    while (n) {
        if (o->at == o->end) {
            ptrdiff_t got = fs_read_up_to(o->fd, o->buf, BUFFER);
            if (got <= 0)
                return false;
            o->at = 0;
            o->end = (size_t)got;
        }
        size_t part = o->end - o->at < n ? o->end - o->at : n;
        memcpy(out, o->buf + o->at, part);
        o->at += part;
        out += part;
        n -= part;
    }
    return true;
}

/* ---- definitions ---- */

static uint32_t text_of(const struct otf2_in *o, uint64_t id)
{
    uint32_t s = idmap_get(&o->strings, id);
    return s == NO_INDEX ? 0 : s;
}

static bool take_string(struct otf2_in *o, const struct otf2_record *r)
{
    if (r->b > TEXT_MOST)
        return false;
    struct arena *temporary = arena_scratch();
    char *text = arena_alloc(temporary, r->b + 1);
    bool ok = take(o, text, r->b);
    if (ok)
        idmap_put(&o->strings, r->a, strings_addn(&o->p.trace->strings, text, r->b));
    arena_release(temporary);
    return ok;
}

/* The number behind a word of a name: "MPI Rank 3 (pid 12)", "Stream 4". */
static int64_t number_after(const char *name, const char *word)
{
    const char *at = strstr(name, word);
    if (!at)
        return PF_NONE;
    at += strlen(word);
    at += strspn(at, " :#[");
    return *at >= '0' && *at <= '9' && strspn(at, "0123456789") < 18 ? strtoll(at, NULL, 10)
                                                                     : PF_NONE;
}

/* Processes are told apart by their group; what the name says is shown. */
static void add_process(struct otf2_in *o, uint32_t group)
{
    struct perfetto *p = &o->p;
    const struct o_group *g = &o->group.v[group];
    const char *name = trace_phrase(p->trace, g->name);
    int64_t rank = number_after(name, "Rank"), pid = number_after(name, "pid");
    if (pid == PF_NONE)
        pid = number_after(name, "Process");
    struct pf_process made = {.pid = (int64_t)group + 1,
                              .true_pid = pid == PF_NONE ? (int64_t)group + 1 : pid,
                              .rank = rank == PF_NONE || rank > INT32_MAX ? -1 : (int32_t)rank,
                              .name = g->name};
    uint32_t host = idmap_get(&o->nodes, g->node);
    made.host = host == NO_INDEX ? 0 : host;
    idmap_put(&p->process_of, (uint64_t)made.pid, (uint32_t)p->processes.n);
    vec_push(&p->processes, p->arena, made);
}

/* "GPU 0 AMD Instinct MI300X": all that a group says of its device. */
static void add_gpu(struct otf2_in *o, const char *name)
{
    int64_t index = number_after(name, "GPU");
    if (index == PF_NONE || index > 65535)
        return;
    if (idmap_get(&o->p.gpu_of, (uint64_t)index) != NO_INDEX)
        return;
    struct gpu g = {.index = (int32_t)index, .node_id = (int32_t)index, .vendor = VENDOR_AMD};
    const char *rest = strstr(name, "GPU") + 3;
    rest += strspn(rest, " 0123456789");
    g.name = strings_add(&o->p.trace->strings, rest);
    if (str_has(rest, "NVIDIA") || str_has(rest, "Tesla") || str_has(rest, "GeForce"))
        g.vendor = VENDOR_NVIDIA;
    idmap_put(&o->p.gpu_of, (uint64_t)index, (uint32_t)o->p.gpus.n);
    vec_push(&o->p.gpus, o->p.arena, g);
}

static void add_group(struct otf2_in *o, const struct otf2_record *r)
{
    struct o_group g = {text_of(o, r->b), (uint32_t)r->c, idmap_get(&o->groups, r->d),
                        r->e == GROUP_ACCELERATOR};
    if (o->group.n >= PF_TRACKS_MOST || idmap_get(&o->groups, r->a) != NO_INDEX)
        return;
    idmap_put(&o->groups, r->a, (uint32_t)o->group.n);
    vec_push(&o->group, o->arena, g);
    if (!g.device)
        add_process(o, (uint32_t)o->group.n - 1);
    else
        add_gpu(o, trace_phrase(o->p.trace, g.name));
}

static void add_location(struct otf2_in *o, const struct otf2_record *r)
{
    struct perfetto *p = &o->p;
    uint32_t group = idmap_get(&o->groups, r->c), owner = group;
    uint32_t track = perfetto_track_of(p, r->a + 1);
    if (track == NO_INDEX || idmap_get(&o->locations, r->a) != NO_INDEX)
        return;
    struct o_location l = {text_of(o, r->b), track, r->e, group, PF_NONE, PF_NONE};
    const char *name = trace_phrase(p->trace, l.name);
    if (group != NO_INDEX && o->group.v[group].device) {
        l.gpu = number_after(trace_phrase(p->trace, o->group.v[group].name), "GPU");
        owner = o->group.v[group].maker;
    }
    if (l.type == TYPE_STREAM) {
        l.stream = number_after(name, "Stream");
        l.stream = l.stream == PF_NONE ? number_after(name, "Queue") : l.stream;
        if (l.gpu == PF_NONE)
            l.gpu = number_after(name, "Agent-");
        l.gpu = l.gpu == PF_NONE ? 0 : l.gpu;
    }
    struct pf_track *t = &p->tracks.v[track];
    t->described = true;
    t->name = l.name;
    t->pid = owner == NO_INDEX ? PF_NONE : (int64_t)owner + 1;
    t->is_counter = l.type == TYPE_METRIC;
    if (l.type != TYPE_STREAM && l.type != TYPE_METRIC)
        t->tid = number_after(name, "Thread");
    idmap_put(&o->locations, r->a, (uint32_t)o->location.n);
    vec_push(&o->location, o->arena, l);
}

/* ---- events ---- */

static int64_t ns_of(const struct otf2_in *o, uint64_t ticks)
{
    if (o->resolution == 1000000000 || !o->resolution)
        return (int64_t)ticks;
    hash_wide ns = (hash_wide)ticks * 1000000000 / o->resolution;
    return ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

/* Where no attribute says it: by who wrote the region, and where it runs. */
static const char *category_of_region(const struct o_region *r, bool device)
{
    if (device)
        return r->role == ROLE_TRANSFER ? "memory_copy" : "kernel_dispatch";
    switch (r->paradigm) {
    case PARADIGM_MPI:
        return "mpi";
    case PARADIGM_OPENMP:
        return "openmp";
    case PARADIGM_PTHREAD:
        return "os_api";
    case PARADIGM_CUDA:
    case PARADIGM_HIP:
        return "hip_api";
    case PARADIGM_MEASUREMENT:
        return "none";
    default:
        return "user";
    }
}

static void set_text(struct pf_event *e, enum pf_key key, const struct otf2_in *o,
                     const struct otf2_notes *n, enum otf2_note note)
{
    if (n->given >> note & 1)
        e->text[key] = text_of(o, (uint64_t)n->value[note]);
}

static void set_number(struct pf_event *e, enum pf_key key, const struct otf2_notes *n,
                       enum otf2_note note)
{
    if (n->given >> note & 1)
        e->number[key] = n->value[note];
}

static bool take_enter(struct otf2_in *o, const struct otf2_record *r)
{
    struct perfetto *p = &o->p;
    struct otf2_notes n;
    if (!take(o, &n, sizeof(n)))
        return false;
    uint32_t at = idmap_get(&o->locations, r->a), reg = idmap_get(&o->regions, r->c);
    if (at == NO_INDEX || reg == NO_INDEX) {
        p->lost++;
        return true;
    }
    const struct o_location *l = &o->location.v[at];
    const struct o_region *region = &o->region.v[reg];
    struct pf_event e = {.ns = ns_of(o, r->b), .name = region->name};
    for (int i = 0; i < PK_KEYS; i++)
        e.number[i] = PF_NONE;
    uint32_t category = n.given >> ON_CATEGORY & 1 ? text_of(o, (uint64_t)n.value[ON_CATEGORY]) : 0;
    if (!category)
        category =
            strings_add(&p->trace->strings, category_of_region(region, l->type == TYPE_STREAM));
    e.category = perfetto_category(p, category);
    set_number(&e, PK_CORR, &n, ON_CORRELATION);
    set_number(&e, PK_ID, &n, ON_ID);
    set_number(&e, PK_DISPATCH, &n, ON_ID);
    set_number(&e, PK_BYTES, &n, ON_BYTES);
    set_number(&e, PK_LDS, &n, ON_LDS);
    set_number(&e, PK_SCRATCH, &n, ON_SCRATCH);
    set_number(&e, PK_VGPRS, &n, ON_VGPRS);
    set_number(&e, PK_SRC_GPU, &n, ON_SRC);
    set_number(&e, PK_DST_GPU, &n, ON_DST);
    set_number(&e, PK_QUEUE, &n, ON_QUEUE);
    set_number(&e, PK_TID, &n, ON_TID);
    set_number(&e, PK_ADDRESS, &n, ON_ADDRESS);
    set_number(&e, PK_GPU, &n, ON_GPU);
    set_text(&e, PK_GRID, o, &n, ON_GRID);
    set_text(&e, PK_GROUP, o, &n, ON_WORKGROUP);
    set_text(&e, PK_OPERATION, o, &n, ON_OPERATION);
    if (l->gpu != PF_NONE)
        e.number[PK_GPU] = l->gpu;
    if (l->stream != PF_NONE)
        e.number[PK_STREAM] = l->stream;
    perfetto_begin_slice(p, l->track, &e, (uint32_t)p->notes.n);
    return true;
}

static void take_leave(struct otf2_in *o, const struct otf2_record *r)
{
    uint32_t at = idmap_get(&o->locations, r->a);
    if (at == NO_INDEX) {
        o->p.lost++;
        return;
    }
    int64_t ns = ns_of(o, r->b);
    o->p.last_ns = ns > o->p.last_ns ? ns : o->p.last_ns;
    perfetto_end_slice(&o->p, o->location.v[at].track, ns);
}

/* A value at the start of a kernel is its counter; of a metric's own location, telemetry. */
static void take_value(struct otf2_in *o, const struct otf2_record *r)
{
    struct perfetto *p = &o->p;
    uint32_t at = idmap_get(&o->locations, r->a), metric = idmap_get(&o->metrics, r->c);
    if (at == NO_INDEX || metric == NO_INDEX) {
        p->lost++;
        return;
    }
    const struct o_location *l = &o->location.v[at];
    double value = wire_double(r->d);
    if (l->type != TYPE_METRIC) {
        perfetto_note_slice(p, l->track, o->metric.v[2 * metric], value);
        return;
    }
    p->tracks.v[l->track].units = o->metric.v[2 * metric + 1];
    vec_push_alone(&p->points, p->arena, ((struct pf_point){ns_of(o, r->b), value, l->track}));
}

static bool take_record(struct otf2_in *o, const struct otf2_record *r)
{
    switch (r->kind) {
    case O_STRING:
        return take_string(o, r);
    case O_CLOCK:
        o->resolution = r->a;
        o->realtime = r->b;
        o->offset = r->c;
        return true;
    case O_NODE:
        idmap_put(&o->nodes, r->a, text_of(o, r->b));
        return true;
    case O_GROUP:
        add_group(o, r);
        return true;
    case O_LOCATION:
        add_location(o, r);
        return true;
    case O_REGION:
        idmap_put(&o->regions, r->a, (uint32_t)o->region.n);
        vec_push(&o->region, o->arena, ((struct o_region){text_of(o, r->b), (uint32_t)r->c, r->e}));
        return true;
    case O_METRIC:
        idmap_put(&o->metrics, r->a, (uint32_t)(o->metric.n / 2));
        vec_push(&o->metric, o->arena, text_of(o, r->b));
        vec_push(&o->metric, o->arena, text_of(o, r->c));
        return true;
    case O_ENTER:
        return take_enter(o, r);
    case O_LEAVE:
        take_leave(o, r);
        return true;
    case O_VALUE:
        take_value(o, r);
        return true;
    case O_END:
        o->complete = true;
        return false;
    default:
        return false;
    }
}

/* ---- all of them ---- */

static void init(struct otf2_in *o, struct trace *t, int fd, struct arena *arena)
{
    struct perfetto *p = &o->p;
    struct idmap *maps[] = {&o->strings,     &o->nodes,      &o->groups,      &o->locations,
                            &o->regions,     &o->metrics,    &p->sequence_of, &p->track_of,
                            &p->category_of, &p->process_of, &p->key_of,      &p->gpu_of};
    *o = (struct otf2_in){.arena = arena, .fd = fd};
    *p = (struct perfetto){.trace = t, .arena = arena, .file = (uint32_t)t->files.n - 1};
    for (size_t i = 0; i < ARRAY_LEN(maps); i++)
        idmap_init(maps[i], arena);
    p->first_region = t->regions.n;
    p->first_marker = t->markers.n;
    p->first_sample = t->samples.n;
    p->last_ns = INT64_MIN;
    o->buf = arena_array(arena, char, BUFFER);
}

bool otf2_read(struct trace *t, int fd, const char *path, struct arena *arena, struct gs_error *err)
{
    struct otf2_in *o = arena_new(arena, struct otf2_in);
    struct otf2_record r;
    init(o, t, fd, arena);
    rv3_init(&o->p.build, t, o->p.file, arena);
    while (take(o, &r, sizeof(r)) && take_record(o, &r))
        ;
    if (!o->complete && !o->location.n)
        return fail(err, GS_E_FORMAT,
                    "libotf2 cannot read it: damaged, or files of it are missing");
    trace_note(t, NOTE_UNFINISHED, !o->complete, "libotf2 stopped before the end of the archive");
    trace_note(t, NOTE_DANGLING, o->p.lost, "events that refer to nothing defined");
    perfetto_close_all(&o->p);
    perfetto_finish(&o->p, path);
    if (o->realtime)
        t->files.v[o->p.file].origin_ns = (int64_t)(o->realtime - (uint64_t)ns_of(o, o->offset));
    return true;
}
