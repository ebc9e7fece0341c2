#include <string.h>
#include <zlib.h>

#include "base/fs.h"
#include "render/xlsx_in.h"

/*
 * libxlsxwriter copies rows through temporary files and does not look at whether that worked. So
 * the finished archive is asked: a page must hold at least the bytes that were written for its
 * rows, and every part must begin and end as XML does.
 */
static uint32_t little(const uint8_t *p, int bytes)
{
    uint32_t v = 0;
    for (int i = bytes; i-- > 0;)
        v = v << 8 | p[i];
    return v;
}

/* The number in "xl/worksheets/sheetN.xml", or 0. */
static size_t page_number(const uint8_t *name, size_t n)
{
    static const char before[] = "xl/worksheets/sheet";
    size_t number = 0, at = sizeof(before) - 1;
    if (n <= at || memcmp(name, before, at) != 0)
        return 0;
    for (; at < n && name[at] >= '0' && name[at] <= '9' && number < 100000; at++)
        number = number * 10 + (size_t)(name[at] - '0');
    return number;
}

/* The beginning and the end of a part. */
struct ends {
    char first[512], last[128];
    size_t n_first, n_last;
};

static void keep_ends(struct ends *e, const char *data, size_t n)
{
    size_t room = sizeof(e->first) - 1 - e->n_first, part = n < room ? n : room;
    memcpy(e->first + e->n_first, data, part);
    e->n_first += part;
    size_t tail = n < sizeof(e->last) - 1 ? n : sizeof(e->last) - 1;
    size_t old = sizeof(e->last) - 1 - tail;
    old = e->n_last < old ? e->n_last : old;
    memmove(e->last, e->last + e->n_last - old, old);
    memcpy(e->last + old, data + n - tail, tail);
    e->n_last = old + tail;
}

/* What stands between "<" and the end of a word. */
static bool is_xml(struct ends *e)
{
    e->first[e->n_first] = e->last[e->n_last] = 0;
    const char *at = strstr(e->first, "?>"), *close = strrchr(e->last, '<');
    at = at ? strchr(at, '<') : NULL;
    if (!at || !close || e->n_last < 3 || !strchr(">\n", e->last[e->n_last - 1]))
        return false;
    size_t name = strcspn(at + 1, " />\n");
    bool single = close[1] != '/'; /* an empty root is all there is */
    return strncmp(close + (single ? 1 : 2), at + 1, name) == 0 && name > 0;
}

/* Unpacks a part; `entry` is its line in the directory. */
static bool part_is_whole(const struct mapping *m, const uint8_t *entry)
{
    enum { LOCAL = 30 };
    static const size_t block = 1 << 15;
    uint32_t start = little(entry + 42, 4), packed = little(entry + 20, 4);
    if (start == UINT32_MAX || packed == UINT32_MAX || little(entry + 10, 2) != Z_DEFLATED)
        return true; /* see zip64; what is not packed is a picture */
    if (start + (uint64_t)LOCAL > m->size)
        return false;
    const uint8_t *local = m->data + start;
    uint64_t data = (uint64_t)start + LOCAL + little(local + 26, 2) + little(local + 28, 2);
    if (data + packed > m->size)
        return false;
    char out[1 << 15];
    struct ends ends = {.n_first = 0};
    z_stream z = {.next_in = (Bytef *)(uintptr_t)(m->data + data), .avail_in = packed};
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
        return false;
    int code;
    do {
        z.next_out = (Bytef *)out;
        z.avail_out = (uInt)block;
        code = inflate(&z, Z_NO_FLUSH);
        keep_ends(&ends, out, block - z.avail_out);
    } while (code == Z_OK);
    inflateEnd(&z);
    return code == Z_STREAM_END && is_xml(&ends);
}

static bool entries_are_whole(const struct mapping *m, size_t at, const int64_t *least, size_t n)
{
    enum { HEADER = 46 };
    size_t found = 0;
    while (at + HEADER <= m->size && little(m->data + at, 4) == 0x02014b50) {
        const uint8_t *entry = m->data + at;
        size_t name = little(entry + 28, 2), extra = little(entry + 30, 2);
        uint32_t size = little(entry + 24, 4);
        if (at + HEADER + name > m->size || !part_is_whole(m, entry))
            return false;
        size_t page = page_number(entry + HEADER, name);
        if (page && page <= n) {
            found++;
            if (size != UINT32_MAX && size < least[page - 1]) /* the largest value: see zip64 */
                return false;
        }
        at += HEADER + name + extra + little(entry + 32, 2);
    }
    return found == n;
}

bool xlsx_is_whole(const char *path, const int64_t *least, size_t n)
{
    enum { END = 22 };
    struct mapping m;
    bool whole = false;
    if (!map_file(&m, path, NULL))
        return false;
    for (size_t back = END; back <= m.size && back < 70000; back++) {
        const uint8_t *end = m.data + m.size - back;
        if (little(end, 4) != 0x06054b50)
            continue;
        uint32_t start = little(end + 16, 4);
        whole = start == UINT32_MAX || entries_are_whole(&m, start, least, n);
        break;
    }
    unmap_file(&m);
    return whole;
}
