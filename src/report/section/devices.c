/* GPUs, their streams, and what was measured about them over time. */
#include "report/section.h"

static bool has_gpus(const struct subject *s)
{
    return s->a->gpus.n > 0;
}

static void gpus(const struct subject *s, struct doc *d)
{
    const struct analysis *a = s->a;
    if (a->gpus.n > 1)
        doc_chart(d, "balance");
    doc_rows(d, section_result(s, "gpus"),
             &(struct rows){.shown = "gpu name host compute_ns idle_ns busy_pct kernels copies"});
    if (a->gpus.n > 1)
        doc_facts(d, section_result(s, "balance"), NULL);
    if (!a->collectives.kernels)
        return;
    doc_part(d, "collectives", "Communication");
    doc_facts(d, section_result(s, "collectives"), NULL);
}

static bool has_streams(const struct subject *s)
{
    return s->a->streams.n > 0;
}

static void streams(const struct subject *s, struct doc *d)
{
    doc_rows(d, section_result(s, "streams"), &(struct rows){.top = s->top, .most = 2000});
    doc_facts(d, section_result(s, "stream_stats"), NULL);
}

static bool has_telemetry(const struct subject *s)
{
    return s->a->telemetry.n > 0;
}

static void telemetry(const struct subject *s, struct doc *d)
{
    doc_rows(d, section_result(s, "telemetry"),
             &(struct rows){.caption = "the timeline shows each series as a line"});
}

const struct section section_gpus = {"gpus", "GPUs", "GPUs", IN(REPORT_ANALYSIS), has_gpus, gpus};
const struct section section_streams = {"streams",           "Streams",   "Streams",
                                        IN(REPORT_ANALYSIS), has_streams, streams};
const struct section section_telemetry = {"telemetry",         "Telemetry",   "Telemetry",
                                          IN(REPORT_ANALYSIS), has_telemetry, telemetry};
