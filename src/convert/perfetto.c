#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/mem.h"
#include "convert/perfetto_in.h"

/* ---- packets ---- */

/* Packets that were written so far as one that holds them deflated. */
static void flush_packed(struct pf *w)
{
    struct sink *s = &w->sink;
    uLong room = compressBound((uLong)s->n);
    char *packed = str_room((str_clear(&w->packed), &w->packed), room + 32);
    if (!s->n)
        return;
    if (compress2((Bytef *)packed, &room, (const Bytef *)s->buf, (uLong)s->n, 4) != Z_OK) {
        sink_flush(s);
        return;
    }
    char head[32], inner[16];
    char *q = pb_varint(pb_varint(inner, PACKET_COMPRESSED << 3 | WIRE_BYTES), room);
    char *p =
        pb_varint(pb_varint(head, TRACE_PACKET << 3 | WIRE_BYTES), (uint64_t)(q - inner) + room);
    s->n = 0;
    sink_put(s, head, (size_t)(p - head));
    sink_put(s, inner, (size_t)(q - inner));
    sink_put(s, packed, room);
    sink_flush(s);
}

/* Between packets: so much room that the next one lies in the buffer whole. */
void pf_room(struct pf *w, size_t n)
{
    if (SINK_BYTES - w->sink.n >= n)
        return;
    if (w->c->o->compress)
        flush_packed(w);
    else
        sink_flush(&w->sink);
}

/* ---- descriptors: texts in them have any length, so they are built aside ---- */

static void put_field(struct str *s, unsigned field, const char *text, size_t n)
{
    char *p = pb_varint(pb_varint(str_room(s, 20), field << 3 | WIRE_BYTES), n);
    s->len = (size_t)(p - s->buf);
    str_put(s, text, n);
}

static void put_number(struct str *s, unsigned field, uint64_t v)
{
    char *p = pb_uint(str_room(s, 20), field, v);
    s->len = (size_t)(p - s->buf);
}

/* A packet with one message in it. */
static void send_message(struct pf *w, unsigned field, const struct str *body)
{
    struct str *s = &w->packed;
    char head[16];
    str_clear(s);
    put_number(s, PACKET_SEQUENCE, 1);
    put_field(s, field, body->buf, body->len);
    char *p = pb_varint(pb_varint(head, TRACE_PACKET << 3 | WIRE_BYTES), s->len);
    pf_room(w, s->len + 16);
    sink_write(&w->sink, head, (size_t)(p - head));
    sink_write(&w->sink, s->buf, s->len);
}

enum {
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    PROCESS_PID = 1,
    PROCESS_COMMAND = 2,
    PROCESS_NAME = 6,
    PROCESS_START = 7,
    PROCESS_LABEL = 8,
    THREAD_PID = 1,
    THREAD_TID = 2,
    THREAD_NAME = 5,
    COUNTER_UNIT = 3,
    COUNTER_UNIT_NAME = 6,
    UNIT_BYTES = 3,
};

void pf_track(struct pf *w, uint64_t parent, const char *name)
{
    w->track.lane.n = 0;
    w->track.parent = parent;
    w->track.name = name;
    w->track.tid = -1;
}

uint64_t pf_lane(struct pf *w, uint32_t lane)
{
    while (w->track.lane.n <= lane)
        vec_push(&w->track.lane, w->arena, 0);
    uint64_t *uuid = &w->track.lane.v[lane];
    if (*uuid)
        return *uuid;
    *uuid = w->uuid++;
    struct str s, inner;
    struct arena *a = arena_scratch();
    str_init(&s, a);
    str_init(&inner, a);
    put_number(&s, TRACK_UUID, *uuid);
    put_number(&s, TRACK_PARENT, w->track.parent);
    if (w->track.tid >= 0 && !lane) {
        put_number(&inner, THREAD_PID, (uint64_t)w->track.pid);
        put_number(&inner, THREAD_TID, (uint64_t)w->track.tid);
        if (*w->track.thread_name)
            put_field(&inner, THREAD_NAME, w->track.thread_name, strlen(w->track.thread_name));
        put_field(&s, TRACK_THREAD, inner.buf, inner.len);
    } else { /* tracks with one parent and one name are drawn as one */
        put_field(&s, TRACK_NAME, w->track.name, strlen(w->track.name));
    }
    send_message(w, PACKET_TRACK, &s);
    uint64_t made = *uuid;
    arena_release(a);
    return made;
}

