/*
 * Traces that other processes of the team see (team/team.h): which there are, and how this one
 * gets to read them.
 *
 * A file that several see counts once: by its name and what the file system says of it, and where
 * only the name and the size agree (copies on local disks), by its bytes. Two files of one name that
 * differ are two; the second is shown as HOST:PATH.
 *
 * The root analyzes some files itself. What it cannot see is copied for that time into a folder of
 * its own in $TMPDIR, and removed as soon as it is read; the trace says the name it has where it is.
 */
#ifndef GS_INGEST_REMOTE_H
#define GS_INGEST_REMOTE_H

#include "ingest/ingest.h"
#include "team/team.h"

/* Who sees a trace. */
struct remote {
    const char *path; /* there */
    int64_t bytes;
    bool here;            /* this process sees it, too */
    const int *processes; /* rising; never empty */
    size_t n;
};

/* As ingest_find(), for what all see. Only in the root of a team. */
bool remote_find(struct ingest_files *out, const struct opt_list *paths, struct arena *a,
                 struct gs_error *err);

/*
 * The operands of this process. Where the root looks for all of its own, each process looks for
 * those that it was given: a shell may have made them of a pattern, on each machine others.
 */
void remote_operands(const struct opt_list *operands);

/* Copies of the files that make up a trace, under a path that is removed with the arena. */
const char *remote_copy(const struct ingest_file *file, struct arena *a, struct gs_error *err);

extern const struct team_kind remote_list_kind, remote_members_kind, remote_read_kind,
    remote_hash_kind;

#endif
