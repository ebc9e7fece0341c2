/*
 * The reader of Perfetto traces, inside: those of rocprof-sys, of rocprofv3 and rocpd, of
 * converters, and ours.
 *
 * A file is a list of packets, read as a stream. What is used of it: track events (slices,
 * instants, counters), descriptions of tracks, interned texts, clocks, render stages of GPUs.
 * Packets of other kinds (ftrace, process statistics, ...) are skipped and counted.
 *
 * Slices that are calls go straight into the trace, with the number of their track in place of a
 * thread; kernels, copies and allocations wait (ops), since the description of a track may come
 * after its events. finish.c resolves both.
 *
 * Files: open.c (packets), sequence.c (texts and clocks), event.c (track events), ops.c (those that
 * wait), finish.c.
 */
#ifndef GS_INGEST_PERFETTO_PERFETTO_H
#define GS_INGEST_PERFETTO_PERFETTO_H

#include "base/input.h"
#include "base/vec.h"
#include "ingest/ingest.h"
#include "ingest/rocprofv3/build.h"
#include "ingest/wire.h"
#include "model/trace.h"

/* Open slices of all tracks together; real traces have some hundreds. */
enum { PF_OPEN_MOST = 1 << 20, PF_PACKET_MOST = 64 << 20, PF_TRACKS_MOST = 1 << 20 };

#define PF_NONE INT64_MIN

/* Annotations that mean something, by what AMD's tools and ours call them. */
enum pf_key {
#define KEY(name, text) PK_##name,
#include "ingest/perfetto/keys.def"
#undef KEY
    PK_KEYS,
    PK_OTHER = PK_KEYS, /* may be a counter */
};

/* What a category stands for. */
enum pf_action {
    PA_REGION,
    PA_MARKER,
    PA_KERNEL,
    PA_COPY,
    PA_SET,
    PA_ALLOC,
    PA_SCRATCH,
    PA_DEVICE,
    PA_SAMPLE,
    PA_PC_SAMPLE
};

struct pf_category {
    uint32_t name;
    enum pf_action action;
    enum region_kind kind;
    uint64_t count;
};

struct pf_note {
    uint32_t name; /* string */
    uint32_t next; /* of the same slice; the last one's means nothing */
    double value;
};

/* One event with all that was read of it. */
struct pf_event {
    int64_t ns, end_ns;
    int64_t number[PK_KEYS]; /* PF_NONE: not given */
    uint32_t text[PK_KEYS];  /* strings; 0: not given */
    uint64_t flow;
    uint64_t track_uuid;
    uint32_t name, category; /* string; index, NO_INDEX: none */
    int type;
    bool has_track;
    double value;
};

/* What is known of a slice while it is open. */
struct pf_op {
    int64_t start_ns, end_ns, correlation, dispatch;
    int64_t id;
    uint64_t bytes, address;
    uint32_t first_note, last_note, n_notes; /* counters */
    int64_t stream, queue, tid, kernel_id;   /* from here on struct pf_alike */
    uint32_t track, name, category, operation, domain, rename;
    int32_t gpu, src_gpu, dst_gpu;
    uint32_t grid[3], group[3], lds, scratch, vgprs, accum_vgprs, sgprs, graph;
    uint16_t src_memory, dst_memory;
};

/* What is kept of kernels, copies and allocations until the end: ops.c. */
struct pf_alike {
    int64_t ids[4];
    uint32_t rest[22];
};
struct pf_kept {
    int64_t start_ns, correlation;
    uint32_t length_ns, dispatch; /* PF_IN_REST: there */
    uint32_t alike, rest;         /* NO_INDEX: there is none */
};
#define PF_IN_REST UINT32_MAX
struct pf_rest {
    int64_t end_ns, dispatch, id;
    uint64_t bytes, address;
    uint32_t first_note, n_notes;
};
struct pf_ops {
    struct arena *arena, *pieces_arena; /* of all of it; NULL: there are none */
    VEC(struct pf_kept *) pieces;       /* so that millions are never moved */
    size_t n, n_kernels, n_copies;
    VEC(struct pf_alike) alike;
    VEC(struct pf_rest) rest;
    struct idmap alike_of; /* by hash */
    uint32_t recent;
};

struct pf_track {
    uint64_t uuid, parent;
    uint32_t name, thread_name, units; /* strings */
    int64_t pid, tid;                  /* PF_NONE: not said */
    bool described, is_process, is_counter;
    bool is_derived;    /* what its name says that it counts is known from other rows */
    VEC(uint32_t) open; /* places in p->open */
    uint32_t process;   /* in the build; NO_INDEX until finish */
    uint32_t thread;    /* of the trace; the same */
    uint32_t series;
};