uint64_t pf_counter_track(struct pf *w, uint64_t parent, const char *name, const char *units,
                          bool bytes)
{
    struct str s, inner;
    struct arena *a = arena_scratch();
    uint64_t uuid = w->uuid++;
    str_init(&s, a);
    str_init(&inner, a);
    put_number(&s, TRACK_UUID, uuid);
    put_number(&s, TRACK_PARENT, parent);
    put_field(&s, TRACK_NAME, name, strlen(name));
    if (bytes)
        put_number(&inner, COUNTER_UNIT, UNIT_BYTES);
    else if (*units)
        put_field(&inner, COUNTER_UNIT_NAME, units, strlen(units));
    put_field(&s, TRACK_COUNTER, inner.buf ? inner.buf : "", inner.len);
    send_message(w, PACKET_TRACK, &s);
    arena_release(a);
    return uuid;
}

/* ---- processes ---- */

/* Viewers tell processes apart by pid alone: one that is there already gets another number. */
static void choose_pids(struct pf *w)
{
    const struct trace *t = w->t;
    struct idmap taken;
    idmap_init(&taken, w->arena);
    w->pid = arena_array(w->arena, int64_t, t->processes.n + 1);
    for (size_t i = 0; i < t->processes.n; i++) {
        int64_t pid = t->processes.v[i].pid;
        bool usable = pid > 0 && pid <= INT32_MAX && idmap_get(&taken, (uint64_t)pid) == NO_INDEX;
        w->pid[i] = usable ? pid : 1000000000 + (int64_t)i;
        idmap_put(&taken, (uint64_t)w->pid[i], 0);
    }
}

