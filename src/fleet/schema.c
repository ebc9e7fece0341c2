/* The tables and views of a fleet; docs/fleet.md describes them. */
#include <stdlib.h>
#include <string.h>

#include "fleet/fleet.h"

static const char file_table[] =
    "CREATE TABLE IF NOT EXISTS gpusight_file (state TEXT PRIMARY KEY, content TEXT NOT NULL)";

/*
 * Words that both know, so that there is one text: SQLite takes any name of a type. A run is known
 * by its content: all tables but that of files have it.
 */
static const struct {
    const char *text;
} tables[] = {
    {"CREATE TABLE IF NOT EXISTS gpusight_schema (version BIGINT NOT NULL)"},
    {"CREATE TABLE IF NOT EXISTS gpusight_run (run TEXT PRIMARY KEY, name TEXT NOT NULL, "
     "path TEXT NOT NULL, started_ns BIGINT NOT NULL, time_of TEXT NOT NULL, "
     "files BIGINT NOT NULL, bytes BIGINT NOT NULL, ranks BIGINT NOT NULL, gpus BIGINT NOT NULL, "
     "gpu_name TEXT, host TEXT, command TEXT, verdict TEXT NOT NULL, headline TEXT NOT NULL, "
     "recoverable_ns BIGINT NOT NULL, recoverable_pct DOUBLE PRECISION, "
     "wall_ns BIGINT NOT NULL, window_ns BIGINT NOT NULL, gpu_time_ns BIGINT NOT NULL, "
     "busy_pct DOUBLE PRECISION, kernel_pct DOUBLE PRECISION, idle_pct DOUBLE PRECISION, "
     "kernels BIGINT NOT NULL, copies BIGINT NOT NULL, straggler BIGINT, quality TEXT NOT NULL, "
     "profile TEXT NOT NULL, detail_rank BIGINT)"},
    {"CREATE TABLE IF NOT EXISTS gpusight_ledger (run TEXT NOT NULL REFERENCES gpusight_run(run), "
     "cause TEXT NOT NULL, label TEXT NOT NULL, ns BIGINT NOT NULL, pct DOUBLE PRECISION, "
     "PRIMARY KEY (run, cause))"},
    {"CREATE TABLE IF NOT EXISTS gpusight_finding (run TEXT NOT NULL REFERENCES gpusight_run(run), "
     "place BIGINT NOT NULL, rule TEXT NOT NULL, title TEXT NOT NULL, category TEXT, "
     "priority TEXT NOT NULL, bottleneck TEXT NOT NULL, claimed_ns BIGINT NOT NULL, "
     "claimed_pct DOUBLE PRECISION, speedup_low_pct DOUBLE PRECISION, "
     "speedup_high_pct DOUBLE PRECISION, confidence DOUBLE PRECISION, issue TEXT, "
     "suggestion TEXT, PRIMARY KEY (run, place))"},
    {"CREATE TABLE IF NOT EXISTS gpusight_hotspot (run TEXT NOT NULL REFERENCES gpusight_run(run), "
     "place BIGINT NOT NULL, name TEXT NOT NULL, short_name TEXT, category TEXT, "
     "calls BIGINT NOT NULL, total_ns BIGINT NOT NULL, avg_ns DOUBLE PRECISION, "
     "p95_ns BIGINT NOT NULL, pct DOUBLE PRECISION, PRIMARY KEY (run, place))"},
    {"CREATE TABLE IF NOT EXISTS gpusight_version (run TEXT NOT NULL REFERENCES gpusight_run(run), "
     "what TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (run, what))"},
    {file_table},
    {"CREATE INDEX IF NOT EXISTS gpusight_run_by_time ON gpusight_run (started_ns)"},
    {"CREATE INDEX IF NOT EXISTS gpusight_run_by_name ON gpusight_run (name, started_ns)"},
};

