/*
 * The reader of XPlane files (`*.xplane.pb`), which JAX and TensorFlow write beside a Chrome JSON:
 * the same events without its limit of a million, with the GPU's name and the process.
 *
 * A file is a message of planes (a GPU, the host), these of lines (streams, threads), these of
 * events; names and kinds of values are numbered in tables of the plane, behind the events. So a
 * plane is read twice: tables first (plane.c). Its events go the way of those of the JSON
 * (ingest/kineto/xla.c).
 */
#ifndef GS_INGEST_XPLANE_XPLANE_H
#define GS_INGEST_XPLANE_XPLANE_H

#include "ingest/kineto/kineto.h"
#include "ingest/wire.h"

/* A value of an event or a plane that is used. */
enum x_stat {
    X_OTHER,
    X_CORRELATION,
    X_DETAILS,
    X_STEP,
    X_GRAPH,
    X_DEVICE_NAME,
    X_CORES,
    X_MEMORY,
    X_MAJOR,
    X_MINOR,
    X_PROCESS,
    X_START,
};

struct x_text {
    const uint8_t *p;
    size_t n;
};

struct x_value {
    enum x_stat what;
    int64_t number;
    struct x_text text;
};

/* Texts with details, in order; writers put one there. */
struct x_details {
    struct x_text v[4];
    size_t n;
};

/* What all events of a kind have. */
struct x_common {
    struct k_event values; /* and the name */
    struct x_details details;
};

struct x_kind { /* of events: looked into when the first one comes, as there may be millions */
    struct x_text name;
    struct wire stats; /* of the message it was in */
    struct x_common *common;
};

struct x_known { /* of values; a value may refer to the text of another */
    struct x_text name;
    enum x_stat what;
};

struct xplane {
    struct kineto *k;
    struct arena *arena; /* of the plane at hand */
    struct x_text name;
    int64_t pid;
    struct idmap kind_of, stat_of;
    VEC(struct x_kind) kinds;
    VEC(struct x_known) stats;
    uint64_t damaged, nameless;
};

/* Reads the plane in `w`, the n-th of its file; `process` is the number of the program's. */
void xplane_read(struct xplane *x, struct wire w, size_t n, int64_t process);

/* What a plane says of the whole file, without its events: what is 0 is filled in. */
void xplane_facts(struct xplane *x, struct wire w, int64_t *process, int64_t *start_ns);

#endif
