#include "compare/profile_write.h"

#include "config.h"
#include "render/fields_json.h"

static void write_gpus(struct jwrite *w, const struct run_profile *p)
{
    jw_open(w, "profiling_info", '{');
    jw_open(w, "gpus", '[');
    for (size_t i = 0; i < p->gpus.n; i++) {
        const struct profile_gpu *g = &p->gpus.v[i];
        jw_open(w, NULL, '{');
        jw_str(w, "name", g->name);
        jw_str(w, "architecture", g->arch);
        jw_str(w, "vendor", g->vendor);
        jw_uint(w, "cu_count", g->cu_count);
        jw_uint(w, "clock_mhz", g->clock_mhz);
        jw_close(w);
    }
    jw_close(w);
    jw_close(w);
}

static void write_causes(struct jwrite *w, const struct run_profile *p)
{
    jw_open(w, "ledger", '{');
    jw_int(w, "start_ns", p->start_ns);
    jw_open(w, "causes", '[');
    for (enum cause c = 0; c < CAUSES; c++) {
        jw_open(w, NULL, '{');
        jw_str(w, "cause", cause_info(c)->key);
        jw_int(w, "ns", p->cause_ns[c]);
        if (p->has_gaps) {
            jw_num(w, "gap_sq", p->gap_sq[c]);
            jw_uint(w, "gap_count", p->gap_count[c]);
        }
        jw_close(w);
    }
    jw_close(w);
    jw_close(w);
}

/* Pairs in one list, to keep it short: bucket, calls, bucket, calls... */
static void write_durations(struct jwrite *w, const struct profile_kernel *k)
{
    if (!k->durations.n)
        return;
    jw_open(w, "durations", '[');
    for (size_t i = 0; i < k->durations.n; i++) {
        jw_uint(w, NULL, k->durations.v[i].bucket);
        jw_uint(w, NULL, k->durations.v[i].count);
    }
    jw_close(w);
}

static void write_kernels(struct jwrite *w, const struct run_profile *p)
{
    jw_open(w, "kernels", '[');
    for (size_t i = 0; i < p->kernels.n; i++) {
        const struct profile_kernel *k = &p->kernels.v[i];
        jw_open(w, NULL, '{');
        fields_json_members(w, &profile_kernel_fields, k);
        if (k->configs.n > 1)
            fields_json_rows(w, "configs", &profile_config_fields, k->configs.v, k->configs.n, 0);
        write_durations(w, k);
        jw_close(w);
    }
    jw_close(w);
}

static void write_phases(struct jwrite *w, const struct run_profile *p)
{
    jw_open(w, "phases", '[');
    for (size_t i = 0; i < p->phases.n; i++) {
        const struct profile_phase *phase = &p->phases.v[i];
        jw_open(w, NULL, '{');
        fields_json_members(w, &profile_phase_fields, phase);
        if (phase->has_causes) {
            jw_open(w, "causes", '{');
            for (enum cause c = 0; c < CAUSES; c++)
                if (phase->cause_ns[c])
                    jw_int(w, cause_info(c)->key, phase->cause_ns[c]);
            jw_close(w);
        }
        fields_json_rows(w, "shares", &profile_share_fields, phase->shares.v, phase->shares.n, 0);
        jw_close(w);
    }
    jw_close(w);
}

/* The tables of an analysis that a profile keeps whole, by their keys. */
static void write_tables(struct jwrite *w, const struct run_profile *p)
{
    struct arena *arena = w->out->arena;
    struct analysis none = {.arena = arena};
    struct results all = {0};
    analysis_results(&none, &all, arena);
    jw_open(w, "analyses", '{');
    const struct {
        const char *key;
        const void *rows;
        size_t n;
        bool is_object;
    } kept[] = {
        {"breakdown", &p->breakdown, 1, true},
        {"launch_latency", &p->launches, 1, true},
        {"allocations", &p->allocations, 1, true},
        {"collectives", &p->collectives, 1, true},
        {"copies", p->copies.v, p->copies.n, false},
        {"api_classes", p->api_classes.v, p->api_classes.n, false},
        {"telemetry", p->telemetry.v, p->telemetry.n, false},
    };
    for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
        const struct result *r = results_find(&all, kept[i].key);
        if (!r)
            continue;
        struct result row = {r->fields, kept[i].rows, kept[i].n, kept[i].is_object};
        fields_json_result(w, &row);
    }
    jw_close(w);
}

void profile_json(struct jwrite *w, const struct run_profile *p)
{
    jw_open(w, NULL, '{');
    jw_str(w, "document", PROFILE_DOCUMENT);
    jw_int(w, "version", PROFILE_VERSION);
    jw_str(w, "label", p->label);
    jw_open(w, "metadata", '{');
    jw_str(w, "gpusight_version", GPUSIGHT_VERSION);
    jw_open(w, "files", '[');
    for (size_t i = 0; i < p->files.n; i++) {
        jw_open(w, NULL, '{');
        jw_str(w, "path", p->files.v[i]);
        jw_close(w);
    }
    jw_close(w);
    jw_close(w);
    write_gpus(w, p);
    write_causes(w, p);
    jw_open(w, "capabilities", '{');
    for (size_t i = 0; i < p->capabilities.n; i++)
        jw_bool(w, p->capabilities.v[i].key, p->capabilities.v[i].present);
    jw_close(w);
    write_tables(w, p);
    write_kernels(w, p);
    write_phases(w, p);
    fields_json_rows(w, "ranks", &profile_rank_fields, p->ranks.v, p->ranks.n, 0);
    jw_close(w);
}
