/* MD5 (RFC 1321), which old servers ask for; it protects nothing else. */
#include <string.h>

#include "fleet/pg/pg.h"

/* floor(2^32 * abs(sin(i + 1))) */
static const uint32_t sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

static const uint8_t turns[4][4] = {
    {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static uint32_t turned(uint32_t v, unsigned n)
{
    return v << n | v >> (32 - n);
}

static uint32_t mixed(unsigned round, uint32_t b, uint32_t c, uint32_t d)
{
    return round == 0   ? (b & c) | (~b & d)
           : round == 1 ? (b & d) | (c & ~d)
           : round == 2 ? b ^ c ^ d
                        : c ^ (b | ~d);
}

static void block(uint32_t h[4], const uint8_t *p)
{
    static const uint8_t step[4] = {1, 5, 3, 7}, first[4] = {0, 1, 5, 0};
    uint32_t a = h[0], b = h[1], c = h[2], d = h[3];
    for (unsigned i = 0; i < 64; i++) {
        unsigned round = i / 16;
        const uint8_t *w = p + 4 * ((first[round] + step[round] * i) % 16);
        uint32_t word = w[0] | (uint32_t)w[1] << 8 | (uint32_t)w[2] << 16 | (uint32_t)w[3] << 24;
        uint32_t next =
            b + turned(a + mixed(round, b, c, d) + sines[i] + word, turns[round][i % 4]);
        a = d;
        d = c;
        c = b;
        b = next;
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
}

void pg_md5(uint8_t out[MD5_BYTES], const void *data, size_t n)
{
    uint32_t h[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    uint8_t last[128] = {0};
    const uint8_t *p = data;
    size_t left = n;
    for (; left >= 64; left -= 64, p += 64)
        block(h, p);
    if (left)
        memcpy(last, p, left);
    last[left] = 0x80;
    size_t size = left < 56 ? 64 : 128;
    for (unsigned i = 0; i < 8; i++)
        last[size - 8 + i] = (uint8_t)((uint64_t)n * 8 >> 8 * i);
    for (size_t i = 0; i < size; i += 64)
        block(h, last + i);
    for (unsigned i = 0; i < MD5_BYTES; i++)
        out[i] = (uint8_t)(h[i / 4] >> 8 * (i % 4));
}
