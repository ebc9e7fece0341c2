/*
 * A file of a set (fs_set.h) that is one text, written from front to back and perhaps too long to be
 * held: what is beyond FS_TEXT_HELD bytes goes ahead to the file that will get the name. For pipes
 * and devices it waits in one without a name in the folder for temporary files, or in memory where
 * that has no room.
 *
 *     struct fs_text t;
 *     fs_text_init(&t, set, path);
 *     str_puts(&t.text, ...);
 *     fs_text_pour(&t); // between pieces: t.text may be empty then
 *     ok = fs_text_done(&t, err);
 *
 * Write errors need not be checked on the way: fs_text_done() reports them.
 */
#ifndef GS_BASE_FS_TEXT_H
#define GS_BASE_FS_TEXT_H

#include "base/fs_set.h"
#include "base/str.h"

enum { FS_TEXT_HELD = 2 << 20 };

struct fs_text {
    struct str text; /* the end of it, in the arena of the set */
    struct fs_set *set;
    const char *path;
    struct fs_out *out; /* where the rest lies; NULL: there is none */
    uint64_t poured;    /* bytes of that */
    bool stays;         /* nothing goes ahead any more */
    struct gs_error err;
};

void fs_text_init(struct fs_text *t, struct fs_set *set, const char *path);
void fs_text_pour(struct fs_text *t);
bool fs_text_done(struct fs_text *t, struct gs_error *err);

#endif
