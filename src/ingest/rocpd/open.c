#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/str.h"
#include "ingest/rocpd/rocpd.h"

const char *rocpd_table(struct rocpd *r, const char *base)
{
    return arena_printf(r->arena, "rocpd_%s%s", base, r->suffix);
}

bool rocpd_has(struct rocpd *r, const char *base)
{
    if (db_has_table(r->db, rocpd_table(r, base)))
        return true;
    char text[128];
    snprintf(text, sizeof(text), "table rocpd_%s is missing", base);
    trace_note(r->trace, NOTE_MISSING_TABLE, 1, text);
    return false;
}

/* Tables every set has something of; each suffix found behind one of them is a set. */
static const char *const marks[] = {"rocpd_kernel_dispatch", "rocpd_info_process", "rocpd_region",
                                    "rocpd_string", "rocpd_event"};

static const char *suffix_of(const char *table)
{
    for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
        size_t n = strlen(marks[i]);
        if (!strncmp(table, marks[i], n) && (!table[n] || table[n] == '_'))
            return table + n;
    }
    return NULL;
}

/* Tables of the older format of the same name space, which has a reader of its own (rpd). */
static bool is_rpd(const char *table)
{
    return str_eq(table, "rocpd_op") || str_eq(table, "rocpd_api") ||
           str_eq(table, "rocpd_api_ops");
}

static bool detect(const struct probe *p)
{
    bool found = false;
    for (const char *const *t = p->tables; *t; t++) {
        if (is_rpd(*t))
            return false;
        found |= suffix_of(*t) != NULL;
    }
    return found;
}

void rocpd_find_sets(struct db *db, struct suffix_list *out, struct arena *a)
{
    struct strings known;
    bool bare = false; /* "" is a string from the start */
    strings_init(&known, a);
    for (size_t i = 0; i < db->schema.n; i++) {
        const char *suffix = suffix_of(db->schema.v[i].name);
        size_t before = known.n;
        if (!suffix || (*suffix ? strings_add(&known, suffix) < before : bare))
            continue;
        bare |= !*suffix;
        vec_push(out, a, arena_strdup(a, suffix));
    }
}

static bool read_metadata(struct rocpd *r, struct trace_file *f, struct gs_error *err)
{
    static const char *const columns[] = {"tag", "value", NULL};
    struct arena *a = &r->trace->arena;
    struct db_query q;
    f->schema_version = f->tool_version = f->guid = "";
    if (!rocpd_query(&q, r, "metadata", columns, err))
        return false;
    while (db_next(&q)) {
        const char *tag = db_text(&q, 0), *value = db_text(&q, 1);
        if (str_eq(tag, "schema_version"))
            f->schema_version = arena_strdup(a, value);
        else if (str_eq(tag, "guid"))
            f->guid = arena_strdup(a, value);
        else if (str_has(tag, "version") && !str_starts(tag, "schema"))
            f->tool_version = arena_strdup(a, value);
    }
    if (!db_done(&q, err))
        return false;
    char *end;
    long major = strtol(f->schema_version, &end, 10);
    if (*f->schema_version && (major != 3 || (*end && *end != '.')))
        return fail(err, GS_E_FORMAT,
                    "rocpd schema version '%s' is not known; this gpusight reads 3 to 3.0.5",
                    f->schema_version);
    return true;
}

/* Absent is the same as empty; damaged is not. */
static bool has_rows(struct rocpd *r, const char *base, bool *any, struct gs_error *err)
{
    struct db_query q;
    const char *table = rocpd_table(r, base);
    *any = false;
    if (!db_has_table(r->db, table))
        return true;
    if (!db_query(&q, r->db, err, "SELECT 1 FROM \"%w\" NOT INDEXED LIMIT 1", table))
        return false;
    *any = db_next(&q);
    return db_done(&q, err);
}

