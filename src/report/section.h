/*
 * Sections: what reports are made of, the same in every medium.
 *
 * A section is one const struct at the foot of a file beside its feature, and one line in
 * sections.def, whose order is that of the report. It says what it is called, whether there is
 * anything to show, and puts its blocks into a doc:
 *
 *     const struct section section_copies = {
 *         "copies", "Copies", "Copies", IN(REPORT_ANALYSIS), has, build};
 *
 * docs/adding-a-section.md shows one from end to end.
 */
#ifndef GS_REPORT_SECTION_H
#define GS_REPORT_SECTION_H

#include "advise/advise.h"
#include "base/err.h"
#include "report/doc.h"
#include "report/value.h"

struct att;
struct comparison;
struct explanation;
struct gate;
struct history;
struct plan;
struct source_links;
struct source_scan;
struct summary;
struct whatif;
struct workload_comparison;
struct workload_report;
struct run;

enum report_kind {
    REPORT_ANALYSIS,
    REPORT_SOURCE,
    REPORT_ATT,
    REPORT_COMPARISON,
    REPORT_HISTORY,
    REPORT_PLAN,
    REPORT_SUMMARY,
    REPORT_WHATIF,
    REPORT_WORKLOAD,
    REPORT_WORKLOADS,
};
#define IN(kind) (1u << (kind))

/* Annotated code of thread traces: the hottest block, all that ran, or none. */
enum att_listing { ATT_LIST_BLOCK, ATT_LIST_ALL, ATT_LIST_NONE };

/* What a report is about. Members that a kind of report has no use for are NULL. */
struct subject {
    enum report_kind kind;
    const struct analysis *a;
    const struct advice *advice;
    struct results results; /* of the analysis; section_results() */
    const struct source_scan *source;
    const struct source_links *links; /* what of the source the trace shows */
    const struct att *att;
    enum att_listing listing; /* annotated code of thread traces */
    const struct comparison *comparison;
    const struct gate *gate;
    const struct history *history;
    const struct plan *plan;
    const struct summary *summary;
    const struct whatif *whatif;
    const struct workload_report *workload;
    const struct workload_comparison *workloads;
    const struct explanation *explanation; /* of a language model */
    const char *title;                     /* of a history */
    uint64_t timeline_limit;               /* events in the timeline; 0: all */
    size_t top;                            /* rows of tables, where they are printed */
};

struct section {
    const char *name;  /* as in --sections, and its place in the page */
    const char *nav;   /* short, for contents */
    const char *title; /* "": build() makes the headings, of as many sections as there are */
    unsigned in;       /* IN(kind) of each report that has it */
    bool (*has)(const struct subject *s);
    void (*build)(const struct subject *s, struct doc *d);
};

#define SECTION(name) extern const struct section section_##name;
#include "report/sections.def"
#undef SECTION

/* All that a run has to show, in an analysis_report(); options of the form are the caller's. */
struct subject subject_of_run(const struct run *run, size_t top);

/*
 * Appends the sections of the report. `names`: those, divided by commas, with all their details;
 * NULL: all that have something to show. False: there is no such section.
 */
bool sections_build(struct doc *d, const struct subject *s, const char *names,
                    struct gs_error *err);

/* A report that has nothing but a title before its sections; NULL: there is no such section. */
struct doc *sections_doc(struct subject *s, enum report_kind kind, const char *title,
                         const char *names, struct arena *arena, struct gs_error *err);

/* Whether this report has such a section, with something to show. */
bool section_has(const struct subject *s, const char *name);

/* Their names and titles, and whether there is anything to show. */
struct doc *sections_list(const struct subject *s, struct arena *arena);

/* The result of this name, or NULL. */
const struct result *section_result(const struct subject *s, const char *key);

/* ---- reports: title, what stands at the top of the page, sections. NULL: see err. ---- */

typedef struct doc *report_maker(struct subject *s, const char *sections, struct arena *arena,
                                 struct gs_error *err);
report_maker analysis_report, source_report, att_report, compare_report, history_report,
    plan_report, summary_report, whatif_report, workload_doc_report, workloads_report;

#endif
