/*
 * Several files that appear together: all results of one command, the sheets of a folder.
 *
 *     struct fs_set set;
 *     fs_set_init(&set, arena);
 *     if (fs_set_write(&set, "a.txt", ...) && fs_set_write(&set, "b.txt", ...))
 *         ok = fs_set_close(&set, err);
 *     fs_set_abandon(&set); // nothing after a close
 *
 * Until fs_set_close() nothing has happened to any of the targets, standard output, pipes and
 * devices included; a target that may not be written (base/inputs.h), or that two results would
 * share, fails before that.
 */
#ifndef GS_BASE_FS_SET_H
#define GS_BASE_FS_SET_H

#include "base/fs_out.h"
#include "base/hash.h"
#include "base/vec.h"

struct fs_set_file {
    struct fs_out out;
    const char *data; /* for what is written into a pipe or device at the end; NULL: in out */
    size_t n;
    struct fs_out *pending; /* this->out while it is neither published nor abandoned */
    uint32_t alike;         /* another file whose name ends alike, see fs_set.by_name */
};

struct fs_set {
    struct arena *arena;
    VEC(struct fs_set_file *) files;
    VEC(struct unfinished *) made; /* folders that were not there */
    VEC(const char *) folders;     /* of these */
    VEC(const char *) into;        /* all that fs_set_folder() was given */
    struct idmap by_name;          /* hash of the last part of a path: the newest file of such */
};

void fs_set_init(struct fs_set *set, struct arena *a);
/* One that belongs to the arena: what is not closed when that goes is abandoned. */
struct fs_set *fs_set_new(struct arena *a);

/*
 * Makes a folder for files of the set; it is gone again if the set is abandoned. From then on names in
 * it are ours: pipes and devices that stand there are not written into.
 */
bool fs_set_folder(struct fs_set *set, const char *dir, struct gs_error *err);

/* `data` must live until the set is closed. */
bool fs_set_write(struct fs_set *set, const char *path, const char *data, size_t n,
                  struct gs_error *err);

/*
 * Files that are written in pieces, as with fs_out_open() and fs_out_name(). NULL with an error.
 * fs_set_done() when all of it is there: what went wrong in writing shows then.
 */
struct fs_out *fs_set_open(struct fs_set *set, const char *path, struct gs_error *err);
struct fs_out *fs_set_name(struct fs_set *set, const char *path, struct gs_error *err);
struct fs_out *fs_set_database(struct fs_set *set, const char *path, struct gs_error *err);
bool fs_set_done(struct fs_set *set, struct fs_out *out, struct gs_error *err);
/* Or it is abandoned, the others are not. */
void fs_set_drop(struct fs_set *set, struct fs_out *out);

/* One that was opened by itself and is complete joins the others; it must live as long as they. */
void fs_set_take(struct fs_set *set, struct fs_out *out);

bool fs_set_close(struct fs_set *set, struct gs_error *err);
void fs_set_abandon(struct fs_set *set);

#endif
