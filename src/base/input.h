/*
 * Input: the bytes of a file from its first to its last, decompressed when it is gzip or zstd.
 * The name does not matter, the first bytes say what it is. Only regular files: a FIFO, a socket or
 * a device is refused at once (fs_open).
 *
 *     struct input in;
 *     if (!input_open_within(&in, NULL, path, err))
 *         return false;                          nothing to close then
 *     jr_stream(&j, input_read, &in);
 *     ...
 *     bool ok = jr_end(&j, err);
 *     if (!input_error(&in, err))                the reason, when it was the file that failed
 *         ok = false;
 *     input_close(&in);
 *
 * Compressed files are decompressed by a second thread, into two buffers in turn, so that parsing
 * and decompression overlap; without a thread or memory for one the caller's thread does it.
 * Members that follow each other (cat a.gz b.gz) are one stream. What follows a complete one and
 * does not begin like another is ignored, as gzip does; a file that ends inside one is an error.
 *
 * Kilobytes must not become gigabytes: what is compressed may unpack to 64 MiB, to 200 times its
 * size as long as that is below 128 MiB, or to 64 times its size, whichever is most, and fails beyond
 * that unless the user allows it.
 *
 * A shortage of memory is an error here, nothing unwinds (mem.h).
 *
 * Thread-safety: an input belongs to one thread, except the two counters, which any may read.
 */
#ifndef GS_BASE_INPUT_H
#define GS_BASE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/progress.h"

enum { INPUT_PEEK_MAX = 64 * 1024 };

struct input {
    struct input_state *state; /* NULL when closed */
    struct progress *progress; /* set after opening; counts bytes of the file, may be NULL */
    uint64_t counted;
};

/* In a folder that others may have filled no link behind `root` is followed (fs.h); NULL: any is. */
bool input_open_within(struct input *in, const char *root, const char *path, struct gs_error *err);

/* What every compressed file may unpack to instead; 0: by its size. Once, before any is opened. */
void input_allow_unpacked(uint64_t bytes);
uint64_t input_allowed_unpacked(void);

/* False with the reason where a file that will unpack to so many bytes would fail. */
bool input_may_hold(const struct input *in, uint64_t bytes, struct gs_error *err);
/* The same for what lies packed in a file, which itself may be plain. */
bool input_may_unpack(const struct input *in, uint64_t bytes, struct gs_error *err);
/* One that belongs to the arena and is closed with it; NULL when it cannot be opened. */
struct input *input_new(struct arena *a, const char *path, struct gs_error *err);
/* The same of input_open_within(). */
struct input *input_new_within(struct arena *a, const char *root, const char *path,
                               struct gs_error *err);
void input_close(struct input *in); /* also in the middle of the file, and twice */

/*
 * Up to n bytes into buf: how many, 0 at the end, < 0 on error (then always). Blocks until there
 * is at least one. The first argument is a struct input *; void, so that it is a jread_fill.
 */
ptrdiff_t input_read(void *in, char *buf, size_t n);

/*
 * The next n bytes (at most INPUT_PEEK_MAX) without consuming them. *got is less than n only
 * where the data ends. False on error, with what came before it in buf.
 */
bool input_peek(struct input *in, char *buf, size_t n, size_t *got);

/* True while all is well, false with the reason once input_read() or input_peek() failed. */
bool input_error(const struct input *in, struct gs_error *err);

/* For progress: bytes of the file, as it lies on disk, read so far and in all. */
uint64_t input_consumed_bytes(const struct input *in);
uint64_t input_total_bytes(const struct input *in);

#endif
