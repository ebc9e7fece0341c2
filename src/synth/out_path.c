#include "synth/out_path.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/fs_set.h"
#include "base/str.h"
#include "base/utf8.h"

static const char *replaced(const char *path, const char *what, const char *by, struct arena *a)
{
    struct str out;
    str_init(&out, a);
    for (const char *at; (at = strstr(path, what)); path = at + strlen(what)) {
        str_put(&out, path, (size_t)(at - path));
        str_puts(&out, by);
    }
    str_puts(&out, path);
    return out.buf;
}

static bool make_folders(const char *path, struct arena *a, struct gs_error *err)
{
    char *copy = arena_strdup(a, path);
    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            return fail(err, GS_E_IO, "cannot make folder '%s': %s", copy, strerror(errno));
        *slash = '/';
    }
    return true;
}

char *out_path(const char *path, bool merged, const struct rec_process *p,
               const struct names *names, const char *name, struct arena *a, struct gs_error *err)
{
    bool pattern = strchr(path, '%') != NULL;
    if (!merged) {
        path = replaced(path, "%pid%", arena_printf(a, "%lld", (long long)p->pid), a);
        path = replaced(path, "%rank%", arena_printf(a, "%lld", (long long)p->rank), a);
        path = replaced(path, "%host%", utf8_file_word(names_text(names, p->host), a), a);
    }
    bool many = p->count > 1 && !merged && !pattern;
    if (many || str_ends(path, "/") || fs_is_dir(path))
        path = arena_printf(a, "%s%s%s", path, str_ends(path, "/") ? "" : "/", name);
    return make_folders(path, a, err) ? arena_strdup(a, path) : NULL;
}

void sink_fail(struct sink *s, const struct gs_error *why)
{
    if (!s->failed)
        s->error = *why;
    s->failed = true;
}

bool sink_finished(const struct sink *s, bool keep, bool failed_before, struct gs_error *err)
{
    if (s->failed && !failed_before && err)
        *err = s->error;
    return keep && !s->failed;
}

bool sink_file_done(const struct sink *s, struct fs_out *out, struct gs_error *err)
{
    if (!s->set)
        return fs_out_close(out, err);
    if (!fs_out_complete(out, err)) {
        fs_out_abandon(out);
        return false;
    }
    fs_set_take(s->set, out);
    return true;
}
