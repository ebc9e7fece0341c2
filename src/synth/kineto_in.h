/*
 * The Kineto writer, inside. kineto.c is the sink, kineto_file.c opens and closes files,
 * kineto_rows.c writes the events.
 */
#ifndef GS_SYNTH_KINETO_IN_H
#define GS_SYNTH_KINETO_IN_H

#include <zlib.h>

#include "base/fs_out.h"
#include "base/str.h"
#include "base/vec.h"
#include "synth/kineto.h"

struct kprocess {
    struct rec_process rec;
    gzFile out; /* also for plain files */
    char *path;
    struct fs_out *file; /* what becomes of it; NULL: not open */
    bool nvidia, any;    /* any: an event was written */
    VEC(struct rec_agent) gpus;
    VEC(struct rec_thread) threads;
};

struct kineto_writer {
    struct sink sink; /* first: the sink is the writer */
    struct kineto_options o;
    struct arena *arena;
    struct names *names;
    VEC(struct kprocess) processes;
    struct str line; /* what is written next */
};

void kinetow_open(struct kineto_writer *w, struct kprocess *p);
/* Hands w->line to the file and empties it. */
void kinetow_flush(struct kineto_writer *w, struct kprocess *p);
/* Text behind the events: names, the base of time. */
void kinetow_tail(struct kineto_writer *w, struct kprocess *p);

void kinetow_region(struct sink *s, const struct rec_region *r);
void kinetow_kernel(struct sink *s, const struct rec_kernel *r);
void kinetow_copy(struct sink *s, const struct rec_copy *r);

#endif
