/* The folder in which libotf2 writes before the archive has its name: what is left of it goes. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/fs_stale.h"
#include "base/str.h"
#include "convert/otf2_in.h"

void otf2_remove_tree(const char *dir)
{
    char path[PATH_MAX];
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (str_eq(e->d_name, ".") || str_eq(e->d_name, ".."))
            continue;
        int n = snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
        if (n < (int)sizeof(path) && unlink(path) != 0)
            otf2_remove_tree(path);
    }
    if (d)
        closedir(d);
    rmdir(dir);
}

void otf2_remove_left(struct otf2_out *w, const char *path)
{
    const char *base = fs_basename(path);
    const char *folder = base == path ? "." : arena_strndup(w->arena, path, (size_t)(base - path));
    size_t n = strlen(base);
    DIR *d = opendir(folder);
    for (const struct dirent *e; d && (e = readdir(d));) {
        const char *at = arena_printf(w->arena, "%s/%s", folder, e->d_name);
        if (strncmp(e->d_name, base, n) == 0 && e->d_name[n] == '.' &&
            fs_is_unfinished(e->d_name) && fs_writer_is_gone(e->d_name) && !fs_is_link(at) &&
            fs_is_dir(at))
            otf2_remove_tree(at);
    }
    if (d)
        closedir(d);
}
