/*
 * The events of a timeline as bytes, small enough to travel inside a page.
 *
 * The bytes are a header, JSON, and behind it the columns of every track, one after the other; the
 * header says how many bytes each has:
 *
 *     {"version": 1, "start_ns": "…", "window_ns": …, "total": …, "kept": …,
 *      "names": [[full, short, class], …], "processes": […], "gpus": […],
 *      "launches": {"n": …, "size": …},
 *      "tracks": [{"kind": "kernels", "label": …, "process": 0, "gpu": 0, "n": …, "total": …,
 *                  "columns": {"length": bytes, "start": bytes, …}}, …]}
 *
 * Numbers are LEB128 varints; "±" says zigzag (0, -1, 1, -2 become 0, 1, 2, 3), "Δ" the difference
 * to the row before:
 *
 *     length   ns                       name     place in "names"
 *     start    ± ns from the end of the row before, at first from start_ns
 *     id       ±Δ as the profiler numbers it; -1 none
 *     launch   ±Δ place in "launches" + 1; 0 none
 *     call     ±Δ place among all calls of all tracks + 1; 0 none, or left out
 *     copy     enum copy_kind           bytes    + 1; 0 not known
 *     time     ±Δ ns from start_ns      value    a double, little-endian
 *
 * Launches are varints: grid x y z, group x y z, LDS bytes, scratch bytes. Texts are escaped for
 * display (utf8_escape). Times beyond 2^53 ns stand at that limit, so that a double holds them.
 */
#ifndef GS_RENDER_TIMELINE_PACK_H
#define GS_RENDER_TIMELINE_PACK_H

#include "report/tracks.h"

#define PACK_MOST (INT64_C(1) << 53)

struct timeline_pack {
    struct arena *arena;
    uint8_t *bytes;
    size_t size, header_size;
};

void timeline_pack_make(struct timeline_pack *p, const struct tracks *t, struct arena *arena);

/* A piece of the bytes, compressed (zlib's format) and in base64. */
struct pack_chunk {
    size_t raw_size;
    char *text;
    size_t size;
};

struct pack_chunks {
    struct pack_chunk *v;
    size_t n;
};

void timeline_pack_compress(struct pack_chunks *out, const struct timeline_pack *p, int threads);

/* How numbers are written; for tests as well. */
static inline uint64_t pack_zigzag(int64_t v)
{
    return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static inline uint8_t *pack_varint(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

#endif