/* TIME stands for what a dashboard takes for a time, which each database writes in its own way. */
static const struct {
    const char *name, *text;
} views[] = {
    {"gpusight_runs",
     "SELECT TIME AS time, name, run, path, files, bytes, ranks, gpus, gpu_name, host, command, "
     "verdict, headline, recoverable_pct, wall_ns / 1e9 AS wall_s, window_ns / 1e9 AS window_s, "
     "busy_pct, kernel_pct, idle_pct, kernels, copies, straggler, quality, detail_rank "
     "FROM gpusight_run r"},
    {"gpusight_ledger_over_time",
     "SELECT TIME AS time, r.name, r.run, l.cause, l.label, l.ns / 1e9 AS seconds, l.pct "
     "FROM gpusight_ledger l JOIN gpusight_run r ON r.run = l.run"},
    {"gpusight_findings_over_time",
     "SELECT TIME AS time, r.name, r.run, f.place, f.rule, f.title, f.priority, f.bottleneck, "
     "f.claimed_ns / 1e9 AS claimed_s, f.claimed_pct, f.confidence "
     "FROM gpusight_finding f JOIN gpusight_run r ON r.run = f.run"},
    {"gpusight_hotspots_over_time",
     "SELECT TIME AS time, r.name, r.run, h.place, h.name AS kernel, h.short_name, h.category, "
     "h.calls, h.total_ns / 1e6 AS total_ms, h.avg_ns / 1e3 AS avg_us, h.p95_ns / 1e3 AS p95_us, "
     "h.pct FROM gpusight_hotspot h JOIN gpusight_run r ON r.run = h.run"},
    {"gpusight_versions_over_time", "SELECT TIME AS time, r.name, r.run, v.what, v.value "
                                    "FROM gpusight_version v JOIN gpusight_run r ON r.run = v.run"},
    {"gpusight_latest",
     "SELECT TIME AS time, r.name, r.run, r.verdict, r.headline, r.wall_ns / 1e9 AS wall_s, "
     "r.busy_pct, r.idle_pct FROM gpusight_run r WHERE NOT EXISTS (SELECT 1 FROM gpusight_run s "
     "WHERE s.name = r.name AND (s.started_ns > r.started_ns OR "
     "(s.started_ns = r.started_ns AND s.run > r.run)))"},
};

struct found {
    int64_t version;
    size_t rows;
};

static bool take_version(void *ctx, const char *const *columns, int n)
{
    struct found *f = ctx;
    if (n > 0 && columns[0])
        f->version = strtoll(columns[0], NULL, 10);
    f->rows++;
    return true;
}

static bool count_rows(void *ctx, const char *const *columns, int n)
{
    struct found *f = ctx;
    (void)columns;
    (void)n;
    f->rows++;
    return true;
}

static bool statement(struct fleet *f, const char *sql, struct gs_error *err)
{
    return fleet_run(f, sql, NULL, 0, NULL, NULL, NULL, err);
}

static const char *view_text(const struct fleet *f, const char *create, const char *name,
                             const char *text)
{
    const char *time =
        f->backend->has_to_timestamp
            ? "to_timestamp(r.started_ns / 1e9)"
            : "strftime('%Y-%m-%dT%H:%M:%SZ', r.started_ns / 1000000000, 'unixepoch')";
    const char *at = strstr(text, "TIME");
    return arena_printf(f->arena, "%s VIEW %s AS %.*s%s%s", create, name, (int)(at - text), text,
                        time, at + strlen("TIME"));
}

static bool version_of(struct fleet *f, struct found *out, struct gs_error *err)
{
    *out = (struct found){0};
    return fleet_run(f, "SELECT version FROM gpusight_schema", NULL, 0, take_version, out, NULL,
                     err);
}

/* Of two that begin at once, one waits for the other. */
static bool alone(struct fleet *f, struct gs_error *err)
{
    return !f->backend->has_to_timestamp ||
           statement(f, "SELECT pg_advisory_xact_lock(7378697629)", err);
}

static bool create_tables(struct fleet *f, struct gs_error *err)
{
    for (size_t i = 0; i < ARRAY_LEN(tables); i++)
        if (!statement(f, tables[i].text, err))
            return false;
    return true;
}

