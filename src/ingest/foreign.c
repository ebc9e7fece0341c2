#include "ingest/foreign.h"

#include <string.h>

#include "base/str.h"
#include "config.h"

/* Bytes that stand in the first `within` of the file; `at` 0: exactly at its start. */
struct sight {
    const char *mark;
    size_t n, within;
    const char *what; /* "X; do Y" */
};

#define AT_START(mark, what)                                                                       \
    {                                                                                              \
        mark, sizeof(mark) - 1, 0, what                                                            \
    }
#define WITHIN(mark, within, what)                                                                 \
    {                                                                                              \
        mark, sizeof(mark) - 1, within, what                                                       \
    }

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
    AT_START("Name,Calls,TotalDurationNs",
             "statistics of rocprof: sums without times; give its trace (results.csv or "
             "results.json), or capture one with 'rocprofv3 --kernel-trace'"),
    AT_START(
        "\"Name\",\"Calls\",\"TotalDurationNs\"",
        "statistics of rocprof or rocprofv3: sums without times; give the *_trace.csv files or "
        "the database of the same run"),
    WITHIN(
        "|0>>>", 8192,
        "a profile of rocprof-sys as text: sums without times; give the perfetto-trace-*.proto of "
        "the same run, or a rocpd database (ROCPROFSYS_USE_ROCPD=ON)"),
    WITHIN(
        "\"timemory\"", 4096,
        "a profile of rocprof-sys as JSON: sums without times; give the perfetto-trace-*.proto of "
        "the same run, or a rocpd database (ROCPROFSYS_USE_ROCPD=ON)"),
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

static bool has(const struct probe *p, const struct sight *s)
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

static bool has_table(const struct probe *p, const char *prefix)
{
    for (const char *const *t = p->tables; *t; t++)
        if (str_starts(*t, prefix))
            return true;
    return false;
}

bool foreign_explain(const struct probe *p, struct gs_error *err)
{
    if (p->is_sqlite && has_table(p, "compute_"))
        return fail(
                   err, GS_E_FORMAT,
                   "the analysis database of rocprof-compute; give the workload folder it was made "
                   "from"),
               true;
    for (size_t i = 0; !p->is_sqlite && i < ARRAY_LEN(sights); i++)
        if (has(p, &sights[i]))
            return fail(err, GS_E_FORMAT, "%s", sights[i].what), true;
    return false;
}
