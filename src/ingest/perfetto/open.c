/* The file: packets, one after the other, some of them deflated. */
#include <string.h>
#include <zlib.h>

#include "base/fs.h"
#include "base/input.h"
#include "base/mem.h"
#include "ingest/perfetto/perfetto.h"

enum {
    PACKET_CLOCKS = 6,
    PACKET_TIME = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_CLEARED = 41,
    PACKET_COMPRESSED = 50,
    PACKET_STAGE = 53,
    PACKET_CLOCK = 58,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK = 60,
};

/* ---- detection ---- */

/*
 * A packet has a time, a sequence or packets inside; others of a writer's own stand between such.
 * Other protobuf files start with the same byte, so what is inside must fit, too.
 */
static bool is_packet(const uint8_t *p, size_t n, bool cut, bool *sure)
{
    struct wire w = {p, p + n, true};
    for (struct field f; wire_next(&w, &f);) {
        if (f.number > 4096)
            return false;
        *sure |= f.kind == 0 && (f.number == PACKET_TIME || f.number == PACKET_SEQUENCE);
    }
    if (cut && n > 2 && !*sure) { /* deflated packets of some hundred kilobytes */
        struct wire head = {p, p + n, true};
        uint64_t tag;
        *sure = wire_varint(&head, &tag) && tag == (PACKET_COMPRESSED << 3 | 2);
    }
    return w.ok || cut;
}

static bool detect(const struct probe *p)
{
    const uint8_t *at = (const uint8_t *)p->head, *end = at + p->n;
    bool sure = false;
    if (p->is_sqlite || p->n < 4 || *at != 0x0a)
        return false;
    for (size_t i = 0; at < end && i < 64; i++) {
        struct wire w = {at, end, true};
        uint64_t tag, n;
        if (!wire_varint(&w, &tag) || tag != 0x0a || !wire_varint(&w, &n) || n > PF_PACKET_MOST)
            return sure && w.p == end;
        bool cut = n > (uint64_t)(end - w.p);
        if (!is_packet(w.p, cut ? (size_t)(end - w.p) : n, cut, &sure) || cut)
            return cut && sure;
        at = w.p + n;
    }
    return sure;
}

/* ---- packets ---- */

struct packet {
    struct field event, interned, clocks, defaults, track, stage, packed;
    uint64_t ts, clock, sequence, flags;
    bool has_ts, other;
};

static struct packet read_packet(struct perfetto *p, struct wire w)
{
    struct packet k = {.ts = 0};
    for (struct field f; wire_next(&w, &f);) {
        switch (f.number) {
        case PACKET_TIME:
            k.ts = f.value;
            k.has_ts = true;
            break;
        case PACKET_CLOCK:
            k.clock = f.value;
            break;
        case PACKET_SEQUENCE:
            k.sequence = f.value;
            break;
        case PACKET_FLAGS:
            k.flags |= f.value;
            break;
        case PACKET_CLEARED:
            k.flags |= f.value ? 1 : 0;
            break;
        case PACKET_EVENT:
            k.event = f;
            break;
        case PACKET_INTERNED:
            k.interned = f;
            break;
        case PACKET_CLOCKS:
            k.clocks = f;
            break;
        case PACKET_DEFAULTS:
            k.defaults = f;
            break;
        case PACKET_TRACK:
            k.track = f;
            break;
        case PACKET_STAGE:
            k.stage = f;
            break;
        case PACKET_COMPRESSED:
            k.packed = f;
            break;
        default:
            k.other |= f.kind == 2;
        }
    }
    p->damaged += !w.ok;
    return k;
}

static bool unpack(struct perfetto *p, const struct field *f, struct gs_error *err);

static bool take_packet(struct perfetto *p, struct wire w, bool outer, struct gs_error *err)
{
    struct packet k = read_packet(p, w);
    struct pf_sequence *s = perfetto_sequence(p, k.sequence);
    int64_t ns = 0;
    if (k.flags & 1)
        perfetto_clear(p, s);
    if (k.defaults.kind == 2)
        perfetto_defaults(s, wire_in(&k.defaults));
    if (k.interned.kind == 2)
        perfetto_interned(p, s, wire_in(&k.interned));
    if (k.clocks.kind == 2)
        perfetto_clocks(p, s, wire_in(&k.clocks));
    if (k.track.kind == 2)
        perfetto_track(p, wire_in(&k.track));
    if (k.packed.kind == 2 && outer)
        return unpack(p, &k.packed, err);
    if (k.event.kind != 2 && k.stage.kind != 2) {
        p->other += k.other;
        return true;
    }
    if (!k.has_ts || !perfetto_time(p, s, k.ts, k.clock, &ns)) {
        p->no_time++;
        return true;
    }
    if (k.event.kind == 2)
        perfetto_event(p, s, wire_in(&k.event), ns);
    else
        perfetto_stage(p, s, wire_in(&k.stage), ns);
    return true;
}

static bool take_packets(struct perfetto *p, const uint8_t *data, size_t n, struct gs_error *err)
{
    struct wire w = {data, data + n, true};
    for (struct field f; wire_next(&w, &f);)
        if (f.number == 1 && f.kind == 2 && !take_packet(p, wire_in(&f), false, err))
            return false;
    p->damaged += !w.ok;
    return true;
}

