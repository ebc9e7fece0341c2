#include "base/sha256.h"

#include <string.h>
#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static uint32_t big_endian(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Eight rounds leave every name where it was, so that nothing has to be moved. */
#define ROUND(a, b, c, d, e, f, g, h, i)                                                           \
    do {                                                                                           \
        uint32_t t = (h) + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +                        \
                     ((g) ^ ((e) & ((f) ^ (g)))) + constants[i] + w[i];                            \
        (d) += t;                                                                                  \
        (h) = t + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +                                 \
              (((a) & (b)) | ((c) & ((a) | (b))));                                                 \
    } while (0)

static void plain_blocks(uint32_t h[8], const uint8_t *p, size_t n)
{
    uint32_t w[64];
    for (; n; n--, p += 64) {
        for (int i = 0; i < 16; i++)
            w[i] = big_endian(p + 4 * i);
        for (int i = 16; i < 64; i++) {
            uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
            uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
            w[i] = w[i - 16] + s0 + w[i - 7] + s1;
        }
        uint32_t A = h[0], B = h[1], C = h[2], D = h[3], E = h[4], F = h[5], G = h[6], H = h[7];
        for (int i = 0; i < 64; i += 8) {
            ROUND(A, B, C, D, E, F, G, H, i);
            ROUND(H, A, B, C, D, E, F, G, i + 1);
            ROUND(G, H, A, B, C, D, E, F, i + 2);
            ROUND(F, G, H, A, B, C, D, E, i + 3);
            ROUND(E, F, G, H, A, B, C, D, i + 4);
            ROUND(D, E, F, G, H, A, B, C, i + 5);
            ROUND(C, D, E, F, G, H, A, B, i + 6);
            ROUND(B, C, D, E, F, G, H, A, i + 7);
        }
        const uint32_t end[8] = {A, B, C, D, E, F, G, H};
        for (int i = 0; i < 8; i++)
            h[i] += end[i];
    }
}

#ifdef __x86_64__

#define WITH_SHA __attribute__((target("sha,sse4.1")))

static bool ask_processor(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1) || !(c & bit_SSSE3))
        return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_SHA;
}

static bool has_instructions(void)
{
    static _Atomic int known; /* 1 + the answer: to ask takes long in a virtual machine */
    if (!known)
        known = 1 + ask_processor();
    return known == 2;
}

/*
 * The processor's own instructions do two rounds at once, and want the state as two registers: A, B,
 * E, F and C, D, G, H, the last of each in the lowest place.
 */
WITH_SHA static void own_blocks(uint32_t h[8], const uint8_t *p, size_t n)
{
    const __m128i turn = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i abef = _mm_set_epi32((int)h[0], (int)h[1], (int)h[4], (int)h[5]);
    __m128i cdgh = _mm_set_epi32((int)h[2], (int)h[3], (int)h[6], (int)h[7]);
    for (; n; n--, p += 64) {
        const __m128i before[2] = {abef, cdgh};
        __m128i w[4];
        for (int i = 0; i < 4; i++)
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i)),
                                    turn);
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++) {
            const __m128i *k = (const __m128i *)(const void *)(constants + 4 * (size_t)i);
            __m128i sum = _mm_add_epi32(w[i % 4], _mm_loadu_si128(k));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
            if (i >= 12)
                continue;
            __m128i next = _mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]);
            next = _mm_add_epi32(next, _mm_alignr_epi8(w[(i + 3) % 4], w[(i + 2) % 4], 4));
            w[i % 4] = _mm_sha256msg2_epu32(next, w[(i + 3) % 4]);
        }
        abef = _mm_add_epi32(abef, before[0]);
        cdgh = _mm_add_epi32(cdgh, before[1]);
    }
    h[0] = (uint32_t)_mm_extract_epi32(abef, 3);
    h[1] = (uint32_t)_mm_extract_epi32(abef, 2);
    h[4] = (uint32_t)_mm_extract_epi32(abef, 1);
    h[5] = (uint32_t)_mm_extract_epi32(abef, 0);
    h[2] = (uint32_t)_mm_extract_epi32(cdgh, 3);
    h[3] = (uint32_t)_mm_extract_epi32(cdgh, 2);
    h[6] = (uint32_t)_mm_extract_epi32(cdgh, 1);
    h[7] = (uint32_t)_mm_extract_epi32(cdgh, 0);
}

#else

static bool has_instructions(void)
{
    return false;
}

static void own_blocks(uint32_t h[8], const uint8_t *p, size_t n)
{
    plain_blocks(h, p, n);
}

#endif

static void blocks(struct sha256 *s, const uint8_t *p, size_t n)
{
    if (s->plain)
        plain_blocks(s->h, p, n);
    else
        own_blocks(s->h, p, n);
}

void sha256_init(struct sha256 *s)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    *s = (struct sha256){.plain = !has_instructions()};
    memcpy(s->h, start, sizeof(start));
}

void sha256_add(struct sha256 *s, const void *data, size_t n)
{
    const uint8_t *p = data;
    while (n) {
        size_t have = s->n % 64, part = n < 64 - have ? n : 64 - have;
        if (!have && n >= 64) {
            part = n / 64 * 64;
            blocks(s, p, n / 64);
        } else {
            memcpy(s->rest + have, p, part);
            if (have + part == 64)
                blocks(s, s->rest, 1);
        }
        s->n += part;
        p += part;
        n -= part;
    }
}

void sha256_end(struct sha256 *s, uint8_t out[SHA256_BYTES])
{
    uint8_t last[128] = {0}; /* the rest, a one bit, zeros, the length in bits */
    size_t rest = s->n % 64, size = rest < 56 ? 64 : 128;
    memcpy(last, s->rest, rest);
    last[rest] = 0x80;
    for (int i = 0; i < 8; i++)
        last[size - 1 - (size_t)i] = (uint8_t)(s->n * 8 >> 8 * i);
    blocks(s, last, size / 64);
    for (int i = 0; i < SHA256_BYTES; i++)
        out[i] = (uint8_t)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256(uint8_t out[SHA256_BYTES], const void *data, size_t n)
{
    struct sha256 s;
    sha256_init(&s);
    sha256_add(&s, data, n);
    sha256_end(&s, out);
}

void sha256_hex(char out[SHA256_HEX], const uint8_t hash[SHA256_BYTES])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < SHA256_BYTES; i++) {
        out[2 * i] = digits[hash[i] >> 4];
        out[2 * i + 1] = digits[hash[i] & 15];
    }
    out[SHA256_HEX - 1] = 0;
}
