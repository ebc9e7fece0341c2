/* The CSV writer, inside: csv.c (traces), csv_agents.c (agent_info), csv_stats.c (statistics). */
#ifndef GS_CONVERT_CSV_H
#define GS_CONVERT_CSV_H

#include "convert/sink.h"

struct csv_out {
    struct conversion *c;
    const struct trace *t;
    struct sink s;
    bool guid;          /* several processes: a first column says whose row it is */
    bool started;       /* the row has a cell */
    const char **guids; /* by process */
};

/* A file PREFIX_NAME.csv with the header `columns`, names divided by blanks. */
bool csv_begin(struct csv_out *w, const char *name, const char *columns, bool with_guid,
               struct gs_error *err);
bool csv_finish(struct csv_out *w, struct gs_error *err);

void csv_row_of(struct csv_out *w, uint32_t process, bool with_guid); /* begins a row */
void csv_put_text(struct csv_out *w, const char *text); /* quoted, inner quotes doubled */
void csv_put_int(struct csv_out *w, int64_t v);
void csv_put_uint(struct csv_out *w, uint64_t v);
void csv_put_empty(struct csv_out *w);
void csv_end_row(struct csv_out *w);

bool csv_agents(struct csv_out *w, struct gs_error *err);
bool csv_stats(struct csv_out *w, struct gs_error *err);

/* The files that calls go to; the last has what rocprofv3 has no file for. */
enum csv_domain {
    CSV_HIP,
    CSV_HSA,
    CSV_RCCL,
    CSV_ROCDECODE,
    CSV_ROCJPEG,
    CSV_OMPT,
    CSV_KFD,
    CSV_REGIONS,
    CSV_DOMAINS
};
enum csv_domain csv_domain(enum region_kind kind, const char *name);

#endif
