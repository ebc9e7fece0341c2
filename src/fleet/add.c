/* A run into the database. */
#include <string.h>

#include "base/jwrite.h"
#include "base/sat.h"
#include "base/str.h"
#include "compare/profile_write.h"
#include "config.h"
#include "fleet/fleet.h"

/* Times before this count from something else than 1970: the start of the machine. */
#define YEAR_2000_NS (INT64_C(946684800) * 1000000000)

struct adding {
    struct fleet *f;
    const char *hash;
    const struct run *r;
    struct gs_error *err;
};

static bool found_one(void *ctx, const char *const *columns, int n)
{
    (void)columns;
    (void)n;
    *(bool *)ctx = true;
    return false;
}

bool fleet_has(struct fleet *f, const char *hash, bool *has, struct gs_error *err)
{
    struct fleet_value v = fleet_text(hash);
    *has = false;
    return fleet_run(f, "SELECT 1 FROM gpusight_run WHERE run = $1", &v, 1, found_one, has, NULL,
                     err);
}

static bool insert(const struct adding *k, const char *sql, struct fleet_value *v, size_t n)
{
    v[0] = fleet_text(k->hash);
    return fleet_run(k->f, sql, v, n, NULL, NULL, NULL, k->err);
}

static bool add_ledger(const struct adding *k)
{
    const struct analysis *a = k->r->analysis;
    for (enum cause c = 0; c < CAUSES; c++) {
        const struct cause_info *info = cause_info(c);
        struct fleet_value v[] = {
            {0},
            fleet_text(info->key),
            fleet_text(info->label),
            fleet_int(a->ledger.ns[c]),
            fleet_real(percent_of((double)a->ledger.ns[c], (double)a->breakdown.gpu_time_ns))};
        if (!insert(k,
                    "INSERT INTO gpusight_ledger (run, cause, label, ns, pct) "
                    "VALUES ($1, $2, $3, $4, $5)",
                    v, ARRAY_LEN(v)))
            return false;
    }
    return true;
}

static bool add_findings(const struct adding *k)
{
    for (size_t i = 0; i < k->r->advice.findings.n; i++) {
        const struct finding *g = k->r->advice.findings.v[i];
        struct fleet_value v[] = {{0},
                                  fleet_count(i + 1),
                                  fleet_text(g->id),
                                  fleet_text(g->title),
                                  fleet_text(g->category),
                                  fleet_text(priority_name(g->priority)),
                                  fleet_text(bottleneck_name(g->bottleneck)),
                                  fleet_int(g->claimed_ns),
                                  fleet_real(g->runtime_fraction_pct),
                                  fleet_real(g->speedup_lower_pct),
                                  fleet_real(g->speedup_upper_pct),
                                  fleet_real(g->confidence),
                                  fleet_text(g->issue),
                                  fleet_text(g->suggestion)};
        if (!insert(k,
                    "INSERT INTO gpusight_finding (run, place, rule, title, category, priority, "
                    "bottleneck, claimed_ns, claimed_pct, speedup_low_pct, speedup_high_pct, "
                    "confidence, issue, suggestion) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, "
                    "$10, $11, $12, $13, $14)",
                    v, ARRAY_LEN(v)))
            return false;
    }
    return true;
}

static bool add_hotspots(const struct adding *k, size_t top)
{
    const struct analysis *a = k->r->analysis;
    for (size_t i = 0; i < a->hotspots.n && i < top; i++) {
        const struct hotspot *h = &a->hotspots.v[i];
        struct fleet_value v[] = {{0},
                                  fleet_count(i + 1),
                                  fleet_text(h->name),
                                  fleet_text(h->short_name),
                                  fleet_text(kernel_role_labels[h->category]),
                                  fleet_count(h->calls),
                                  fleet_int(h->total_duration_ns),
                                  fleet_real(h->avg_duration_ns),
                                  fleet_int(h->p95_ns),
                                  fleet_real(h->pct_of_total)};
        if (!insert(k,
                    "INSERT INTO gpusight_hotspot (run, place, name, short_name, category, calls, "
                    "total_ns, avg_ns, p95_ns, pct) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, "
                    "$10)",
                    v, ARRAY_LEN(v)))
            return false;
    }
    return true;
}

static bool add_versions(const struct adding *k)
{
    const struct trace *t = &k->r->trace;
    const struct trace_file *f = t->files.n ? &t->files.v[0] : NULL;
    const struct gpu *g = t->gpus.n ? &t->gpus.v[0] : NULL;
    const struct {
        const char *what, *value;
    } all[] = {{"gpusight", GPUSIGHT_VERSION},
               {"format", f ? trace_format_names[f->format] : NULL},
               {"writer", f ? trace_writer_names[f->flavor] : NULL},
               {"schema", f ? f->schema_version : NULL},
               {"profiler", f ? f->tool_version : NULL},
               {"architecture", g ? trace_str(t, g->arch) : NULL}};
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        struct fleet_value v[] = {{0}, fleet_text(all[i].what), fleet_text(all[i].value)};
        if (all[i].value && *all[i].value &&
            !insert(k, "INSERT INTO gpusight_version (run, what, value) VALUES ($1, $2, $3)", v,
                    ARRAY_LEN(v)))
            return false;
    }
    return true;
}

