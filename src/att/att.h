/*
 * Tier 3: thread traces of AMD GPUs, as `rocprofv3 --att` leaves them.
 *
 * One dispatch is stats_ui_output_agent_A_dispatch_D.csv and, where the trace was decoded for the
 * viewer, a folder ui_output_agent_A_dispatch_D. Both are read, either alone is enough; what is
 * missing or damaged is said in `notes` and the rest is analyzed.
 *
 *     struct att t;
 *     att_init(&t);
 *     if (att_read(&t, dir, ATT_EXPLICIT, err))
 *         for (size_t i = 0; i < t.kernels.n; i++) ...
 *     att_release(&t);
 *
 * Latency, stall and idle are cycles summed over all hits, as the profiler writes them: they are
 * only ever added, never multiplied or averaged again. Latency contains stall; idle stands before
 * it. Their sum, latency + idle, is the time that waves spent in the kernel ("wave time").
 *
 * Hits count waves, not work-items; only the traced compute unit is in them.
 *
 * Everything belongs to att.arena.
 */
#ifndef GS_ATT_ATT_H
#define GS_ATT_ATT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/csv.h"
#include "base/err.h"
#include "base/input.h"
#include "base/jread.h"
#include "base/vec.h"
#include "field/field.h"

enum att_unit {
    UNIT_VALU,
    UNIT_MFMA,
    UNIT_SALU,
    UNIT_SMEM,
    UNIT_VMEM,
    UNIT_LDS,
    UNIT_WAIT,
    UNIT_BARRIER,
    UNIT_BRANCH,
    UNIT_EXPORT,
    UNIT_MESSAGE,
    UNIT_NOP,
    UNIT_END,
    UNIT_OTHER,
};

enum att_class {
#define ATT_CLASS(ID, key, label, doc) ATT_##ID,
#include "att/classes.def"
#undef ATT_CLASS
    ATT_CLASSES
};

struct att_class_info {
    const char *key, *label, *doc;
};
extern const char *const att_class_keys[]; /* NULL at the end */
const struct att_class_info *att_class_info(enum att_class c);

/* An instruction of a kernel; the sum over its dispatches. */
struct att_instruction {
    uint64_t address, code_object;
    const char *text;        /* as disassembled */
    const char *source;      /* "file:line"; NULL: not known */
    const char *source_text; /* that line, from the copies in ui_output; NULL: not known */
    uint64_t hits, latency;
    double stall, idle;                   /* NaN: the files do not say */
    double stall_pct;                     /* of latency */
    double pct_of_time;                   /* latency + idle, of the kernel's */
    double cycles_per_hit;                /* (latency + idle) / hits */
    const char *stall_class, *idle_class; /* keys; idle_class NULL: no idle time */
    const char *cause;                    /* what it waits for, in words; NULL: nothing found */
    const char *feeders;      /* addresses of the instructions it waits for, "0x.. 0x.." */
    const char *feeders_from; /* "decoded", "inferred" or NULL */
    double hidden_stall; /* part of decoded stall under which another wave of the SIMD issued */
    double hidden_pct;   /* of the decoded stall */
    uint32_t block;      /* index among blocks */
    /* private to the analysis */
    enum att_unit unit;
    enum att_class class, idle_to;
    uint64_t decoded_stall, decoded_hidden;
    VEC(uint32_t) fed_by; /* indices, the one that decides first */
    bool fed_decoded;
};

struct att_class_row {
    enum att_class class;
    const char *label;
    uint32_t instructions; /* with time in it */
    double latency, stall, idle;
    double time;        /* latency + idle */
    double pct_of_time; /* of the kernel's wave time */
    double pct_of_stall;
    const char *hottest; /* instruction with most time in it */
    uint64_t hottest_address;
};

struct att_block {
    uint32_t block; /* from 0, by address */
    uint64_t first_address, last_address;
    uint32_t instructions;
    uint64_t hits; /* of its first instruction: how often waves entered it */
    uint64_t latency;
    double stall, idle, stall_pct, pct_of_time;
    uint32_t loop_depth;     /* 0: not in a loop */
    const char *loop_header; /* address of the innermost loop's first instruction; NULL: none */
    double trips;            /* entries per wave of the kernel */
    const char *hottest;     /* instruction with most time */
    uint64_t hottest_address;
    uint32_t first; /* index of its first instruction */
};

