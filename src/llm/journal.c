#include "llm/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/fs_out.h"
#include "base/log.h"

struct journal {
    int fd;
    const char *path;
    bool failed;
};

static void close_journal(void *what)
{
    close(((struct journal *)what)->fd);
}

struct journal *journal_open(const char *path, bool append, struct arena *a, struct gs_error *err)
{
    if (!fs_out_check(path, err))
        return NULL;
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND | (append ? 0 : O_TRUNC);
    int fd = open(path, flags, 0600);
    if (fd < 0) {
        fail(err, GS_E_IO, "cannot write '%s': %s", path, strerror(errno));
        return NULL;
    }
    struct journal *j = arena_new(a, struct journal);
    *j = (struct journal){fd, path, false};
    arena_defer(a, close_journal, j);
    return j;
}

void journal_put(struct journal *j, const struct str *text)
{
    if (!j || j->failed || fs_write_all(j->fd, text->buf, text->len))
        return;
    j->failed = true;
    log_warn("cannot write '%s': %s", j->path, strerror(errno));
}
