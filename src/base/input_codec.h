/*
 * The bytes of an open file, decompressed: the half of input.c that knows formats and no threads.
 *
 * One thread at a time. Never unwinds (mem.h).
 */
#ifndef GS_BASE_INPUT_CODEC_H
#define GS_BASE_INPUT_CODEC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include "base/err.h"

enum { CODEC_RAW = 256 * 1024 };

enum codec_kind { CODEC_PLAIN, CODEC_GZIP, CODEC_ZSTD };

struct codec {
    const char *path; /* for messages; not owned */
    int fd;           /* owned */
    enum codec_kind kind;
    unsigned char *raw; /* owned */
    size_t raw_at, raw_len;
    atomic_ullong consumed; /* bytes read from fd */
    uint64_t total;         /* size of the file */
    uint64_t made;          /* bytes decompressed */
    bool inside;            /* a member has begun and not ended */
    bool done, failed;
    z_stream z;
    bool z_ready;
    struct ZSTD_DCtx_s *zstd;
    struct gs_error err; /* filled when failed */
};

/*
 * Opens and finds out what it is; with a root, the path begins with it and links behind it are not
 * followed (fs.h). codec_close() is needed also after false.
 */
bool codec_open(struct codec *c, const char *root, const char *path, struct gs_error *err);
void codec_close(struct codec *c);

/* Like input_read(). */
ptrdiff_t codec_read(struct codec *c, char *buf, size_t n);

/* How many bytes may come out of a compressed file, and the error when it is more: see input.h. */
void codec_allow(uint64_t bytes);
uint64_t codec_allowed(void);
uint64_t codec_most(const struct codec *c);
bool codec_too_large(const struct codec *c, struct gs_error *err); /* always false */

#endif