/* A dispatch that was traced. */
struct att_dispatch {
    const char *name;        /* "agent_46668_dispatch_3" */
    int64_t agent, dispatch; /* -1: the name does not say */
    const char *stats;       /* file; NULL: only the folder */
    const char *folder;      /* NULL: only the file */
    uint32_t kernels;        /* with hits */
    uint64_t hits, latency;
    double stall, idle;
    uint32_t waves;   /* decoded wave files */
    double clock_mhz; /* shader clock while tracing; NaN: not known */
};

/* Waves on the traced shader engines over time. */
struct att_occupancy_row {
    uint64_t start_cycle, end_cycle;
    double waves;     /* mean in this stretch, all shader engines */
    uint32_t most;    /* at once */
    uint32_t started; /* waves that began in it */
};

/* As the decoder numbers them. */
enum att_state { ATT_EMPTY, ATT_IDLE, ATT_EXECUTE, ATT_WAIT, ATT_STALL, ATT_STATES };
extern const char *const att_state_words[]; /* NULL at the end */

struct att_state_row {
    enum att_state state;
    double cycles; /* over all decoded waves */
    double pct;
};

struct att_finding {
    enum att_class class;
    const char *title, *text, *advice;
    uint64_t address;
    double pct_of_time;
};

struct att_kernel {
    const char *name, *short_name, *mangled;
    uint32_t dispatches;
    uint32_t instructions_listed, instructions_executed;
    uint64_t waves; /* that entered: hits of its first executed instruction */
    uint64_t hits, latency;
    double stall, idle;
    double wave_cycles; /* latency + idle */
    double stall_pct;   /* of latency */
    double idle_pct;    /* of wave_cycles */
    double cycles_per_wave;
    const char *top_class; /* key of the class with most time */
    uint32_t decoded_waves;
    double hidden_stall_pct; /* of the stall of decoded waves; NaN: none decoded */
    double exposed_stall;    /* decoded stall that no other wave of the SIMD covered */
    double mean_waves;       /* on the traced shader engines while any was there */
    uint32_t most_waves;
    double clock_mhz;
    int32_t rank;   /* among the hotspots of the trace; -1: not in it */
    uint64_t calls; /* in the trace */
    int64_t total_ns;
    double pct_of_kernel_time;
    VEC(struct att_instruction) instructions; /* by address */
    VEC(uint32_t) hot;                        /* indices, most wave time first; executed ones */
    VEC(struct att_class_row) classes;        /* most wave time first */
    VEC(struct att_block) blocks;             /* by address */
    VEC(struct att_occupancy_row) occupancy;
    VEC(struct att_state_row) states;
    VEC(struct att_finding) findings;
    VEC(uint32_t) from; /* dispatches */
    int gfx;            /* generation, 9 to 12; 0: not known */
};

enum att_mode {
    ATT_EXPLICIT, /* the user named the folder: look below, too, and fail when nothing is there */
    ATT_BESIDE,   /* beside a trace: only what is certainly a thread trace; finding none is fine */
};

struct att {
    struct arena arena;
    const char *dir;
    const char *root; /* of what is read now: links in it are not followed */
    bool detected;    /* found beside the trace, not asked for */
    VEC(struct att_dispatch) dispatches;
    VEC(struct att_kernel) kernels; /* most wave time first */
    VEC(const char *) notes;        /* what is missing, damaged or odd */
    size_t first_kernel;            /* of the folder that is read now */
    /* what is open now; released by att_release() */
    struct input input;
    struct csv csv;
    struct jread json;
};

void att_init(struct att *t);
void att_release(struct att *t);

/*
 * Reads and analyzes the dispatches of a folder, adding to those there. False with GS_E_IO when it
 * cannot be opened, with GS_E_EMPTY when it has nothing that can be used (ATT_EXPLICIT only).
 */
bool att_read(struct att *t, const char *dir, enum att_mode mode, struct gs_error *err);

/* Whether a folder has a thread trace in it or below: for `gpusight analyze DIR`. */
bool att_is_there(struct att *t, const char *dir);

extern const struct fields att_kernel_fields, att_instruction_fields, att_class_fields,
    att_block_fields, att_dispatch_fields, att_occupancy_fields, att_state_fields,
    att_finding_fields;

#endif
