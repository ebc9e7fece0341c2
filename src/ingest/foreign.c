#include "ingest/foreign.h"

#include <string.h>

#include "base/str.h"
#include "config.h"

/* Bytes that stand in the first `within` of the file; `at` 0: exactly at its start. */
struct sight {
    const char *mark;
    size_t n, within;
    const char *what; /* "X; do Y" */
    const char *also; /* a word that must be there, too; NULL: none */
};

#define AT_START(mark, what)                                                                       \
    {                                                                                              \
        mark, sizeof(mark) - 1, 0, what, NULL                                                      \
    }
#define WITHIN(mark, within, what)                                                                 \
    {                                                                                              \
        mark, sizeof(mark) - 1, within, what, NULL                                                 \
    }
#define BOTH(mark, also, within, what)                                                             \
    {                                                                                              \
        mark, sizeof(mark) - 1, within, what, also                                                 \
    }

/* What commands that need times say of tables that have none (tally/tally.h). */
#define SUMS ": sums without times, which 'analyze', 'summary', 'report' and 'query' show; "

static const struct sight sights[] = {
    AT_START("NVR\0",
             "a report of Nsight Compute; export it with 'ncu --import FILE --page raw --csv', "
             "or give the trace of Nsight Systems"),
    AT_START("PK\x03\x04", "a ZIP archive; unpack it and give the trace inside"),
    WITHIN("ustar", 512, "a tar archive; unpack it and give the trace inside"),
    AT_START("%PDF", "a PDF, not a trace; give the file that the profiler wrote"),
    AT_START("\x7f"
             "ELF",
             "a program or library, not a trace; profile it first, see 'gpusight plan'"),
    WITHIN("<!doctype html", 256, "a web page, not a trace; give the file that the profiler wrote"),
    WITHIN("<html", 256, "a web page, not a trace; give the file that the profiler wrote"),
    BOTH("TotalDurationNs", "Calls", 512,
         "statistics of rocprof or rocprofv3" SUMS "here give the *_trace.csv files, results.csv, "
         "results.json or the database of the same run"),
    BOTH("LABEL", "DEPTH", 8192,
         "a profile of rocprof-sys as text" SUMS "here give the perfetto-trace-*.proto of the same "
         "run, or a rocpd database (ROCPROFSYS_USE_ROCPD=ON)"),
    WITHIN("\"timemory\"", 4096,
           "a profile of rocprof-sys as JSON" SUMS "here give the perfetto-trace-*.proto of the "
           "same run, or a rocpd database (ROCPROFSYS_USE_ROCPD=ON)"),
    BOTH("Vaddr", "Hitcount", 128,
         "a table of a thread trace; give the folder it lies in, with 'analyze --att-dir'"),
    AT_START("Dispatch_ID,Kernel_Name", "a table of rocprof-compute; give the folder it lies in"),
    AT_START("\xc1\x1f\xfc\xc1",
             "a trace of LTTng or babeltrace (CTF), which holds no GPU times we read; "
             "give the trace of the GPU's profiler"),
    AT_START("perf.data",
             "a recording of perf, which knows no GPU; give the trace of the GPU's profiler"),
    AT_START("PERFILE2",
             "a recording of perf, which knows no GPU; give the trace of the GPU's profiler"),
#ifndef HAVE_OTF2
    WITHIN("OTF2", 16, "an OTF2 archive, and this gpusight was built without libotf2"),
#endif
};

static bool has_mark(const struct probe *p, const struct sight *s)
{
    size_t most = s->within ? s->within : s->n;
    most = most < p->n ? most : p->n;
    for (size_t i = 0; i + s->n <= most; i++) {
        size_t k = 0; /* letters of either case, as HTML has them */
        while (k < s->n && (p->head[i + k] | (s->within == 256 ? 32 : 0)) ==
                               (s->mark[k] | (s->within == 256 ? 32 : 0)))
            k++;
        if (k == s->n)
            return true;
    }
    return false;
}

static bool has(const struct probe *p, const struct sight *s)
{
    if (!has_mark(p, s))
        return false;
    struct sight also = {s->also, s->also ? strlen(s->also) : 0, s->within, NULL, NULL};
    return !s->also || has_mark(p, &also);
}

static bool has_table(const struct probe *p, const char *prefix)
{
    for (const char *const *t = p->tables; *t; t++)
        if (str_starts(*t, prefix))
            return true;
    return false;
}

/* What only the name tells: the content is none of the formats. */
static const struct {
    const char *end, *what;
} by_name[] = {
    {".ncu-rep", "a report of Nsight Compute by its name, and damaged; export the original with "
                 "'ncu --import FILE --page raw --csv'"},
    {".pftrace", "no trace of Perfetto: what is in it are no packets of one; capture it again, or "
                 "give the database of the same run"},
    {".perfetto-trace", "no trace of Perfetto: what is in it are no packets of one; capture it "
                        "again, or give the database of the same run"},
    {".proto", "no trace of Perfetto: what is in it are no packets of one; give the "
               "perfetto-trace-*.proto of rocprof-sys"},
    {".otf2", "no anchor of an OTF2 archive; give the NAME.otf2 that lies beside NAME.def and the "
              "folder NAME"},
    {".rpdb", "no package: that is a folder with index.yaml; 'gpusight package' makes one"},
};

/* Definitions and events of OTF2 begin like this, whatever they are called. */
static bool is_part_of_otf2(const struct probe *p)
{
    return p->n >= 18 && p->head[0] == 3 && (p->head[1] == 'B' || p->head[1] == 'L') &&
           (str_ends(p->path, ".def") || str_ends(p->path, ".evt") ||
            str_ends(p->path, ".marker") || str_ends(p->path, ".snap") ||
            str_ends(p->path, ".thumb"));
}

static bool explain_name(const struct probe *p, struct gs_error *err)
{
    for (size_t i = 0; i < ARRAY_LEN(by_name); i++)
        if (str_ends(p->path, by_name[i].end))
            return fail(err, GS_E_FORMAT, "%s", by_name[i].what), true;
    return is_part_of_otf2(p) && (fail(err, GS_E_FORMAT,
                                       "a part of an OTF2 archive; give its anchor, the NAME.otf2 "
                                       "that lies beside NAME.def"),
                                  true);
}

bool foreign_explain(const struct probe *p, struct gs_error *err)
{
    if (p->is_sqlite && has_table(p, "compute_"))
        return fail(err, GS_E_FORMAT,
                    "an analysis database of rocprof-compute" SUMS "here give the workload folder "
                    "it was made from"),
               true;
    for (size_t i = 0; !p->is_sqlite && i < ARRAY_LEN(sights); i++)
        if (has(p, &sights[i]))
            return fail(err, GS_E_FORMAT, "%s", sights[i].what), true;
    return !p->is_sqlite && explain_name(p, err);
}
