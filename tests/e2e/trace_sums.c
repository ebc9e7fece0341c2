/*
 * What a trace became when it was read, in a form a script can compare:
 *
 *     trace_sums TRACE...        one JSON object on standard output
 *
 * Only sums and counts, per table and per name; times in ns.
 */
#include <stdio.h>

#include "../unit/load_paths.h"
#include "base/err.h"
#include "base/jwrite.h"
#include "base/mem.h"
#include "base/opt.h"
#include "base/str.h"

struct sum {
    uint64_t n, bytes;
    int64_t ns;
};

static void put_sum(struct jwrite *w, const char *key, struct sum s)
{
    jw_open(w, key, '{');
    jw_uint(w, "n", s.n);
    jw_int(w, "ns", s.ns);
    jw_uint(w, "bytes", s.bytes);
    jw_close(w);
}

/* Sums by a string or an index: sums[key] for those that occur. */
static void put_by_string(struct jwrite *w, const char *key, const struct trace *t,
                          const struct sum *sums)
{
    jw_open(w, key, '{');
    for (uint32_t i = 0; i < t->strings.n; i++)
        if (sums[i].n)
            put_sum(w, trace_str(t, i), sums[i]);
    jw_close(w);
}

static void put_kernels(struct jwrite *w, const struct trace *t, struct arena *a)
{
    const struct kernels *k = &t->kernels;
    struct sum all = {0}, *names = arena_array(a, struct sum, t->strings.n);
    uint64_t linked = 0, items = 0, groups = 0, lds = 0, registers = 0;
    int64_t start = 0;
    for (size_t i = 0; i < k->n; i++) {
        struct sum *s = &names[t->symbols.v[k->symbol[i]].name];
        const struct launch *l = &t->launches.v[k->launch[i]];
        int64_t ns = k->end_ns[i] - k->start_ns[i];
        s->n++, s->ns += ns;
        all.n++, all.ns += ns;
        linked += k->call[i] != NO_INDEX;
        items += (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
        groups += (uint64_t)l->group[0] * l->group[1] * l->group[2];
        lds += l->lds_bytes;
        registers += t->symbols.v[k->symbol[i]].vgprs;
        start = !i || k->start_ns[i] < start ? k->start_ns[i] : start;
    }
    put_sum(w, "kernels", all);
    put_by_string(w, "kernel_names", t, names);
    jw_open(w, "kernel_facts", '{');
    jw_uint(w, "linked", linked);
    jw_uint(w, "grid_items", items);
    jw_uint(w, "group_items", groups);
    jw_uint(w, "lds_bytes", lds);
    jw_uint(w, "registers", registers);
    jw_int(w, "first_ns", start);
    jw_close(w);
}

static void put_copies(struct jwrite *w, const struct trace *t)
{
    struct sum kinds[COPY_KINDS] = {0};
    uint64_t linked = 0, sized = 0;
    for (size_t i = 0; i < t->copies.n; i++) {
        struct sum *s = &kinds[t->copies.kind[i]];
        s->n++;
        s->ns += t->copies.end_ns[i] - t->copies.start_ns[i];
        if (t->copies.bytes[i] != BYTES_UNKNOWN)
            sized++, s->bytes += t->copies.bytes[i];
        linked += t->copies.call[i] != NO_INDEX;
    }
    jw_open(w, "copies", '{');
    for (int i = 0; i < COPY_KINDS; i++)
        if (kinds[i].n)
            put_sum(w, copy_kind_name((enum copy_kind)i), kinds[i]);
    jw_close(w);
    jw_uint(w, "copies_linked", linked);
    jw_uint(w, "copies_sized", sized);
}

static void put_regions(struct jwrite *w, const struct trace *t, struct arena *a)
{
    struct sum kinds[REGION_KINDS] = {0}, *names = arena_array(a, struct sum, t->strings.n);
    for (size_t i = 0; i < t->regions.n; i++) {
        int64_t ns = t->regions.end_ns[i] - t->regions.start_ns[i];
        struct sum *s = &kinds[t->regions.kind[i]], *by_name = &names[t->regions.name[i]];
        s->n++, s->ns += ns;
        by_name->n++, by_name->ns += ns;
    }
    jw_open(w, "regions", '{');
    for (int i = 0; i < REGION_KINDS; i++)
        if (kinds[i].n)
            put_sum(w, region_kind_name((enum region_kind)i), kinds[i]);
    jw_close(w);
    put_by_string(w, "region_names", t, names);
}

static void put_markers(struct jwrite *w, const struct trace *t, struct arena *a)
{
    struct sum *domains = arena_array(a, struct sum, t->strings.n);
    struct sum *names = arena_array(a, struct sum, t->strings.n);
    for (size_t i = 0; i < t->markers.n; i++) {
        int64_t ns = t->markers.end_ns[i] - t->markers.start_ns[i];
        struct sum *s = &domains[t->markers.domain[i]], *by_name = &names[t->markers.name[i]];
        s->n++, s->ns += ns;
        by_name->n++, by_name->ns += ns;
    }
    put_by_string(w, "markers", t, domains);
    put_by_string(w, "marker_names", t, names);
}

static void put_rest(struct jwrite *w, const struct trace *t, struct arena *a)
{
    struct sum allocated = {0};
    for (size_t i = 0; i < t->allocations.n; i++) {
        allocated.n++;
        allocated.bytes += t->allocations.bytes[i];
    }
    put_sum(w, "allocations", allocated);
    double values = 0;
    for (size_t i = 0; i < t->telemetry.n; i++)
        values += t->telemetry.value[i];
    jw_uint(w, "telemetry", t->telemetry.n);
    jw_num(w, "telemetry_values", values);
    jw_uint(w, "streams", t->streams.n);
    jw_uint(w, "threads", t->threads.n);
    jw_uint(w, "processes", t->processes.n);
    jw_uint(w, "gpus", t->gpus.n);
    jw_open(w, "notes", '[');
    for (size_t i = 0; i < t->notes.n; i++)
        jw_str(w, NULL,
               arena_printf(a, "%llu %s", (unsigned long long)t->notes.v[i].count,
                            t->notes.v[i].text));
    jw_close(w);
}

struct call {
    struct trace trace;
    struct opt_list paths;
    struct gs_error err;
    struct arena arena;
    bool ok;
};

static void run(void *ctx)
{
    struct call *c = ctx;
    struct ingest_opts o = {.reader = READER_CHECK, .threads = 0};
    if (!load_paths(&c->trace, &c->paths, &o, &c->err))
        return;
    struct str out;
    struct jwrite w;
    str_init(&out, &c->arena);
    jw_init(&w, &out, 0);
    jw_open(&w, NULL, '{');
    put_kernels(&w, &c->trace, &c->arena);
    put_copies(&w, &c->trace);
    put_regions(&w, &c->trace, &c->arena);
    put_markers(&w, &c->trace, &c->arena);
    put_rest(&w, &c->trace, &c->arena);
    jw_close(&w);
    c->ok = fwrite(out.buf, 1, out.len, stdout) == out.len;
}

int main(int argc, char **argv)
{
    struct call c = {0};
    arena_init(&c.arena);
    trace_init(&c.trace);
    for (int i = 1; i < argc; i++)
        vec_push(&c.paths, &c.arena, argv[i]);
    bool had_memory = mem_guard(run, &c, &c.err);
    if (!had_memory || !c.ok)
        fprintf(stderr, "trace_sums: %s\n", c.err.text);
    trace_release(&c.trace);
    arena_release(&c.arena);
    return had_memory && c.ok ? 0 : 1;
}
