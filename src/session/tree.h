/*
 * The source folder of a session: its files are changed here and nowhere else.
 *
 * A file is written beside, reaches the disk and is renamed into place, so each is as before or as
 * after at any moment. Before the first of several, session.json says which state they are
 * moving to; what a crash leaves between is put right by tree_recover(). Contents before and after
 * are in objects/ by then, so nothing can be lost.
 *
 * Only regular files below the source folder are touched: no links, no "..", nothing in .git.
 */
#ifndef GS_SESSION_TREE_H
#define GS_SESSION_TREE_H

#include "session/session.h"

/* The new contents of files, as an edit asks for them. */
struct edit_file {
    const char *path;
    const char *text;
    size_t n;
    bool gone; /* to be removed */
};

struct edit {
    const char *summary, *finding; /* as its head says; NULL: it does not */
    const char *key;               /* SHA-256 of its text */
    VEC(struct edit_file) files;
};

/* Whether edits are possible at all: a folder that may be written. */
bool tree_check(const char *source, struct gs_error *err);

/* The content now; NULL without an error where there is no such file. */
const struct mapping *tree_content(struct session *s, const char *path, struct gs_error *err);

/*
 * A checkpoint of the edit, its parent the current one: contents kept, and committed to a private
 * ref where the folder is in git. Nothing is written to the source folder. NULL: see err.
 */
struct checkpoint *tree_checkpoint(struct session *s, const struct edit *e, struct gs_error *err);

/* Puts the files into the state of a checkpoint; on the way, s->moving says so on the disk. */
bool tree_move(struct session *s, int64_t number, struct gs_error *err);

/* Decides for the checkpoint that was tried, or for the current one again. */
bool tree_settle(struct session *s, int64_t number, struct gs_error *err);

/*
 * To any point: what the user has changed since in those files becomes a checkpoint of its own first.
 */
bool tree_roll_back(struct session *s, int64_t number, struct gs_error *err);

/* After a crash: back to the current state, or forward where that was decided. *did: something was
 * to do. */
bool tree_recover(struct session *s, bool *did, struct gs_error *err);

/* Another checkpoint, judged, whose files are all the same; -1: none. */
int64_t tree_same_state(const struct session *s, int64_t number);

/* Drops contents and refs of what was taken back. */
bool tree_prune(struct session *s, size_t *dropped, struct gs_error *err);

/* ---- git.c: all of it with an index of our own and no hooks ---- */

/* Sets c->commit, and refs/gpusight/ID/N; "" where there is no git. Failures are warnings. */
void git_keep(struct session *s, struct checkpoint *c);
void git_drop(struct session *s, int64_t number); /* its ref; -1: all of the session */
/* A content that is gone from objects/, by its commit. */
bool git_fetch(struct session *s, const struct checkpoint *c, const char *path, const char *to);

/* ---- edit.c ---- */

/*
 * Reads a unified diff or SEARCH/REPLACE blocks and applies them to the files as they are now, in
 * memory. Lines "Finding: RULE" and "Summary: ..." in front of it are its head.
 */
bool edit_read(struct edit *e, struct session *s, const char *text, size_t n, struct gs_error *err);
/* Its head alone. */
void edit_head(struct edit *e, const char *text, size_t n, struct arena *a);

/* The changes as lines of a diff, for people. */
void edit_diff(struct str *out, struct session *s, const struct edit *e);

#endif
