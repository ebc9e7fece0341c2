/* Between the files of the thread trace. */
#ifndef GS_ATT_ATT_IN_H
#define GS_ATT_ATT_IN_H

#include <math.h>

#include "att/att.h"
#include "base/sat.h"

#define ATT_NO_LINE UINT32_MAX

/* A row of a stats file or of code.json, before kernels are told apart. */
struct att_row {
    const char *text, *source; /* source NULL: none */
    const char *source_text;   /* that line; NULL: not known */
    uint64_t address, code_object;
    uint64_t hits, latency, stall, idle;
    uint32_t line; /* of code.json, by which wave files name it; ATT_NO_LINE: none */
};

struct att_rows {
    struct att_row *v;
    size_t n, cap;
    bool has_stall, has_idle;
};

/* A stretch of cycles on one SIMD. */
struct att_span {
    uint64_t start, end;
};
struct att_stall {
    uint64_t start, end;
    uint32_t line, simd;
};
struct att_simd {
    uint64_t key; /* shader engine, compute unit, SIMD */
    VEC(struct att_span) issue;
};
struct att_feed {
    uint32_t wait, feeder; /* lines */
};

/* The decoded folder of one dispatch. */
struct att_ui {
    struct att_rows code;
    int gfx; /* 9 to 12; 0: not known */
    double clock_mhz;
    uint32_t waves, waves_listed, waves_bad;
    bool too_many;
    VEC(struct att_simd) simds;
    VEC(struct att_stall) stalls;
    VEC(struct att_feed) feeds;
    uint64_t state_cycles[8]; /* by the number of the state */
    bool has_states;
    VEC(struct att_occupancy_row) occupancy;
    double mean_waves; /* NaN: no occupancy */
    uint32_t most_waves;
};

/* What one dispatch adds to a kernel. */
struct att_section {
    const struct att_row *header; /* NULL: rows before any name */
    const struct att_row *rows;
    size_t n;
};

static inline uint64_t att_add(uint64_t a, uint64_t b)
{
    return add_bytes(a, b);
}
static inline double att_share(double part, double whole)
{
    return whole > 0 ? 100.0 * part / whole : (double)NAN;
}

void att_note(struct att *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* collect.c: the dispatches of a folder. False when it cannot be opened. */
bool att_collect(struct att *t, const char *dir, enum att_mode mode, struct gs_error *err);

/* stats.c; code.c. False with a note when nothing of it can be used. */
bool att_read_stats(struct att *t, const char *path, struct att_rows *out);
bool att_read_code(struct att *t, const char *dir, struct att_rows *out);

/* ui.c: everything else in the folder. waves.c: the waves. */
void att_read_ui(struct att *t, const char *dir, struct att_ui *ui);
void att_read_waves(struct att *t, const char *dir, struct att_ui *ui);

/* snapshots.c: gives rows the text of their source line, where the folder has copies. */
void att_read_snapshots(struct att *t, const char *dir, struct att_rows *rows);

/* The next JSON file of a folder, or false: not there (quietly), or a note was made. */
bool att_json_open(struct att *t, const char *path);
bool att_json_close(struct att *t, const char *path); /* false, noted: it is damaged */

/* kernels.c: adds the rows of a dispatch to the kernels. */
void att_add_dispatch(struct att *t, uint32_t dispatch, const struct att_rows *rows,
                      const struct att_ui *ui);

/* What each kernel gets once all dispatches are in, in this order. */
void att_flow(struct att *t, struct att_kernel *k);            /* flow.c: blocks, loops */
void att_causes(struct att *t, struct att_kernel *k, int gfx); /* causes.c */
void att_classify(struct att *t, struct att_kernel *k);        /* classify.c */
void att_judge(struct att *t, struct att_kernel *k);           /* judge.c */

/* flow.c: where instruction `i` can come from. Edges of instructions that never ran are left out.
 */
struct att_edges {
    uint32_t *start, *from; /* from[start[i]..start[i + 1]) */
};
void att_edges(struct att *t, const struct att_kernel *k, struct att_edges *out);

#endif