/* When it ran: by the trace where that counts from 1970, else by the files. */
static int64_t started(const struct run *r, const struct fleet_content *c, bool *by_trace)
{
    int64_t origin = r->trace.files.n ? r->trace.files.v[0].origin_ns : 0;
    int64_t ns = add_ns(r->analysis->view.start_ns, origin);
    *by_trace = ns >= YEAR_2000_NS;
    return *by_trace ? ns : c->changed_ns;
}

static const char *profile_of(const struct run *r, const char *name, struct run_profile *p,
                              struct arena *arena)
{
    struct str *s = arena_new(arena, struct str);
    struct jwrite w;
    str_init(s, arena);
    profile_make(p, r->analysis, name, arena);
    jw_init(&w, s, 0);
    profile_json(&w, p);
    return s->buf;
}

/* What is not known is NULL. */
static struct fleet_value known_text(const char *v)
{
    return fleet_text(*v ? v : NULL);
}

/* *added: false when it is there already. */
static bool add_run(const struct adding *k, const struct fleet_found_run *found,
                    const struct fleet_content *c, struct arena *arena, bool *added)
{
    const struct run *r = k->r;
    const struct analysis *a = r->analysis;
    const struct trace *t = &r->trace;
    const struct process *p = t->processes.n ? &t->processes.v[0] : NULL;
    const struct verdict *d = &r->advice.verdict;
    struct run_profile profile;
    const char *text = profile_of(r, found->name, &profile, arena);
    char grade[2] = {a->quality.grade, 0};
    bool by_trace;
    uint64_t changed = 0;
    int64_t start = started(r, c, &by_trace);
    struct fleet_value v[] = {
        fleet_text(k->hash),
        fleet_text(found->name),
        fleet_text(found->path),
        fleet_int(start),
        fleet_text(by_trace ? "trace" : "file"),
        fleet_count(c->n),
        fleet_count(c->bytes),
        fleet_count(r->job ? r->job->ranks.n : 1),
        fleet_count(a->breakdown.gpu_count),
        known_text(t->gpus.n ? trace_str(t, t->gpus.v[0].name) : ""),
        known_text(p ? trace_str(t, p->host) : ""),
        known_text(p ? trace_str(t, p->command) : ""),
        fleet_text(verdict_status_name(d->status)),
        fleet_text(d->headline ? d->headline : ""),
        fleet_int(d->recoverable_ns),
        fleet_real(d->recoverable_pct),
        fleet_int(ns_from(profile_wall_ns(&profile))),
        fleet_int(a->breakdown.window_ns),
        fleet_int(a->breakdown.gpu_time_ns),
        fleet_real(a->breakdown.busy_pct),
        fleet_real(a->breakdown.kernel_pct),
        fleet_real(a->breakdown.idle_pct),
        fleet_count(a->view.n_kernels),
        fleet_count(a->view.n_copies),
        r->job && r->job->has_straggler ? fleet_int(r->job->straggler.rank) : fleet_text(NULL),
        fleet_text(grade),
        fleet_text(text),
        r->job && r->job->stats.analyzed_rank >= 0 ? fleet_int(r->job->stats.analyzed_rank)
                                                   : fleet_text(NULL)};
    bool ok = fleet_run(
        k->f,
        "INSERT INTO gpusight_run (run, name, path, started_ns, time_of, files, bytes, ranks, gpus, "
        "gpu_name, host, command, verdict, headline, recoverable_ns, recoverable_pct, wall_ns, "
        "window_ns, gpu_time_ns, busy_pct, kernel_pct, idle_pct, kernels, copies, straggler, "
        "quality, profile, detail_rank) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, "
        "$15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28) "
        "ON CONFLICT (run) DO NOTHING",
        v, ARRAY_LEN(v), NULL, NULL, &changed, k->err);
    *added = changed > 0;
    return ok;
}

/*
 * Who replaces a run at the same time is waited for: rows that it puts there would not be seen by
 * all of these statements.
 */
static bool forget(const struct adding *k)
{
    const char *alone = k->f->backend->alone;
    static const char *const tables[] = {
        "DELETE FROM gpusight_ledger WHERE run = $1", "DELETE FROM gpusight_finding WHERE run = $1",
        "DELETE FROM gpusight_hotspot WHERE run = $1",
        "DELETE FROM gpusight_version WHERE run = $1", "DELETE FROM gpusight_run WHERE run = $1"};
    struct fleet_value v = {0};
    if (alone && !fleet_run(k->f, alone, NULL, 0, NULL, NULL, NULL, k->err))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(tables); i++)
        if (!insert(k, tables[i], &v, 1))
            return false;
    return true;
}

bool fleet_add(struct fleet *f, const struct fleet_found_run *found,
               const struct fleet_content *content, const struct run *r,
               const struct fleet_add_opts *o, bool *added, struct gs_error *err)
{
    struct adding k = {f, content->hash, r, err};
    struct arena *temporary = arena_scratch();
    *added = false;
    if (!fleet_begin(f, err))
        return false;
    bool ok = (!o->replace || forget(&k)) && add_run(&k, found, content, temporary, added) &&
              (!*added || (add_ledger(&k) && add_findings(&k) && add_hotspots(&k, o->top) &&
                           add_versions(&k)));
    ok = ok && fleet_commit(f, err);
    if (!ok)
        fleet_rollback(f);
    arena_release(temporary);
    return ok;
}
