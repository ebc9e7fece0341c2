/*
 * Between the files of the workload reader.
 */
#ifndef GS_WORKLOAD_WORKLOAD_IN_H
#define GS_WORKLOAD_WORKLOAD_IN_H

#include "base/csv.h"
#include "base/hash.h"
#include "base/input.h"
#include "workload/workload.h"

void workload_note(struct workload *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A CSV file that is open. It is opened once more for each of them, never written. */
struct workload_csv {
    struct arena *own;
    struct input *in;
    struct csv *csv;
};
bool workload_csv_open(struct workload_csv *f, const struct workload *w, const char *path,
                       struct gs_error *err);
bool workload_csv_close(struct workload_csv *f, struct gs_error *err); /* false: it was damaged */

/* Field i as text of the arena, without blanks at its ends. */
const char *workload_text(struct csv *c, size_t i, struct arena *a);

/* Letters, digits and '_' only and folded to lower case: how names of columns are compared. */
bool workload_same_name(const char *a, const char *b);

/* read.c: pmc_perf.csv, timestamps.csv and the files of levels */
bool workload_read_sheets(struct workload *w, struct gs_error *err);

/* system.c */
void workload_read_system(struct workload *w);
/* After the sheets: what sysinfo.csv did not say, from the table of GPUs. */
void workload_complete_system(struct workload *w);

/* peaks.c */
void workload_read_peaks(struct workload *w);

#endif