/* How many events there are of each category, and which profiler wrote them. */
static void count_categories(struct rocpd *r)
{
    struct trace *t = r->trace;
    trace_note(t, NOTE_NULL, r->events.no_category, "events without a category");
    for (size_t i = 0; i < r->events.counts.n; i++) {
        const struct category_count *c = &r->events.counts.v[i];
        r->rocprof_sys |= category_of(trace_str(t, c->name)).rocprof_sys;
        trace_category(t, c->name, c->count);
    }
}

static bool read_all(struct rocpd *r, struct gs_error *err)
{
    if (!rocpd_read_events(r, err))
        return false;
    count_categories(r);
    struct rocpd_rows first = {r->trace->regions.n, r->trace->kernels.n, r->trace->copies.n};
    return rocpd_read_regions(r, err) && rocpd_read_samples(r, err) && rocpd_read_kernels(r, err) &&
           rocpd_read_copies(r, err) && rocpd_read_allocations(r, err) &&
           rocpd_read_counters(r, err) && rocpd_read_syncs(r, &first, err);
}

/* Work without the calls that caused it: events, most of the file, are not needed then. */
static bool read_some(struct rocpd *r, struct gs_error *err)
{
    const unsigned with_events = INGEST_CALLS | INGEST_COUNTERS;
    if ((r->leave_out & with_events) != with_events)
        return read_all(r, err);
    r->has_counters = false;
    return ((r->leave_out & INGEST_KERNELS) || rocpd_read_kernels(r, err)) &&
           ((r->leave_out & INGEST_COPIES) || rocpd_read_copies(r, err)) &&
           ((r->leave_out & INGEST_ALLOCATIONS) || rocpd_read_allocations(r, err));
}

static bool read_set(struct rocpd *r, struct gs_error *err)
{
    struct trace_file file = {.path = r->db->path, .format = TRACE_ROCPD, .bytes = r->db->bytes};
    if (!read_metadata(r, &file, err))
        return false;
    vec_push(&r->trace->files, &r->trace->arena, file);
    if (!has_rows(r, "pmc_event", &r->has_counters, err) || !rocpd_read_strings(r, err) ||
        !rocpd_read_info(r, err))
        return false;
    return r->leave_out ? read_some(r, err) : read_all(r, err);
}

static void finish_file(struct rocpd *r, struct trace_file *f, const struct db *db)
{
    f->flavor = r->rocprof_sys ? WRITER_ROCPROF_SYS : WRITER_ROCPROFV3;
    f->reader = db_reader(db);
    f->reader_reason = db->slow_reason;
}

static void release_set(void *set)
{
    struct rocpd *r = set;
    mem_free(r->events.id);
    mem_free(r->events.stack);
    mem_free(r->events.wide_stack);
    mem_free(r->events.call);
    mem_free(r->events.kind);
    mem_free(r->events.kernel);
}

static bool load_set(struct trace *t, struct db *db, const char *suffix, unsigned leave_out,
                     struct gs_error *err)
{
    struct arena *arena = arena_scratch();
    struct rocpd *r = arena_new(arena, struct rocpd);
    *r = (struct rocpd){.trace = t, .db = db, .arena = arena, .suffix = suffix};
    r->leave_out = leave_out;
    r->file = (uint32_t)t->files.n;
    arena_defer(arena, release_set, r);
    launches_init(&r->launches, arena);
    bool ok = read_set(r, err);
    if (ok)
        finish_file(r, &t->files.v[r->file], db);
    arena_release(arena);
    return ok;
}

static bool load(struct trace *t, const char *path, const struct ingest_opts *o,
                 struct arena *arena, struct gs_error *err)
{
    struct suffix_list sets = {0};
    struct db *db = ingest_db(path, o, detect, arena, err);
    if (!db)
        return false;
    trace_note(t, NOTE_UNFINISHED, db->unfinished,
               "the writer had not finished; its last changes were recovered");
    rocpd_find_sets(db, &sets, &t->arena);
    bool ok = true;
    for (size_t i = 0; ok && i < sets.n; i++)
        ok = load_set(t, db, sets.v[i], o->leave_out, err);
    return ok;
}

const struct format format_rocpd = {
    .name = "rocpd",
    .label = "AMD rocpd database",
    .detect = detect,
    .load = load,
};
