/*
 * The reader of PyTorch profiler traces (Kineto) and other Chrome JSON, inside.
 *
 * The file is one stream of events in any order, read once and without building it in memory.
 * What an event refers to (the call behind a kernel, the device's properties, the base of time) may
 * come later, so rows are put into the trace's tables as they come, with provisional references,
 * and resolved at the end (finish.c):
 *
 * - kernels.id and copies.id hold the correlation id, and stay so;
 * - kernels.stream and copies.stream number k->lanes: (device, stream) without a process;
 * - kernels.launch numbers k->raw: grids in blocks, as the file has them;
 * - syncs.stream and syncs.source number k->lanes as well, their calls are in k->waiting and
 *   k->records;
 * - allocations.agent is 0 for the host, else the device's ordinal + 1;
 * - times are relative to k->base_ns.
 *
 * Files: open.c (the document), event.c and args.c (one event), place.c (host events), device.c
 * (GPU events), phase.c (begin and end events), entity.c (processes, threads), properties.c
 * (devices), sections.c and xla.c (files without categories), finish.c.
 */
#ifndef GS_INGEST_KINETO_KINETO_H
#define GS_INGEST_KINETO_KINETO_H

#include "base/idindex.h"
#include "base/jread.h"
#include "base/str.h"
#include "ingest/ingest.h"
#include "ingest/launches.h"
#include "model/trace.h"

/* Stands for "the event does not say". */
#define K_NONE INT64_MIN

/* A pid or tid that is a text: K_TEXT + its string id. */
#define K_TEXT (INT64_MIN + 1)

enum { K_DEVICES_MAX = 4096 };

/* What becomes of an event, by its category. */
enum k_action {
    K_SKIP,
    K_KERNEL,
    K_COPY,
    K_GPU_MARKER, /* a user annotation, as the GPU saw it */
    K_MARKER,     /* operations of the framework, annotations of the user */
    K_RUNTIME,
    K_DRIVER,
    K_PYTHON,
    K_OVERHEAD, /* of the profiler */
    K_SYNC,     /* waits as the GPU saw them, with the event waited for */
    K_USER,     /* any other interval on the host */
    K_XLA,      /* of a section: xla.c says which of these */
};

struct k_category {
    uint32_t name;
    enum k_action action;
    uint64_t count;
};

/* An event: numbers only, so that it can be kept. Texts are in struct kineto until the next one. */
struct k_event {
    int64_t ts_ns, dur_ns, pid, tid;
    int64_t id; /* of asynchronous events: a number, or a hash of the text */
    int64_t correlation, external, python, device, stream, bytes, address;
    int64_t memory_device, memory_type, from_device, to_device;
    int64_t in_elements, out_elements, group_size, wait_stream, wait_record;
    int64_t step; /* of XLA: the number of a training step */
    int64_t begin_ns, end_ns,
        own_pid; /* of rocprof, the older one: times and process in the args */
    uint32_t grid[3], block[3], registers, shared, graph;
    uint32_t name;     /* string; set by kineto_event() for phases that are kept */
    uint32_t category; /* index into k->categories; NO_INDEX: none */
    char phase;
};

/* A begin or end event that waits for its other half. */
struct k_half {
    struct k_event event;
    uint64_t key;
};

struct k_lane {
    int64_t device, stream;
    uint32_t name;
};

/* A section of files of rocprof and XLA: events of this pid are all of one kind. */
struct k_section {
    int64_t pid, device; /* device: K_NONE unless a GPU's */
    enum k_action action;
};

struct k_label {
    int64_t pid, tid; /* tid K_NONE: the process's name */
    uint32_t name;
};

/* The record that a wait refers to. */
struct k_record {
    uint32_t wait; /* syncs row of this file */
    int64_t correlation;
};

/* deviceProperties */
struct k_properties {
    int64_t id;
    struct gpu gpu;
    int64_t major, minor, threads_per_cu;
};

