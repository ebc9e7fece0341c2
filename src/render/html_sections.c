/* Copies, gaps, host calls, markers, streams and devices. */
#include <string.h>

#include "render/html_in.h"

static const char *copy_class(const char *direction)
{
    return !strcmp(direction, "Host-to-Device")   ? "c-copy_h2d"
           : !strcmp(direction, "Device-to-Host") ? "c-copy_d2h"
           : !strcmp(direction, "Peer-to-Peer")   ? "c-copy_p2p"
           : !strcmp(direction, "Memset")         ? "c-copy_set"
                                                  : "c-copy_d2d";
}

void html_transfers(struct html *h)
{
    const struct analysis *a = h->a;
    if (!a->copies.n)
        return;
    html_chapter(h, "copies", "Copies", "Copies");
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
    struct html_bar *bars = arena_array(h->arena, struct html_bar, a->copy_sizes.n);
    for (size_t i = 0; i < a->copy_sizes.n; i++) {
        const struct copy_size_row *r = &a->copy_sizes.v[i];
        bars[i].label = arena_printf(h->arena, "%s, %s", r->direction, r->size_class);
        bars[i].value = arena_printf(h->arena, "%s copies, %s, %.1f GB/s", html_count(h, r->count),
                                     html_bytes(h, r->bytes), r->bandwidth_gbps);
        bars[i].size = (double)r->count;
        bars[i].class = copy_class(r->direction);
    }
    html_raw(h, "<h3 id=\"copy-sizes\">By size</h3>\n");
    html_bars(h, "Number of copies by direction and size", bars, a->copy_sizes.n);
    html_table(h, &(struct html_table){.key = "copy_sizes"});
}

/* ---- gaps ---- */

static const char *cause_class(struct html *h, const char *label)
{
    for (enum cause c = 0; label && c < CAUSES; c++)
        if (!strcmp(cause_info(c)->label, label))
            return arena_printf(h->arena, "c-%s", cause_info(c)->key);
    return "c-unknown";
}

void html_gaps(struct html *h)
{
    const struct analysis *a = h->a;
    uint64_t gaps = 0;
    struct html_bar *bars = arena_array(h->arena, struct html_bar, a->gaps.n + 1);
    for (size_t i = 0; i < a->gaps.n; i++) {
        const struct gap_row *g = &a->gaps.v[i];
        gaps += g->count;
        bars[i].label = g->label;
        bars[i].size = (double)g->total_ns;
        bars[i].class = cause_class(h, g->main_cause);
        bars[i].value =
            g->count ? arena_printf(h->arena, "%s in %s, mostly %s", html_ns(h, g->total_ns),
                                    html_count(h, g->count), g->main_cause ? g->main_cause : "–")
                     : "none";
    }
    if (!gaps)
        return;
    html_chapter(h, "gaps", "Gaps", "Idle gaps between work");
    html_bars(h, "Idle time by length of the gap, coloured by its main cause", bars, a->gaps.n);
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