static bool create(struct fleet *f, struct gs_error *err)
{
    struct fleet_value version = fleet_int(FLEET_VERSION);
    struct found there;
    if (!alone(f, err))
        return false;
    if (!create_tables(f, err) || !version_of(f, &there, err))
        return false;
    if (there.rows)
        return true;
    for (size_t i = 0; i < ARRAY_LEN(views); i++)
        if (!statement(f, view_text(f, "CREATE", views[i].name, views[i].text), err))
            return false;
    return fleet_run(f, "INSERT INTO gpusight_schema (version) VALUES ($1)", &version, 1, NULL,
                     NULL, NULL, err);
}

/* What changed since version 1. A view that is replaced keeps who may read it. */
static bool upgrade(struct fleet *f, struct gs_error *err)
{
    bool pg = f->backend->has_to_timestamp;
    struct fleet_value version = fleet_int(FLEET_VERSION);
    uint64_t changed = 0;
    struct found there;
    if (!alone(f, err) || !version_of(f, &there, err))
        return false;
    if (there.rows != 1 || there.version != 1) /* somebody else was faster */
        return true;
    return statement(f, "ALTER TABLE gpusight_run ADD COLUMN detail_rank BIGINT", err) &&
           statement(f, file_table, err) &&
           (pg || statement(f, "DROP VIEW IF EXISTS gpusight_runs", err)) &&
           statement(
               f, view_text(f, pg ? "CREATE OR REPLACE" : "CREATE", views[0].name, views[0].text),
               err) &&
           fleet_run(f, "UPDATE gpusight_schema SET version = $1", &version, 1, NULL, NULL,
                     &changed, err) &&
           (changed == 1 ||
            fail(err, GS_E_FORMAT, "'%s' has its tables in another schema; set search_path to it",
                 f->place));
}

static bool in_transaction(struct fleet *f, bool (*make)(struct fleet *f, struct gs_error *err),
                           struct gs_error *err)
{
    if (!fleet_begin(f, err))
        return false;
    if (make(f, err) && fleet_commit(f, err))
        return true;
    fleet_rollback(f);
    return false;
}

/* Whether there are tables of ours, and whether the database holds something else. */
static bool look(struct fleet *f, bool *ours, bool *others, struct gs_error *err)
{
    struct found own = {0}, all = {0};
    bool pg = f->backend->has_to_timestamp;
    if (!fleet_run(
            f,
            pg ? "SELECT 1 FROM pg_tables WHERE tablename = 'gpusight_schema' AND schemaname "
                 "= ANY (current_schemas(false))"
               : "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name IN "
                 "('gpusight_schema', 'gpusight_run')",
            NULL, 0, count_rows, &own, NULL, err))
        return false;
    if (!pg &&
        !fleet_run(f, "SELECT 1 FROM sqlite_master LIMIT 1", NULL, 0, count_rows, &all, NULL, err))
        return false;
    *ours = own.rows >= (pg ? 1 : 2); /* tables, not views that say what they like */
    *others = all.rows > 0; /* a server may hold what it likes: ours has names of its own */
    return true;
}

bool fleet_schema(struct fleet *f, enum fleet_mode mode, struct gs_error *err)
{
    struct found found;
    bool ours, others;
    if (!look(f, &ours, &others, err))
        return false;
    if (!ours && (others || mode == FLEET_READ))
        return fail(err, others ? GS_E_USAGE : GS_E_EMPTY,
                    "'%s' is no database of 'gpusight collect'; give another %s", f->place,
                    others ? "file" : "one");
    if (!ours && !in_transaction(f, create, err))
        return false;
    if (!version_of(f, &found, err))
        return false;
    if (found.rows == 1 && found.version == 1 && mode == FLEET_WRITE &&
        (!in_transaction(f, upgrade, err) || !version_of(f, &found, err)))
        return false;
    if (found.rows != 1 || found.version < (mode == FLEET_READ ? 1 : FLEET_VERSION) ||
        found.version > FLEET_VERSION)
        return fail(err, GS_E_FORMAT,
                    "'%s' has tables of version %lld, and this is gpusight with version %d; %s",
                    f->place, (long long)found.version, FLEET_VERSION,
                    found.version > FLEET_VERSION ? "use a later gpusight" : "collect anew");
    return true;
}
