#include "base/human.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sat.h"

/* Three significant digits, but never an exponent. */
static void three_digits(char *buf, double v, const char *unit)
{
    int digits = v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
    snprintf(buf, HUMAN_MAX, "%.*f %s", digits, v, unit);
}

char *human_time(char *buf, int64_t ns)
{
    uint64_t u = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    char *p = buf;
    if (ns < 0)
        *p++ = '-';
    char text[HUMAN_MAX];
    double v = (double)u;
    if (u < 1000)
        snprintf(text, sizeof(text), "%" PRIu64 " ns", u);
    else if (v < 999.5e3)
        three_digits(text, v / 1e3, "µs");
    else if (v < 999.5e6)
        three_digits(text, v / 1e6, "ms");
    else if (v < 120e9)
        three_digits(text, v / 1e9, "s");
    else {
        uint64_t s = u / 1000000000u;
        if (s < 7200)
            snprintf(text, sizeof(text), "%" PRIu64 " min %02" PRIu64 " s", s / 60, s % 60);
        else
            snprintf(text, sizeof(text), "%" PRIu64 " h %02" PRIu64 " min", s / 3600, s / 60 % 60);
    }
    snprintf(p, (size_t)(buf + HUMAN_MAX - p), "%s", text);
    return buf;
}

char *human_bytes(char *buf, uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) {
        snprintf(buf, HUMAN_MAX, "%" PRIu64 " B", bytes);
        return buf;
    }
    double v = (double)bytes;
    size_t u = 0;
    for (v /= 1024; v >= 999.5 && u < 5; u++)
        v /= 1024;
    three_digits(buf, v, units[u]);
    return buf;
}

char *human_count(char *buf, uint64_t n)
{
    char digits[24];
    int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);
    char *p = buf;
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            *p++ = ',';
        *p++ = digits[i];
    }
    *p = 0;
    return buf;
}

char *human_rate(char *buf, double bytes_per_second)
{
    double v = bytes_per_second;
    if (!isfinite(v) || v < 0)
        snprintf(buf, HUMAN_MAX, "-");
    else if (v < 999.5)
        three_digits(buf, v, "B/s");
    else if (v < 999.5e3)
        three_digits(buf, v / 1e3, "kB/s");
    else if (v < 999.5e6)
        three_digits(buf, v / 1e6, "MB/s");
    else if (v < 9995e9)
        three_digits(buf, v / 1e9, "GB/s");
    else
        three_digits(buf, v / 1e12, "TB/s");
    return buf;
}

char *human_pct(char *buf, double pct)
{
    if (!isfinite(pct))
        snprintf(buf, HUMAN_MAX, "-");
    else if (pct > 0 && pct < 0.05)
        snprintf(buf, HUMAN_MAX, "<0.1 %%");
    else
        snprintf(buf, HUMAN_MAX, "%.1f %%", pct);
    return buf;
}

char *human_change_pct(char *buf, double pct)
{
    if (!isfinite(pct))
        snprintf(buf, HUMAN_MAX, "-");
    else
        snprintf(buf, HUMAN_MAX, fabs(pct) >= 1e6 ? "%+.1e %%" : "%+.1f %%", pct);
    return buf;
}

char *human_figure(char *buf, double v)
{
    double size = fabs(v);
    if (isnan(v))
        snprintf(buf, HUMAN_MAX, "-");
    else if (size >= 1e15)
        snprintf(buf, HUMAN_MAX, "%.3e", v);
    else if (size >= 10000) {
        *buf = '-';
        human_count(buf + (v < 0), count_from(size + 0.5));
    } else if (size - floor(size) <= 0)
        snprintf(buf, HUMAN_MAX, "%.0f", v + 0.0);
    else
        snprintf(buf, HUMAN_MAX, size >= 100 ? "%.1f" : size >= 1 ? "%.2f" : "%.3g", v);
    return buf;
}