/* Packets in a packet: writers put some hundred kilobytes into one. */
static bool unpack(struct perfetto *p, const struct field *f, struct gs_error *err)
{
    struct arena *a = arena_scratch();
    size_t room = f->value < 4096 ? 65536 : f->value * 16;
    room = room > PF_PACKET_MOST ? PF_PACKET_MOST : room;
    uint8_t *to = NULL;
    uLongf n = 0;
    int rc = Z_BUF_ERROR;
    for (; rc == Z_BUF_ERROR && room <= PF_PACKET_MOST; room *= 4) {
        to = arena_alloc(a, room);
        n = (uLongf)room;
        rc = uncompress(to, &n, f->bytes, (uLong)f->value);
    }
    if (rc != Z_OK)
        p->damaged++;
    p->unpacked += rc == Z_OK ? n : 0;
    bool ok = input_may_unpack(p->in, p->unpacked, err);
    if (ok && rc == Z_OK)
        ok = take_packets(p, to, n, err);
    arena_release(a);
    return ok;
}

/* ---- reading: a buffer that holds at least the packet at hand ---- */

struct bytes_in {
    struct input *in;
    uint8_t *buf;
    size_t at, end, cap;
    bool last;
};

static void close_bytes(void *bytes)
{
    mem_free(((struct bytes_in *)bytes)->buf);
}

/* At least n bytes, or all there are. */
static void fill(struct bytes_in *s, size_t n)
{
    if (s->end - s->at >= n || s->last)
        return;
    memmove(s->buf, s->buf + s->at, s->end - s->at);
    s->end -= s->at;
    s->at = 0;
    while (!s->last && s->end < n) {
        if (s->end == s->cap) { /* as there are bytes, not as a length claims */
            s->cap *= 2;
            s->buf = mem_realloc(s->buf, s->cap);
        }
        ptrdiff_t got = input_read(s->in, (char *)s->buf + s->end, s->cap - s->end);
        s->last = got <= 0;
        s->end += got > 0 ? (size_t)got : 0;
    }
}

/* The next packet of the file; false at its end, or where it is cut. */
static bool next_packet(struct perfetto *p, struct bytes_in *s, struct wire *out, bool *bad)
{
    for (;;) {
        fill(s, 32);
        struct wire w = {s->buf + s->at, s->buf + s->end, true};
        uint64_t tag, n = 0;
        if (w.p == w.end)
            return false;
        bool head = wire_varint(&w, &tag) && (tag & 7) == 2 && wire_varint(&w, &n);
        if (!head || n > PF_PACKET_MOST) {
            *bad = head || !s->last;
            p->damaged++;
            return false;
        }
        s->at = (size_t)(w.p - s->buf);
        fill(s, n);
        if (s->end - s->at < n) { /* half a packet: the writer was stopped */
            p->damaged++;
            return false;
        }
        *out = (struct wire){s->buf + s->at, s->buf + s->at + n, true};
        s->at += n;
        if (tag == 0x0a)
            return true;
        p->other++;
    }
}

static bool read_file(struct perfetto *p, struct input *in, struct arena *arena,
                      struct gs_error *err)
{
    struct bytes_in *s = arena_new(arena, struct bytes_in);
    *s = (struct bytes_in){.in = in, .cap = 1 << 18};
    s->buf = mem_alloc(s->cap);
    arena_defer(arena, close_bytes, s);
    struct wire w;
    bool ok = true, bad = false;
    while (ok && next_packet(p, s, &w, &bad))
        ok = take_packet(p, w, true, err);
    if (!ok || !input_error(in, err))
        return false;
    if (bad && !p->n_events)
        return fail(err, GS_E_FORMAT, "not a list of Perfetto packets");
    return true;
}

static void note_odd(struct perfetto *p)
{
    struct trace *t = p->trace;
    trace_note(t, NOTE_OTHER, p->other, "packets that are no track events, passed over");
    trace_note(t, NOTE_UNFINISHED, p->damaged, "packets that are damaged or cut");
    trace_note(t, NOTE_SKIPPED, p->no_begin, "ends of slices that never began");
    trace_note(t, NOTE_SKIPPED, p->too_deep, "slices inside more open ones than any program has");
    trace_note(t, NOTE_NULL, p->no_time, "events whose time cannot be told");
    trace_note(t, NOTE_DANGLING, p->lost, "references to texts that are not there");
}

static bool load(struct trace *t, const char *path, const struct ingest_opts *o,
                 struct arena *arena, struct gs_error *err)
{
    struct input *in = ingest_input(path, o, arena, err);
    if (!in)
        return false;
    struct trace_file f = ingest_file(path, TRACE_PERFETTO, WRITER_PERFETTO, "fast");
    struct perfetto *p = arena_new(arena, struct perfetto);
    *p = (struct perfetto){.trace = t, .arena = arena, .file = (uint32_t)t->files.n, .in = in};
    struct idmap *maps[] = {&p->sequence_of, &p->track_of, &p->category_of,
                            &p->process_of,  &p->key_of,   &p->gpu_of};
    for (size_t i = 0; i < ARRAY_LEN(maps); i++)
        idmap_init(maps[i], arena);
    vec_push(&t->files, &t->arena, f);
    rv3_init(&p->build, t, p->file, arena);
    p->first_region = t->regions.n;
    p->first_marker = t->markers.n;
    p->first_sample = t->samples.n;
    p->last_ns = INT64_MIN;
    if (!read_file(p, in, arena, err))
        return false;
    perfetto_close_all(p);
    perfetto_finish(p, path);
    note_odd(p);
    return true;
}

const struct format format_perfetto = {
    .name = "perfetto",
    .label = "Perfetto trace",
    .detect = detect,
    .load = load,
};
