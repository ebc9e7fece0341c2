/* Copies, gaps, host calls, markers, streams and devices. */
#include "render/html_in.h"

void html_transfers(struct html *h)
{
    const struct analysis *a = h->a;
    if (!a->copies.n)
        return;
    html_chapter(h, "copies", "Copies", "Copies");
    html_chart(h, "copies");
    html_table(h, &(struct html_table){.key = "copies", .never = "slowest"});
    html_raw(h, "<ul class=\"plain\">\n");
    for (size_t i = 0; i < a->copies.n; i++) {
        const struct copies *c = &a->trace->copies;
        uint32_t row = a->copies.v[i].slowest;
        if (row == NO_INDEX)
            continue;
        html(h, "<li>%s: ", a->copies.v[i].direction);
        html_jump(h, c->start_ns[row], c->end_ns[row], "copy", c->id[row],
                  "show the slowest large copy");
        html_raw(h, "</li>\n");
    }
    html_raw(h, "</ul>\n");
    if (!a->copy_sizes.n)
        return;
    html_raw(h, "<h3 id=\"copy-sizes\">By size</h3>\n");
    html_chart(h, "copy_sizes");
    html_table(h, &(struct html_table){.key = "copy_sizes"});
}

/* ---- the critical path ---- */

void html_path(struct html *h)
{
    if (!h->a->depend || !h->a->path.n)
        return;
    html_chapter(h, "path", "Critical path", "Critical path");
    html_raw(h, "<p class=\"lead\">What the end waited for, step by step. Only what stands here "
                "shortens the run when it gets faster.</p>\n");
    html_table(h, &(struct html_table){.key = "critical_path_parts", .never = "kind"});
    html_raw(h, "<h3 id=\"path-members\">Kernels, copies and calls on it</h3>\n");
    html_table(h, &(struct html_table){.key = "critical_path_members"});
    html_facts(h, "critical_path",
               "length_ns replay_error_pct ops ops_on_path unlinked waits_recorded waits_inferred "
               "handovers host_waits");
}

/* ---- gaps ---- */

void html_gaps(struct html *h)
{
    if (!chart_gaps.has(h->a))
        return;
    html_chapter(h, "gaps", "Gaps", "Idle gaps between work");
    html_chart(h, "gaps");
    html_table(h, &(struct html_table){.key = "idle_gaps"});
    html_raw(h, "<h3 id=\"long-gaps\">The longest</h3>\n");
    html_table(h, &(struct html_table){.key = "long_gaps",
                                       .moments = "start_ns end_ns",
                                       .link = "duration_ns",
                                       .from = "start_ns",
                                       .to = "end_ns"});
}

/* ---- the host ---- */

void html_host(struct html *h)
{
    const struct analysis *a = h->a;
    if (!a->api.n)
        return;
    html_chapter(h, "host", "Host calls", "Host calls");
    html_chart(h, "api");
    html_table(h, &(struct html_table){.key = "api_calls", .never = "longest", .most = 2000});
    html_raw(h, "<h3 id=\"api-classes\">By what they do</h3>\n");
    html_table(h, &(struct html_table){.key = "api_classes"});
    if (a->launches.linked) {
        html_raw(h, "<h3 id=\"launches\">From the launch to the kernel</h3>\n");
        html_facts(h, "launch_latency", NULL);
    }
    html_raw(h, "<h3 id=\"allocations\">Allocations</h3>\n");
    html_facts(h, "allocations", NULL);
}

void html_markers(struct html *h)
{
    const struct analysis *a = h->a;
    if (!a->markers.n)
        return;
    html_chapter(h, "markers", "Markers", "Marker ranges");
    html_facts(h, "marker_stats", NULL);
    html_table(h,
               &(struct html_table){.key = "markers",
                                    .shown = "name calls wall_ns max_ns kernels kernel_ns gpu_pct "
                                             "pct_of_window",
                                    .never = "parent",
                                    .moments = "first_start_ns longest_start_ns longest_end_ns",
                                    .link = "max_ns",
                                    .from = "longest_start_ns",
                                    .to = "longest_end_ns",
                                    .tree = true});
}

/* ---- devices ---- */

static void telemetry(struct html *h)
{
    if (!h->a->telemetry.n)
        return;
    html_chapter(h, "telemetry", "Telemetry", "Telemetry");
    html_table(h, &(struct html_table){.key = "telemetry"});
    html_raw(h, "<p class=\"note\">The timeline shows each series as a line.</p>\n");
}

void html_devices(struct html *h)
{
    const struct analysis *a = h->a;
    if (a->gpus.n) {
        html_chapter(h, "gpus", "GPUs", "GPUs");
        if (a->gpus.n > 1)
            html_chart(h, "balance");
        html_table(h, &(struct html_table){.key = "gpus"});
        if (a->gpus.n > 1)
            html_facts(h, "balance", NULL);
        if (a->collectives.kernels) {
            html_raw(h, "<h3 id=\"collectives\">Communication</h3>\n");
            html_facts(h, "collectives", NULL);
        }
    }
    if (a->streams.n) {
        html_chapter(h, "streams", "Streams", "Streams");
        html_table(h, &(struct html_table){.key = "streams", .most = 2000});
        html_facts(h, "stream_stats", NULL);
    }
    telemetry(h);
}
