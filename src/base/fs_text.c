#include "base/fs_text.h"

#include <errno.h>
#include <string.h>

#include "base/fs.h"

void fs_text_init(struct fs_text *t, struct fs_set *set, const char *path)
{
    *t = (struct fs_text){.set = set, .path = path};
    str_init(&t->text, set->arena);
}

static bool move_text(struct fs_text *t)
{
    if (!t->out)
        t->out = fs_set_name(t->set, t->path, &t->err);
    if (!t->out)
        return false;
    if (!fs_write_all(t->out->fd, t->text.buf, t->text.len))
        return fail(&t->err, GS_E_IO, "cannot write '%s': %s", t->path, strerror(errno));
    t->poured += t->text.len;
    str_clear(&t->text);
    return true;
}

/* What waits for a pipe is held again: its folder has no more room. */
static bool take_back(struct fs_text *t)
{
    struct str all;
    str_init(&all, t->text.arena);
    str_room(&all, (size_t)t->poured + t->text.len);
    bool whole = fs_read_at(t->out->fd, all.buf, (size_t)t->poured, 0) == (ptrdiff_t)t->poured;
    all.len = (size_t)t->poured;
    str_put(&all, t->text.buf, t->text.len);
    t->text = all;
    fs_set_drop(t->set, t->out);
    t->out = NULL;
    return whole;
}

/* A pipe's text can also stay; where it may not be written at all, that shows at the end. */
static void go_ahead(struct fs_text *t)
{
    bool direct = fs_out_is_direct(t->path);
    if (move_text(t))
        return;
    t->stays = true;
    if (direct && (!t->out || take_back(t)))
        t->err = (struct gs_error){0};
}

void fs_text_pour(struct fs_text *t)
{
    if (t->text.len < FS_TEXT_HELD)
        return;
    if (t->err.code)
        str_clear(&t->text);
    else if (!t->stays)
        go_ahead(t);
}

bool fs_text_done(struct fs_text *t, struct gs_error *err)
{
    if (t->out)
        go_ahead(t);
    if (t->err.code) {
        *err = t->err;
        return false;
    }
    return t->out ? fs_set_done(t->set, t->out, err)
                  : fs_set_write(t->set, t->path, t->text.buf, t->text.len, err);
}