static void label(struct str *inner, const char *key, const char *value)
{
    char text[512];
    int n = snprintf(text, sizeof(text), "%s=%s", key, value);
    if (n > 0)
        put_field(inner, PROCESS_LABEL, text,
                  (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

static void put_process(struct pf *w, size_t i, struct str *inner)
{
    const struct trace *t = w->t;
    const struct process *p = &t->processes.v[i];
    char number[32], name[256];
    const char *command = trace_str(t, p->command);
    size_t program = strcspn(command, " ");
    const char *base = command;
    for (size_t k = 0; k < program; k++)
        if (command[k] == '/')
            base = command + k + 1;
    int n = (int)(command + program - base);
    snprintf(name, sizeof(name), p->rank >= 0 ? "%.*s rank %d" : "%.*s", n > 128 ? 128 : n, base,
             (int)p->rank);
    put_number(inner, PROCESS_PID, (uint64_t)w->pid[i]);
    if (*command)
        put_field(inner, PROCESS_COMMAND, command, strlen(command));
    put_field(inner, PROCESS_NAME, name, strlen(name));
    if (p->start_ns > 0)
        put_number(inner, PROCESS_START, (uint64_t)p->start_ns);
    if (p->host)
        label(inner, "host", trace_str(t, p->host));
    snprintf(number, sizeof(number), "%lld", (long long)p->pid);
    if (w->pid[i] != p->pid)
        label(inner, "pid", number);
    snprintf(number, sizeof(number), "%d", (int)p->rank);
    if (p->rank >= 0)
        label(inner, "rank", number);
    snprintf(number, sizeof(number), "%lld", (long long)p->ppid);
    if (p->ppid > 0)
        label(inner, "ppid", number);
}

static void describe_processes(struct pf *w)
{
    const struct trace *t = w->t;
    w->process_track = arena_array(w->arena, uint64_t, t->processes.n + 1);
    choose_pids(w);
    for (size_t i = 0; i < t->processes.n; i++) {
        w->process_track[i] = w->uuid++;
        if (!conversion_takes(w->c, (uint32_t)i))
            continue;
        struct str s, inner;
        struct arena *a = arena_scratch();
        str_init(&s, a);
        str_init(&inner, a);
        put_number(&s, TRACK_UUID, w->process_track[i]);
        put_process(w, i, &inner);
        put_field(&s, TRACK_PROCESS, inner.buf, inner.len);
        send_message(w, PACKET_TRACK, &s);
        arena_release(a);
    }
}

/* What the hardware is: one instant a GPU, at the start. */
static void describe_gpu(struct pf *w, uint32_t process, const struct gpu *g, int64_t ns)
{
    const struct {
        enum note_name name;
        uint64_t value;
    } numbers[] = {
        {PF_COMPUTE_UNITS, g->cu_count},
        {PF_SIMD_PER_CU, g->simd_per_cu},
        {PF_WAVES, g->max_waves_per_simd},
        {PF_WAVE_SIZE, g->wave_size},
        {PF_LDS_PER_CU, g->lds_bytes_per_cu},
        {PF_XCC, g->xcc_count},
        {PF_CLOCK, g->clock_mhz},
        {PF_MEMORY, g->memory_bytes},
        {PF_MEMORY_CLOCK, g->memory_clock_mhz},
        {PF_MEMORY_WIDTH, g->memory_width_bits},
        {PF_HOST_LINK, g->host_link_mbps},
        {PF_PEER_LINK, g->peer_link_mbps},
    };
    struct pf_event e;
    uint64_t name = pf_text(w, g->name), arch = pf_text(w, g->arch), title = pf_name(w, g->name);
    uint64_t vendor = pf_word(w, g->vendor == VENDOR_NVIDIA ? "NVIDIA"
                                 : g->vendor == VENDOR_AMD  ? "AMD"
                                                            : "unknown");
    pf_room(w, EVENT_ROOM);
    pf_begin(w, &e, ns, INSTANT, w->process_track[process]);
    e.p = pb_uint(e.p, EVENT_CATEGORY_IID, pf_category("device"));
    e.p = pb_uint(e.p, EVENT_NAME_IID, title);
    pf_note_int(&e, PF_GPU, g->index);
    pf_note_int(&e, PF_NODE, g->node_id);
    pf_note_text(&e, PF_NAME, name);
    pf_note_text(&e, PF_ARCH, arch);
    pf_note_text(&e, PF_VENDOR, vendor);
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        if (numbers[i].value)
            pf_note_uint(&e, numbers[i].name, numbers[i].value);
    pf_end(w, &e);
}

static void describe_gpus(struct pf *w)
{
    const struct trace *t = w->t;
    int64_t start = 0, end;
    if (!t->processes.n || !trace_span(t, w->c->o->threads, &start, &end))
        return;
    for (size_t i = 0; i < t->agents.n; i++) {
        const struct agent *a = &t->agents.v[i];
        if (a->gpu != NO_INDEX && conversion_takes(w->c, a->process))
            describe_gpu(w, a->process, &t->gpus.v[a->gpu], start);
    }
}

/* Which moment of the calendar a moment of the trace is. */
static void send_clocks(struct pf *w)
{
    const struct trace *t = w->t;
    int64_t start, end;
    if (!t->files.n || !t->files.v[0].origin_ns || !trace_span(t, w->c->o->threads, &start, &end))
        return;
    struct arena *a = arena_scratch();
    struct str s, clock;
    str_init(&s, a);
    str_init(&clock, a);
    put_number(&clock, 1, CLOCK_BOOTTIME);
    put_number(&clock, 2, (uint64_t)start);
    put_field(&s, 1, clock.buf, clock.len);
    str_clear(&clock);
    put_number(&clock, 1, CLOCK_REALTIME);
    put_number(&clock, 2, (uint64_t)add_ns(start, t->files.v[0].origin_ns));
    put_field(&s, 1, clock.buf, clock.len);
    send_message(w, PACKET_CLOCK_SNAPSHOT, &s);
    arena_release(a);
}

/* ---- flows ---- */

/* The kernels and copies of each call, so that an arrow leads from it to each of them. */
static void index_flows(struct pf *w)
{
    const struct trace *t = w->t;
    size_t n = t->kernels.n + t->copies.n, calls = t->regions.n;
    if (!n || !calls)
        return;
    uint32_t *call = arena_array(w->arena, uint32_t, n);
    for (size_t i = 0; i < n; i++)
        call[i] = i < t->kernels.n ? t->kernels.call[i] : t->copies.call[i - t->kernels.n];
    struct row_groups g = row_groups_make(call, n, calls, w->arena);
    w->flow_at = g.at;
    w->flow_ops = g.list;
}

/* ---- all of it ---- */

static bool write_pftrace(struct conversion *c, struct gs_error *err)
{
    struct pf *w = arena_new(c->arena, struct pf);
    *w = (struct pf){.c = c, .t = c->trace, .arena = c->arena};
    const struct trace *t = c->trace;
    if (!sink_open(&w->sink, c, conversion_path(c, converter_pftrace.ends), err))
        return false;
    str_init(&w->text, c->arena);
    str_init(&w->packed, c->arena);
    uint64_t seed = t->processes.n ? hash_fixed_u64((uint64_t)t->processes.v[0].pid) : 1;
    if (t->processes.n)
        seed ^= hash_fixed_u64((uint64_t)t->processes.v[0].start_ns +
                               (uint64_t)(t->kernels.n ? t->kernels.start_ns[0] : 0));
    w->uuid = (seed & 0xffffff) << 24 | 1; /* files that are put together keep their tracks apart */
    w->flow = seed << 32;
    pf_intern_start(w);
    send_clocks(w);
    describe_processes(w);
    describe_gpus(w);
    w->counters = counter_index_make(t, c->arena);
    index_flows(w);
    pf_host(w);
    pf_gpu(w);
    pf_allocations(w);
    pf_counters(w);
    if (c->o->compress)
        flush_packed(w);
    return sink_close(&w->sink, c, err);
}

const struct converter converter_pftrace = {
    .name = "pftrace",
    .other = "perfetto",
    .ends = "_results.pftrace",
    .extension = ".pftrace",
    .summary = "Perfetto protobuf: for ui.perfetto.dev and trace_processor",
    .binary = true,
    .write = write_pftrace,
};
