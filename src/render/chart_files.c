#include "render/chart_files.h"

#include <string.h>

#include "render/svg.h"
#include "report/chart/chart.h"

bool chart_files_write(const struct doc *d, const char *dir, struct fs_set *set,
                       struct gs_error *err)
{
    const struct analysis *a = d->a;
    if (!fs_set_folder(set, dir, err))
        return false;
    for (size_t i = 0; i < d->blocks.n; i++) {
        const char *name = d->blocks.v[i]->chart;
        const struct chart *chart = name ? chart_find(name) : NULL;
        if (!chart || !chart->has(a))
            continue;
        struct str svg;
        str_init(&svg, d->arena);
        struct draw *drawn = chart_draw(chart, a, &(struct chart_opts){0}, d->arena);
        render_svg(&svg, drawn, &(struct svg_opts){.theme = THEME_LIGHT});
        const char *path = arena_printf(d->arena, "%s/%s.svg", dir, name);
        if (!fs_set_write(set, path, svg.buf, svg.len, err))
            return false;
    }
    return true;
}

/* The next part of a path, without "." and doubled slashes; NULL at the end. */
static const char *part(const char **path, size_t *n)
{
    for (;;) {
        *path += strspn(*path, "/");
        *n = strcspn(*path, "/");
        const char *at = *path;
        *path += *n;
        if (!*n)
            return NULL;
        if (*n != 1 || *at != '.')
            return at;
    }
}

const char *chart_files_link(const char *dir, const char *file, struct arena *a)
{
    const char *slash = strrchr(file, '/');
    const char *from = slash ? arena_strndup(a, file, (size_t)(slash - file) + 1) : "";
    if ((*dir == '/') != (*from == '/'))
        return dir;
    struct str out;
    str_init(&out, a);
    const char *x, *y;
    size_t n, m;
    for (;;) {
        const char *next_from = from, *next_dir = dir;
        x = part(&next_from, &n);
        y = part(&next_dir, &m);
        if (!x || !y || n != m || memcmp(x, y, n) != 0)
            break;
        from = next_from;
        dir = next_dir;
    }
    while ((x = part(&from, &n)))
        str_puts(&out, out.len ? "/.." : "..");
    while ((y = part(&dir, &m))) {
        str_puts(&out, out.len ? "/" : "");
        str_put(&out, y, m);
    }
    return out.buf;
}