struct pf_process {
    int64_t pid, true_pid, ppid, start_ns;
    uint32_t name, command, host;
    int32_t rank;
    uint64_t track;
};

/* Interned texts of a sequence: iid -> string, or for keys 1 + enum pf_key. */
struct pf_sequence {
    uint64_t id;
    struct idmap categories, names, note_names, note_texts, specs;
    uint64_t default_track;
    uint32_t default_clock;
    struct {
        uint32_t id;
        bool incremental;
        int64_t value, offset, unit;
    } clock[4]; /* of its own: ids from 64 on */
    int n_clocks;
};

struct pf_point {
    int64_t ns;
    double value;
    uint32_t track;
};

struct perfetto {
    struct trace *trace;
    struct arena *arena;
    struct rv3_build build;
    uint32_t file;
    VEC(struct pf_sequence) sequences;
    struct idmap sequence_of, track_of, category_of, process_of, key_of, gpu_of;
    VEC(struct pf_track) tracks;
    VEC(struct pf_process) processes;
    VEC(struct pf_category) categories;
    VEC(struct pf_op) open; /* slots, reused */
    struct pf_ops ops;
    VEC(uint32_t) free_slots;
    VEC(struct pf_note) notes;
    VEC(struct pf_point) points;
    VEC(struct gpu) gpus; /* by description: index in .index */
    size_t first_region, first_marker, first_sample;
    size_t n_open;
    int64_t clock_offset[16]; /* of the builtin clocks, to BOOTTIME */
    int64_t last_ns, realtime_ns;
    uint64_t other, damaged, no_begin, too_deep, no_time, lost;
    uint64_t n_events;
    struct input *in;  /* the file, for what it may unpack to */
    uint64_t unpacked; /* bytes of packets in packets */
};

/* sequence.c */
struct pf_sequence *perfetto_sequence(struct perfetto *p, uint64_t id);
void perfetto_clear(struct perfetto *p, struct pf_sequence *s);
void perfetto_interned(struct perfetto *p, struct pf_sequence *s, struct wire w);
void perfetto_clocks(struct perfetto *p, struct pf_sequence *s, struct wire w);
void perfetto_defaults(struct pf_sequence *s, struct wire w);
/* The time of a packet in the clock of the trace; false where it cannot be told. */
bool perfetto_time(struct perfetto *p, struct pf_sequence *s, uint64_t ts, uint64_t clock,
                   int64_t *ns);
uint32_t perfetto_string(struct perfetto *p, const struct field *f);
uint32_t perfetto_category(struct perfetto *p, uint32_t name);
/* 1 + enum pf_key for those that mean something, else PK_OTHER + 2 + the string. */
uint32_t perfetto_key_of(struct perfetto *p, uint32_t name);

/* event.c */
void perfetto_event(struct perfetto *p, struct pf_sequence *s, struct wire w, int64_t ns);
void perfetto_track(struct perfetto *p, struct wire w);
void perfetto_stage(struct perfetto *p, struct pf_sequence *s, struct wire w, int64_t ns);
uint32_t perfetto_track_of(struct perfetto *p, uint64_t uuid);
void perfetto_close_all(struct perfetto *p);
/* For other readers that have slices on tracks (otf2). */
void perfetto_begin_slice(struct perfetto *p, uint32_t track, const struct pf_event *e,
                          uint32_t first_note);
void perfetto_end_slice(struct perfetto *p, uint32_t track, int64_t ns);
/* A counter of the innermost open slice of a track. */
void perfetto_note_slice(struct perfetto *p, uint32_t track, uint32_t name, double value);

/* ops.c */
void perfetto_keep_op(struct perfetto *p, const struct pf_op *o);
struct pf_op perfetto_op(const struct perfetto *p, size_t i);
void perfetto_release_ops(struct perfetto *p);

/* own.c: instants of our own writer. */
void perfetto_device(struct perfetto *p, const struct pf_event *e);
void perfetto_pc_sample(struct perfetto *p, uint32_t track, const struct pf_event *e);

/* Numbers of annotations, held in a range. */
static inline uint32_t pf_small(int64_t a, int64_t b)
{
    int64_t v = a != PF_NONE ? a : b;
    return v < 0 ? 0 : v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

static inline int32_t pf_gpu_of(int64_t v)
{
    return v == PF_NONE ? INT32_MIN : v < -1 || v > 65535 ? INT32_MIN : (int32_t)v;
}

/* finish.c */
bool perfetto_is_derived(const char *name);
void perfetto_finish(struct perfetto *p, const char *path);

#endif
