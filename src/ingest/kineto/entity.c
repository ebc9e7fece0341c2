/* Who an event belongs to: categories, processes, threads, streams, agents; and their names. */
#include <string.h>

#include "ingest/kineto/kineto.h"

/* ---- categories ---- */

static enum k_action action_of(const char *cat)
{
    static const struct {
        const char *cat; /* of today's PyTorch, and of the first releases */
        enum k_action action;
    } table[] = {
        {"kernel", K_KERNEL},
        {"gpu_memcpy", K_COPY},
        {"gpu_memset", K_COPY},
        {"memcpy", K_COPY},
        {"memset", K_COPY},
        {"gpu_user_annotation", K_GPU_MARKER},
        {"cpu_op", K_MARKER},
        {"operator", K_MARKER},
        {"user_annotation", K_MARKER},
        {"python_function", K_PYTHON},
        {"python", K_PYTHON},
        {"runtime", K_RUNTIME},
        {"overhead", K_OVERHEAD},
        {"trace", K_SKIP}, /* the recording itself */
        {"cuda_sync", K_SYNC},
        {"cuda_event", K_SKIP},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (strlen(cat) == strlen(table[i].cat) && str_has_fold(cat, table[i].cat))
            return table[i].action;
    if (str_ends(cat, "_runtime"))
        return K_RUNTIME;
    return str_ends(cat, "_driver") ? K_DRIVER : K_USER;
}

uint32_t kineto_category(struct kineto *k, const char *text, size_t n)
{
    uint32_t name = strings_addn(&k->trace->strings, text, n);
    uint32_t c = idmap_get(&k->category_of, name);
    if (c != NO_INDEX)
        return c;
    struct k_category made = {name, action_of(trace_str(k->trace, name)), 0};
    c = (uint32_t)k->categories.n;
    vec_push(&k->categories, k->arena, made);
    idmap_put(&k->category_of, name, c);
    return c;
}

/* ---- processes and threads ---- */

static bool is_text(int64_t id)
{
    return id >= K_TEXT && id < K_TEXT + UINT32_MAX;
}

/*
 * The file's own process stands for the first real pid, and for events that have none: Kineto
 * writes 0 or -1 where it does not know.
 */
static uint32_t process_of(struct kineto *k, int64_t pid)
{
    struct trace *t = k->trace;
    bool text = is_text(pid);
    if (pid <= 0 && !text)
        return k->process;
    uint32_t p = idmap_get(&k->processes, (uint64_t)pid);
    if (p != NO_INDEX)
        return p;
    if (!text && !t->processes.v[k->process].pid) {
        t->processes.v[k->process].pid = pid;
        p = k->process;
    } else {
        struct process made = {
            .pid = text ? 0 : pid, .rank = -1, .only_named = true, .file = k->file};
        made.command = text ? (uint32_t)(pid - K_TEXT) : 0;
        p = (uint32_t)t->processes.n;
        vec_push(&t->processes, &t->arena, made);
    }
    idmap_put(&k->processes, (uint64_t)pid, p);
    return p;
}

uint32_t kineto_thread(struct kineto *k, int64_t pid, int64_t tid)
{
    struct trace *t = k->trace;
    uint32_t process = process_of(k, pid);
    uint64_t key = hash_u64(process) ^ (uint64_t)tid;
    uint32_t found = idmap_get(&k->threads, key);
    bool text = is_text(tid);
    struct thread made = {.process = process,
                          .tid = text ? (int64_t)(tid - K_TEXT) : tid,
                          .name = text ? (uint32_t)(tid - K_TEXT) : 0};
    if (found != NO_INDEX && t->threads.v[found].process == process &&
        t->threads.v[found].tid == made.tid)
        return found;
    found = (uint32_t)t->threads.n;
    vec_push(&t->threads, &t->arena, made);
    idmap_put(&k->threads, key, found);
    return found;
}

/* ---- devices ---- */

uint32_t kineto_lane(struct kineto *k, int64_t device, int64_t stream)
{
    uint64_t key = hash_u64((uint64_t)device) ^ (uint64_t)stream;
    uint32_t l = idmap_get(&k->lane_of, key);
    if (l != NO_INDEX && k->lanes.v[l].device == device && k->lanes.v[l].stream == stream)
        return l;
    if (k->device_ids.n <= K_DEVICES_MAX && /* one too many is refused at the end */
        idmap_get(&k->devices, (uint64_t)device) == NO_INDEX) {
        idmap_put(&k->devices, (uint64_t)device, (uint32_t)k->device_ids.n);
        vec_push(&k->device_ids, k->arena, device);
    }
    l = (uint32_t)k->lanes.n;
    vec_push(&k->lanes, k->arena, ((struct k_lane){device, stream, 0}));
    idmap_put(&k->lane_of, key, l);
    return l;
}

/* ---- names ---- */

void kineto_label(struct kineto *k, const struct k_event *e)
{
    bool thread = str_eq(k->name.buf, "thread_name");
    if (!k->label.len || (!thread && !str_eq(k->name.buf, "process_name")))
        return;
    while (k->label.len && k->label.buf[k->label.len - 1] == ' ')
        k->label.len--; /* Kineto ends "stream 7 " so */
    uint32_t name = strings_addn(&k->trace->strings, k->label.buf, k->label.len);
    vec_push(&k->labels, k->arena, ((struct k_label){e->pid, thread ? e->tid : K_NONE, name}));
    if (thread)
        xla_line(k, e->pid, e->tid, trace_str(k->trace, name));
    else
        kineto_section(k, e->pid, trace_str(k->trace, name));
}

/* Names are for those that took part; a GPU's streams look like threads of a process. */
void kineto_apply_labels(struct kineto *k)
{
    struct trace *t = k->trace;
    for (size_t i = 0; i < k->labels.n; i++) {
        const struct k_label *l = &k->labels.v[i];
        uint32_t p = idmap_get(&k->processes, (uint64_t)l->pid);
        int64_t device;
        if (k->xla && l->tid == K_NONE && xla_plane(trace_str(t, l->name), &device))
            continue; /* a plane, no program */
        if (l->tid == K_NONE) {
            if (p != NO_INDEX && !t->processes.v[p].command)
                t->processes.v[p].command = l->name;
            if (p != NO_INDEX)
                t->processes.v[p].only_named = true;
            continue;
        }
        uint32_t thread =
            p == NO_INDEX ? NO_INDEX : idmap_get(&k->threads, hash_u64(p) ^ (uint64_t)l->tid);
        if (thread != NO_INDEX && !t->threads.v[thread].name)
            t->threads.v[thread].name = l->name;
        uint32_t lane = idmap_get(&k->lane_of, hash_u64((uint64_t)l->pid) ^ (uint64_t)l->tid);
        if (lane != NO_INDEX && str_starts(trace_str(t, l->name), "stream"))
            k->lanes.v[lane].name = l->name;
    }
}
