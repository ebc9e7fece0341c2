/*
 * Files of rocprof, the older profiler: sections of events, each with a pid of its own that a label
 * names ("2 CPU HIP API", "6 GPU0"), and no categories. The arguments hold exact times, and the
 * process and the device.
 */
#include <ctype.h>
#include <stdlib.h>

#include "ingest/kineto/kineto.h"

enum { SECTIONS_MAX = 4096 };

void kineto_section(struct kineto *k, int64_t pid, const char *label)
{
    static const struct {
        const char *name;
        enum k_action action;
    } table[] = {
        {"CPU HIP API", K_RUNTIME},       {"CPU HSA API", K_DRIVER}, {"COPY", K_COPY},
        {"Markers and Ranges", K_MARKER}, {"GPU", K_KERNEL},
    };
    const char *name = label + strspn(label, "0123456789");
    int64_t device;
    if (xla_plane(label, &device) && k->sections.n < SECTIONS_MAX) {
        vec_push(&k->sections, k->arena, ((struct k_section){pid, device, K_XLA}));
        k->xla = true;
        return;
    }
    if (name == label || *name != ' ' || k->sections.n >= SECTIONS_MAX)
        return;
    name++;
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        size_t n = strlen(table[i].name);
        bool gpu = table[i].action == K_KERNEL;
        if (!str_starts(name, table[i].name) ||
            (gpu ? !isdigit((unsigned char)name[n]) : name[n] && name[n] != '('))
            continue;
        struct k_section s = {pid, gpu ? strtol(name + n, NULL, 10) % K_DEVICES_MAX : K_NONE,
                              table[i].action};
        vec_push(&k->sections, k->arena, s);
        return;
    }
}

enum k_action kineto_in_section(struct kineto *k, struct k_event *e)
{
    enum k_action action = K_SKIP;
    for (size_t i = k->sections.n; i-- > 0 && action == K_SKIP;) {
        if (k->sections.v[i].pid != e->pid)
            continue;
        action = k->sections.v[i].action;
        if (e->device == K_NONE || action == K_XLA)
            e->device = k->sections.v[i].device;
    }
    if (action == K_SKIP)
        return action;
    if (action == K_XLA)
        return xla_action(k, e);
    if (e->begin_ns != K_NONE && e->end_ns != K_NONE) {
        e->ts_ns = e->begin_ns;
        e->dur_ns = (int64_t)((uint64_t)e->end_ns - (uint64_t)e->begin_ns);
    }
    if (e->stream == K_NONE)
        e->stream = action == K_KERNEL || action == K_COPY ? 0 : K_NONE;
    if (action == K_COPY && e->device == K_NONE)
        e->device = 0;
    if (e->own_pid > 0)
        e->pid = e->own_pid;
    return action;
}
