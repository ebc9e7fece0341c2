/*
 * SHA-256 (FIPS 180-4) of bytes in memory: for content security policies, not for speed.
 */
#ifndef GS_BASE_SHA256_H
#define GS_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32 };

void sha256(uint8_t out[SHA256_BYTES], const void *data, size_t n);

#endif
