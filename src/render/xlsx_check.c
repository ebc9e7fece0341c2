#include <string.h>

#include "base/fs.h"
#include "render/xlsx_in.h"

/*
 * libxlsxwriter copies rows through temporary files and does not look at whether that worked. So
 * the finished archive is asked: a page must hold at least the bytes that were written for its
 * rows.
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

static bool entries_are_whole(const struct mapping *m, size_t at, const int64_t *least, size_t n)
{
    enum { HEADER = 46 };
    size_t found = 0;
    while (at + HEADER <= m->size && little(m->data + at, 4) == 0x02014b50) {
        const uint8_t *entry = m->data + at;
        size_t name = little(entry + 28, 2), extra = little(entry + 30, 2);
        uint32_t size = little(entry + 24, 4);
        if (at + HEADER + name > m->size)
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
