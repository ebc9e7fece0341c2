#include "analyze/pass_window.h"

#include "base/fs.h"
#include "base/sort.h"

/* A set of counters, and when the processes that recorded it ran. */
struct run {
    uint64_t set; /* hash of the names; 0: none */
    uint32_t process;
    int64_t start_ns, end_ns;
};

struct finder {
    const struct trace *t;
    struct arena *arena;
    uint64_t *set; /* by process */
    bool *works;   /* by process: has kernels */
    int64_t *start_ns, *end_ns;
    VEC(struct run) runs;
};

static uint32_t process_of(const struct trace *t, uint32_t kernel)
{
    uint32_t stream = kernel < t->kernels.n ? t->kernels.stream[kernel] : NO_INDEX;
    uint32_t process = stream < t->streams.n ? t->streams.v[stream].process : NO_INDEX;
    return process < t->processes.n ? process : NO_INDEX;
}

/* Each name once a process: hashes of names add up, in any order. */
static void find_sets(struct finder *f)
{
    const struct trace *t = f->t;
    struct idmap seen;
    uint32_t last_process = NO_INDEX, last_counter = NO_INDEX;
    idmap_init(&seen, f->arena);
    for (size_t i = 0; i < t->counters.n; i++) {
        uint32_t p = process_of(t, t->counters.kernel[i]), c = t->counters.counter[i];
        if (p == NO_INDEX || c >= t->counter_infos.n || (p == last_process && c == last_counter))
            continue;
        last_process = p;
        last_counter = c;
        uint32_t name = t->counter_infos.v[c].name;
        uint64_t key = (uint64_t)p << 32 | name;
        if (idmap_get(&seen, key) != NO_INDEX)
            continue;
        idmap_put(&seen, key, 0);
        f->set[p] += hash_u64(name + UINT64_C(1)) | 1;
    }
}

static void reach(struct finder *f, uint32_t p, int64_t start, int64_t end)
{
    if (p >= f->t->processes.n)
        return;
    f->start_ns[p] = start < f->start_ns[p] ? start : f->start_ns[p];
    f->end_ns[p] = end > f->end_ns[p] ? end : f->end_ns[p];
}

static void find_times(struct finder *f)
{
    const struct trace *t = f->t;
    for (size_t p = 0; p < t->processes.n; p++) {
        f->start_ns[p] = INT64_MAX;
        f->end_ns[p] = INT64_MIN;
    }
    for (size_t i = 0; i < t->kernels.n; i++) {
        uint32_t p = process_of(t, (uint32_t)i);
        reach(f, p, t->kernels.start_ns[i], t->kernels.end_ns[i]);
        if (p != NO_INDEX)
            f->works[p] = true;
    }
    for (size_t i = 0; i < t->copies.n; i++)
        if (t->copies.stream[i] < t->streams.n)
            reach(f, t->streams.v[t->copies.stream[i]].process, t->copies.start_ns[i],
                  t->copies.end_ns[i]);
    for (size_t i = 0; i < t->regions.n; i++)
        if (t->regions.thread[i] < t->threads.n)
            reach(f, t->threads.v[t->regions.thread[i]].process, t->regions.start_ns[i],
                  t->regions.end_ns[i]);
}

static void find_runs(struct finder *f, const uint32_t *processes, size_t n)
{
    f->runs.n = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t p = processes[i];
        size_t r = 0;
        if (!f->works[p])
            continue;
        while (r < f->runs.n && f->runs.v[r].set != f->set[p])
            r++;
        if (r == f->runs.n)
            vec_push(&f->runs, f->arena,
                     ((struct run){f->set[p], p, f->start_ns[p], f->end_ns[p]}));
        struct run *run = &f->runs.v[r];
        run->start_ns = f->start_ns[p] < run->start_ns ? f->start_ns[p] : run->start_ns;
        run->end_ns = f->end_ns[p] > run->end_ns ? f->end_ns[p] : run->end_ns;
    }
}

static bool are_apart(const struct finder *f)
{
    for (size_t i = 0; i < f->runs.n; i++)
        for (size_t k = 0; k < i; k++)
            if (f->runs.v[i].start_ns < f->runs.v[k].end_ns &&
                f->runs.v[k].start_ns < f->runs.v[i].end_ns)
                return false;
    return true;
}

/* The run that stands for all, or NULL where there is one, or where they are no passes. */
static const struct run *choose(struct finder *f, const uint32_t *processes, size_t n)
{
    enum { MOST_RUNS = 256 }; /* each with each is compared */
    find_runs(f, processes, n);
    if (f->runs.n < 2 || f->runs.n > MOST_RUNS || !are_apart(f))
        return NULL;
    const struct run *best = &f->runs.v[0];
    for (size_t i = 1; i < f->runs.n; i++)
        if (!f->runs.v[i].set)
            best = &f->runs.v[i];
    return best;
}

static void find(struct finder *f, const struct trace *t, struct arena *scratch)
{
    *f = (struct finder){.t = t, .arena = scratch};
    f->set = arena_array(scratch, uint64_t, t->processes.n);
    f->works = arena_array(scratch, bool, t->processes.n);
    f->start_ns = arena_array(scratch, int64_t, t->processes.n);
    f->end_ns = arena_array(scratch, int64_t, t->processes.n);
    find_sets(f);
    find_times(f);
}

const char *pass_window(struct view_opts *o, const struct trace *t, struct arena *arena)
{
    if (o->has_window || o->process >= 0 || !t->counters.n || t->processes.n < 2)
        return NULL;
    struct arena *scratch = arena_scratch();
    uint32_t *all = arena_array(scratch, uint32_t, t->processes.n);
    struct finder f;
    for (uint32_t p = 0; p < t->processes.n; p++)
        all[p] = p;
    find(&f, t, scratch);
    const struct run *best = choose(&f, all, t->processes.n);
    const char *name = NULL;
    if (best) {
        uint32_t file = t->processes.v[best->process].file;
        o->has_window = true;
        o->start_ns = best->start_ns;
        o->end_ns = best->end_ns;
        name = arena_printf(arena, "%s (%s)",
                            best->set ? "the first pass" : "the run without counters",
                            file < t->files.n ? fs_basename(t->files.v[file].path) : "-");
    }
    arena_release(scratch);
    return name;
}

void pass_windows(struct span *windows, size_t n, const uint32_t *group, const struct trace *t)
{
    if (!t->counters.n)
        return;
    struct arena *scratch = arena_scratch();
    struct row_groups groups = row_groups_make(group, t->processes.n, n, scratch);
    struct finder f;
    find(&f, t, scratch);
    for (uint32_t g = 0; g < n; g++) {
        const struct run *best =
            choose(&f, groups.list + groups.at[g], groups.at[g + 1] - groups.at[g]);
        if (best)
            windows[g] = (struct span){best->start_ns, best->end_ns};
    }
    arena_release(scratch);
}
