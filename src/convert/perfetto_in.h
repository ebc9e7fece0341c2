/*
 * The Perfetto writer, inside: protobuf by hand. A file is a list of packets, all of one sequence.
 *
 * Packets of events are small and of bounded size: they are put straight into the buffer, with
 * lengths of four bytes that are filled in afterwards, as Perfetto's own writer does. Texts are
 * interned: each goes out once, in a packet of its own before its first use (perfetto_intern.c).
 * With compression the buffer is deflated whenever it is full.
 *
 * Files: perfetto.c (the order of things, tracks), perfetto_host.c, perfetto_gpu.c,
 * perfetto_counters.c (rows), perfetto_intern.c (texts).
 */
#ifndef GS_CONVERT_PERFETTO_IN_H
#define GS_CONVERT_PERFETTO_IN_H

#include "convert/lanes.h"
#include "convert/sink.h"

/* Field numbers of google/perfetto's trace.proto and the files it includes. */
enum {
    TRACE_PACKET = 1,
    PACKET_CLOCK_SNAPSHOT = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_COMPRESSED = 50,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK = 60,
    DEFAULTS_CLOCK = 58,
    EVENT_CATEGORY_IID = 3,
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_COUNTER = 30,
    EVENT_DOUBLE_COUNTER = 44,
    EVENT_FLOW = 47,
    EVENT_FLOW_END = 48,
    NOTE_NAME_IID = 1,
    NOTE_UINT = 3,
    NOTE_INT = 4,
    NOTE_DOUBLE = 5,
    NOTE_TEXT_IID = 17,
    INTERNED_CATEGORY = 1,
    INTERNED_NAME = 2,
    INTERNED_NOTE_NAME = 3,
    INTERNED_TEXT = 29,
};

enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };
enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2 };
enum { STATE_CLEARED = 1, STATE_NEEDED = 2, CLOCK_BOOTTIME = 6, CLOCK_REALTIME = 1 };

/* Names of annotations; the text is what AMD's converter calls them. */
enum note_name {
#define NOTE_(name, text) PF_##name,
#include "convert/perfetto_notes.def"
#undef NOTE_
    PF_NOTES
};

struct pf {
    struct conversion *c;
    const struct trace *t;
    struct sink sink;
    struct arena *arena;
    uint64_t uuid, flow;          /* what the next track and all flows start from */
    uint64_t *process_track;      /* by process */
    int64_t *pid;                 /* the same: as it is shown */
    uint8_t *name_out, *text_out; /* bits: interned already */
    size_t texts;                 /* how many there can be */
    const struct counter_index *counters;
    uint32_t *counter_name; /* by counter: iid of its annotation */
    size_t *flow_at;        /* by call: its operations in flow_ops; NULL: there are none */
    uint32_t *flow_ops;
    struct str text, packed;
    struct {
        VEC(uint64_t) lane; /* uuid of each lane of the track at hand, 0: not yet */
        uint64_t parent;
        const char *name;
        int64_t pid, tid; /* tid >= 0: the first lane is a thread's */
        const char *thread_name;
    } track;
};

/* ---- encoding: p is moved behind what was written ---- */

static inline char *pb_varint(char *p, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *p++ = (char)(v | 0x80);
    *p++ = (char)v;
    return p;
}

static inline char *pb_uint(char *p, unsigned field, uint64_t v)
{
    return pb_varint(pb_varint(p, field << 3 | WIRE_VARINT), v);
}

static inline char *pb_fixed(char *p, unsigned field, uint64_t v)
{
    p = pb_varint(p, field << 3 | WIRE_64);
    memcpy(p, &v, 8); /* all machines we run on are little-endian */
    return p + 8;
}

static inline char *pb_double(char *p, unsigned field, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, 8);
    return pb_fixed(p, field, bits);
}

/* A message whose length is not known yet. */
static inline char *pb_open(char *p, unsigned field, char **length)
{
    p = pb_varint(p, field << 3 | WIRE_BYTES);
    *length = p;
    return p + 4;
}

static inline void pb_close(char *p, char *length)
{
    size_t n = (size_t)(p - length) - 4;
    for (int i = 0; i < 4; i++, n >>= 7)
        length[i] = (char)((n & 0x7f) | (i < 3 ? 0x80 : 0));
}

/* An event being written. */
struct pf_event {
    char *p, *packet, *body;
};

enum {
    EVENT_ROOM = 4096
}; /* more than any event takes, without its annotated counters and flows */

void pf_room(struct pf *w, size_t n);

static inline void pf_begin(struct pf *w, struct pf_event *e, int64_t ns, int type, uint64_t track)
{
    e->p = pb_open(w->sink.buf + w->sink.n, TRACE_PACKET, &e->packet);
    e->p = pb_uint(e->p, PACKET_TIMESTAMP, (uint64_t)ns);
    e->p = pb_uint(e->p, PACKET_SEQUENCE, 1);
    if (type != SLICE_END)
        e->p = pb_uint(e->p, PACKET_FLAGS, STATE_NEEDED);
    e->p = pb_open(e->p, PACKET_TRACK_EVENT, &e->body);
    e->p = pb_uint(e->p, EVENT_TYPE, (uint64_t)type);
    e->p = pb_uint(e->p, EVENT_TRACK, track);
}

static inline void pf_end(struct pf *w, struct pf_event *e)
{
    pb_close(e->p, e->body);
    pb_close(e->p, e->packet);
    w->sink.n = (size_t)(e->p - w->sink.buf);
}

static inline void pf_note(struct pf_event *e, uint64_t name, unsigned kind, uint64_t v)
{
    char *length;
    e->p = pb_open(e->p, EVENT_ANNOTATION, &length);
    e->p = pb_uint(e->p, NOTE_NAME_IID, name);
    e->p = pb_uint(e->p, kind, v);
    pb_close(e->p, length);
}

static inline void pf_note_uint(struct pf_event *e, enum note_name name, uint64_t v)
{
    pf_note(e, (uint64_t)name + 1, NOTE_UINT, v);
}

static inline void pf_note_int(struct pf_event *e, enum note_name name, int64_t v)
{
    pf_note(e, (uint64_t)name + 1, NOTE_INT, (uint64_t)v);
}

static inline void pf_note_text(struct pf_event *e, enum note_name name, uint64_t iid)
{
    pf_note(e, (uint64_t)name + 1, NOTE_TEXT_IID, iid);
}

/* ---- texts: iids; what is new goes out first, so before pf_begin() ---- */

enum { PF_CATEGORIES = 25 };
void pf_intern_start(struct pf *w);
uint64_t pf_name(struct pf *w, uint32_t string);
uint64_t pf_text(struct pf *w, uint32_t string);
uint64_t pf_extent(struct pf *w, uint32_t launch, bool group); /* "256 (x=256,y=1,z=1)" */
uint64_t pf_word(struct pf *w, const char *word);              /* one of AMD's, of a fixed few */
uint64_t pf_category(const char *name);                        /* the iid of one of the fixed few */
const char *pf_region_category(enum region_kind kind, const char *name);

/* ---- tracks ---- */

/* Begins a track of lanes; each is described when it is first used. */
void pf_track(struct pf *w, uint64_t parent, const char *name);
uint64_t pf_lane(struct pf *w, uint32_t lane);
uint64_t pf_counter_track(struct pf *w, uint64_t parent, const char *name, const char *units,
                          bool bytes);

void pf_host(struct pf *w);
void pf_gpu(struct pf *w);
void pf_allocations(struct pf *w);
void pf_counters(struct pf *w);

#endif
