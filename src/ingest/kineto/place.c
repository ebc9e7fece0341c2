/* Host events: calls become regions, operations and annotations become markers. */
#include "ingest/kineto/kineto.h"

void kineto_marker(struct kineto *k, const struct k_event *e, uint32_t name, uint32_t domain,
                   uint32_t thread, enum marker_kind kind)
{
    trace_room(k->trace, markers, 1);
    struct markers *m = &k->trace->markers;
    size_t n = m->n++;
    m->start_ns[n] = e->ts_ns;
    m->end_ns[n] = kind == MARKER_INSTANT ? e->ts_ns : k_end(e);
    m->id[n] = e->external != K_NONE ? e->external : e->correlation != K_NONE ? e->correlation : 0;
    m->name[n] = name;
    m->domain[n] = domain;
    m->thread[n] = thread;
    m->kind[n] = (uint8_t)kind;
}

static void add_region(struct kineto *k, const struct k_event *e, uint32_t name, int64_t id,
                       enum region_kind kind)
{
    trace_room(k->trace, regions, 1);
    struct regions *g = &k->trace->regions;
    size_t n = g->n++;
    g->start_ns[n] = e->ts_ns;
    g->end_ns[n] = k_end(e);
    g->id[n] = id == K_NONE ? 0 : id;
    g->name[n] = name;
    g->thread[n] = kineto_thread(k, e->pid, e->tid);
    g->kind[n] = (uint8_t)kind;
}

/*
 * PyTorch wraps every collective into an operation of this name, whose arguments say which it is.
 */
static bool is_collective(const struct kineto *k, const struct k_event *e)
{
    return str_eq(trace_str(k->trace, e->name), "record_param_comms");
}

static void add_collective(struct kineto *k, const struct k_event *e)
{
    uint32_t name = e->name;
    if (k->collective.len)
        name = strings_addn(&k->trace->strings, k->collective.buf, k->collective.len);
    add_region(k, e, name, e->external, REGION_COLLECTIVE);
}

/* Categories that converters use for what PyTorch does not record. */
static enum region_kind kind_of_category(const char *category)
{
    static const struct {
        const char *name;
        enum region_kind kind;
    } table[] = {
        {"mpi", REGION_MPI},
        {"openmp", REGION_OPENMP},
        {"os_api", REGION_OS},
        {"rccl_api", REGION_COLLECTIVE},
        {"hip_compiler_api", REGION_HIP_COMPILER},
        {"media_api", REGION_MEDIA},
        {"kfd_events", REGION_DRIVER},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (str_eq(category, table[i].name))
            return table[i].kind;
    return REGION_USER;
}

void kineto_place(struct kineto *k, const struct k_event *given)
{
    struct k_event own = *given;
    const struct k_event *e = &own;
    uint32_t domain = e->category == NO_INDEX ? 0 : k->categories.v[e->category].name;
    enum k_action action = e->category == NO_INDEX ? K_USER : k->categories.v[e->category].action;
    if (action == K_USER && k->sections.n) {
        enum k_action section = kineto_in_section(k, &own);
        action = section == K_SKIP && !k->xla ? action : section;
    }
    switch (action) {
    case K_SKIP:
    case K_XLA:
        return;
    case K_KERNEL:
        kineto_kernel(k, e);
        return;
    case K_COPY:
        kineto_copy(k, e);
        return;
    case K_SYNC:
        kineto_sync(k, e);
        return;
    case K_GPU_MARKER:
        kineto_marker(k, e, e->name, domain, NO_INDEX, MARKER_PROCESS_RANGE);
        return;
    case K_MARKER:
        if (is_collective(k, e))
            add_collective(k, e);
        else
            kineto_marker(k, e, e->name, domain, kineto_thread(k, e->pid, e->tid),
                          MARKER_THREAD_RANGE);
        return;
    case K_RUNTIME:
        add_region(k, e, e->name, e->correlation, REGION_HIP);
        return;
    case K_DRIVER:
        add_region(k, e, e->name, e->correlation, REGION_HSA);
        return;
    case K_PYTHON:
        add_region(k, e, e->name, e->python, REGION_PYTHON);
        return;
    case K_OVERHEAD:
        add_region(k, e, e->name, e->correlation, REGION_OTHER);
        return;
    case K_USER:
        add_region(k, e, e->name, e->correlation == K_NONE ? e->external : e->correlation,
                   kind_of_category(trace_str(k->trace, domain)));
        return;
    }
}

/*
 * The framework's allocator, which takes pieces of what it allocated long ago: that is no
 * allocation of the driver's and costs as good as nothing, so it counts as virtual.
 */
static void add_allocation(struct kineto *k, const struct k_event *e)
{
    trace_room(k->trace, allocations, 1);
    struct allocations *a = &k->trace->allocations;
    bool host = e->memory_type == 0 || e->memory_device < 0 || e->memory_device >= K_DEVICES_MAX;
    size_t n = a->n++;
    a->start_ns[n] = a->end_ns[n] = e->ts_ns;
    a->id[n] = 0;
    a->bytes[n] = e->bytes < 0 ? 0 - (uint64_t)e->bytes : (uint64_t)e->bytes;
    a->address[n] = e->address == K_NONE ? 0 : (uint64_t)e->address;
    a->agent[n] = host ? 0 : (uint32_t)e->memory_device + 1;
    a->thread[n] = kineto_thread(k, e->pid, e->tid);
    a->call[n] = NO_INDEX;
    a->op[n] = e->bytes < 0 ? ALLOC_FREE : ALLOC_ALLOC;
    a->level[n] = LEVEL_VIRTUAL;
}

void kineto_instant(struct kineto *k, const struct k_event *e)
{
    const char *name = trace_str(k->trace, e->name);
    uint32_t domain = e->category == NO_INDEX ? 0 : k->categories.v[e->category].name;
    if (str_eq(name, "[memory]") && e->bytes != K_NONE)
        add_allocation(k, e);
    else if (!str_starts(name, "Iteration Start") && !str_eq(name, "Record Window End"))
        kineto_marker(k, e, e->name, domain, kineto_thread(k, e->pid, e->tid), MARKER_INSTANT);
}
