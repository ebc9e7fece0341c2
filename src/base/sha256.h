/*
 * SHA-256 (FIPS 180-4), for content security policies and to know a file by its content, by the
 * processor's own instructions where it has them. Of bytes in memory, or piece by piece:
 *
 *     struct sha256 s;
 *     sha256_init(&s);
 *     sha256_add(&s, piece, n);
 *     sha256_end(&s, out);
 */
#ifndef GS_BASE_SHA256_H
#define GS_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_HEX = 65 };

void sha256(uint8_t out[SHA256_BYTES], const void *data, size_t n);

struct sha256 {
    uint32_t h[8];
    uint8_t rest[64]; /* of the last block, what has come */
    uint64_t n;
    bool plain; /* without such instructions; a test may set it */
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *data, size_t n);
void sha256_end(struct sha256 *s, uint8_t out[SHA256_BYTES]);

/* As small hexadecimal digits, with a NUL at the end. */
void sha256_hex(char out[SHA256_HEX], const uint8_t hash[SHA256_BYTES]);

#endif