struct kineto {
    struct trace *trace;
    struct arena *arena; /* for this file only */
    struct jread *json;
    uint32_t file;
    uint32_t process; /* the file's own; events that name no other get it */
    int64_t base_ns;
    enum vendor vendor;
    int64_t rank;
    bool has_events, pytorch, xla;
    bool alike; /* events and properties number devices alike; known when GPUs are made */
    /* Texts of the event at hand. */
    struct str name, copy_kind, collective, data_type, label;
    VEC(struct k_category) categories;
    struct idmap category_of; /* string -> categories */
    struct idmap processes, threads, symbols, lane_of, agents, streams;
    struct idmap devices, gpu_of; /* as events number them -> device_ids, the trace's GPUs */
    struct idmap xla_streams;     /* pid and tid -> number of the stream */
    struct idmap xla_names;       /* string -> what is shown of it */
    struct idmap arrows; /* id of a flow from forward to backward -> thread of its first end */
    VEC(struct k_lane) lanes;
    VEC(struct k_half) halves;
    VEC(struct k_label) labels;
    VEC(struct k_section) sections;
    VEC(struct k_properties) properties;
    VEC(struct k_record) records;
    VEC(int64_t) waiting;      /* by syncs row of this file: correlation of its call */
    VEC(int64_t) device_ids;   /* of GPU events, in order of first use */
    struct idtable call_of;    /* correlation -> regions row, where ids are dense */
    struct idindex call_by_id; /* the same where they are not */
    struct launches raw, launches;
    struct {
        size_t kernels, copies, regions, markers, allocations, syncs;
    } first; /* rows before this file */
    uint64_t no_phase, no_time, no_end, no_begin, repeated;
};

/*
 * open.c: a reader of one file, which has a row in the trace's files; and what is left to do when
 * all events have come. Others that read the same kind of events use it, too (ingest/xplane).
 */
struct kineto *kineto_new(struct trace *t, const char *path, struct arena *a);
bool kineto_end(struct kineto *k, const char *path, struct gs_error *err);

/* event.c, args.c: reads the event at hand; texts go to k->name and so on. */
void kineto_event(struct kineto *k);
struct k_event kineto_none(void);                      /* one that says nothing yet */
void kineto_clear(struct kineto *k);                   /* its texts */
void kineto_take(struct kineto *k, struct k_event *e); /* puts it where it belongs */
void kineto_args(struct kineto *k, struct k_event *e);
void kineto_text(struct kineto *k, struct str *to); /* the value, as text; empty if it is none */

/* place.c, device.c: an interval, an instant, a GPU event into the tables. */
void kineto_place(struct kineto *k, const struct k_event *e);
void kineto_instant(struct kineto *k, const struct k_event *e);
void kineto_kernel(struct kineto *k, const struct k_event *e);
void kineto_copy(struct kineto *k, const struct k_event *e);
void kineto_sync(struct kineto *k, const struct k_event *e);
/* Adds a row to markers; domain is a string. */
void kineto_marker(struct kineto *k, const struct k_event *e, uint32_t name, uint32_t domain,
                   uint32_t thread, enum marker_kind kind);

/* phase.c */
void kineto_half(struct kineto *k, const struct k_event *e);
void kineto_join_halves(struct kineto *k);

/* sections.c: what rocprof says of an event by its pid instead of a category. */
void kineto_section(struct kineto *k, int64_t pid, const char *label);
/* Fills in what the section says; K_SKIP: it is in none. */
enum k_action kineto_in_section(struct kineto *k, struct k_event *e);

/* xla.c: which names of processes are planes of XLA, of which device; names of threads; details
 * such as "grid:8,1,1 block:256,1,1"; what becomes of an event. */
bool xla_plane(const char *label, int64_t *device);
void xla_line(struct kineto *k, int64_t pid, int64_t tid, const char *label);
void xla_details(struct kineto *k, struct k_event *e, const char *text);
enum k_action xla_action(struct kineto *k, struct k_event *e);

/* entity.c */
uint32_t kineto_category(struct kineto *k, const char *text, size_t n);
uint32_t kineto_thread(struct kineto *k, int64_t pid, int64_t tid);
uint32_t kineto_lane(struct kineto *k, int64_t device, int64_t stream);
void kineto_label(struct kineto *k, const struct k_event *e);
void kineto_apply_labels(struct kineto *k);

/* properties.c */
void kineto_properties(struct kineto *k);
void kineto_distributed(struct kineto *k);
bool kineto_make_gpus(struct kineto *k, struct gs_error *err);
uint32_t kineto_gpu(const struct kineto *k, int64_t device);             /* by an event's number */
uint32_t kineto_gpu_of_ordinal(const struct kineto *k, int64_t ordinal); /* by the runtime's */

/* finish.c: resolves what is provisional. */
bool kineto_finish(struct kineto *k, struct gs_error *err);

static inline int64_t k_end(const struct k_event *e)
{
    int64_t end;
    if (e->dur_ns == K_NONE)
        return e->ts_ns;
    return __builtin_add_overflow(e->ts_ns, e->dur_ns, &end) ? INT64_MAX : end;
}

#endif
