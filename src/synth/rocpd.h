/*
 * The rocpd writer: a sink that makes SQLite files as rocprofv3 or rocprof-sys write them.
 *
 *     struct rocpd_options o = {.flavor = ROCPD_V3, .path = "out.db", .args = -1};
 *     struct sink *w = rocpdw_new(&o, arena);
 *     bool ok = synth_run(program, &options, w, err);
 *     ok = rocpdw_finish(w, ok, err) && ok;          needed in any case; removes half-made files
 *
 * One file holds one process; with `merge` one file holds all. Files appear under their name only
 * when they are complete.
 */
#ifndef GS_SYNTH_ROCPD_H
#define GS_SYNTH_ROCPD_H

#include "base/arena.h"
#include "base/err.h"
#include "base/opt.h"
#include "synth/sink.h"

enum rocpd_flavor { ROCPD_V3, ROCPD_V305, ROCPD_SYS };

enum rocpd_journal {
    JOURNAL_NONE,     /* the usual: rollback journal, nothing left beside the file */
    JOURNAL_WAL,      /* the file is in WAL mode, the log is folded in */
    JOURNAL_WAL_LEFT, /* the last dispatch of each process is only in the "-wal" file */
};

struct rocpd_options {
    enum rocpd_flavor flavor;
    /* A file; a folder when it ends in '/' or exists, or for several processes; %pid%, %rank%
     * and %host% are replaced. */
    const char *path;
    bool merge;
    int64_t page_size; /* 0: 4096 */
    enum rocpd_journal journal;
    int64_t args;         /* most arguments per region; -1: all */
    struct opt_list drop; /* "table" or "table.column" without suffix, missing in the result */
};

struct sink *rocpdw_new(const struct rocpd_options *o, struct arena *a);

/* Closes and renames the files, or removes them when !keep. *files lists what was made. */
bool rocpdw_finish(struct sink *sink, bool keep, struct opt_list *files, struct gs_error *err);

#endif
