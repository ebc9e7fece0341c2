/*
 * Numbers for people: the same form in every output.
 *
 * All write into a caller's buffer of HUMAN_MAX bytes and return it.
 */
#ifndef GS_BASE_HUMAN_H
#define GS_BASE_HUMAN_H

#include <stddef.h>
#include <stdint.h>

enum { HUMAN_MAX = 32 };

char *human_time(char *buf, int64_t ns);      /* 812 ns, 1.25 µs, 3.40 ms, 12.1 s, 2 h 05 min */
char *human_bytes(char *buf, uint64_t bytes); /* 0 B, 1.5 KiB, 3.25 GiB */
char *human_count(char *buf, uint64_t n);     /* 1,234,567 */
char *human_rate(char *buf,
                 double bytes_per_second);     /* 12.3 GB/s (powers of ten, as links are sold) */
char *human_pct(char *buf, double pct);        /* 0.0 %, 12.3 %, <0.1 % */
char *human_change_pct(char *buf, double pct); /* +12.3 %, -0.4 % */
char *human_figure(char *buf, double v);       /* 12,345, 123.4, 1.25, 0.0123; - */

/* What a plural ends in: "%zu file%s", n, human_s(n). */
static inline const char *human_s(uint64_t n)
{
    return n == 1 ? "" : "s";
}

#endif
