/*
 * Traces of XLA, the compiler behind JAX and TensorFlow. There are no categories: a process is a
 * plane ("/device:GPU:0", "/host:CPU"), its threads are lines ("Stream #14(Compute)"), and details
 * are texts of "key:value". Lines of a device that are no streams repeat its work by module, operation
 * or step, and would count it twice.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "ingest/kineto/kineto.h"

static uint64_t key_of(int64_t pid, int64_t tid)
{
    return hash_u64((uint64_t)pid) ^ (uint64_t)tid;
}

bool xla_plane(const char *label, int64_t *device)
{
    static const char gpu[] = "/device:GPU:";
    *device = K_NONE;
    if (str_starts(label, gpu) && isdigit((unsigned char)label[sizeof(gpu) - 1])) {
        *device = strtol(label + sizeof(gpu) - 1, NULL, 10) % K_DEVICES_MAX;
        return true;
    }
    return str_starts(label, "/host:") || str_starts(label, "/device:CUSTOM:");
}

void xla_line(struct kineto *k, int64_t pid, int64_t tid, const char *label)
{
    static const char stream[] = "Stream #";
    if (str_starts(label, stream)) {
        long number = strtol(label + sizeof(stream) - 1, NULL, 10);
        idmap_put(&k->xla_streams, key_of(pid, tid), (uint32_t)(number & INT32_MAX));
    }
}

/* ---- details ---- */

/* "128,1,1" */
static void read_three(const char *s, uint32_t *v)
{
    for (int i = 0; i < 3 && isdigit((unsigned char)*s); i++) {
        char *end;
        unsigned long n = strtoul(s, &end, 10);
        v[i] = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
        s = *end == ',' ? end + 1 : end;
    }
}

static void read_word(struct kineto *k, struct k_event *e, const char *word, size_t n,
                      const char *value)
{
    static const struct {
        const char *key;
        size_t at;
    } counts[] = {{"regs", offsetof(struct k_event, registers)},
                  {"static_shared", offsetof(struct k_event, shared)},
                  {"dynamic_shared", offsetof(struct k_event, shared)}};
    long long number = strtoll(value, NULL, 10);
    for (size_t i = 0; i < ARRAY_LEN(counts); i++)
        if (n == strlen(counts[i].key) && !strncmp(word, counts[i].key, n)) {
            uint32_t *to = (uint32_t *)(void *)((char *)e + counts[i].at);
            uint64_t sum = *to + (uint64_t)(number < 0 ? 0 : number);
            *to = sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
        }
    if (str_starts(word, "grid:"))
        read_three(value, e->grid);
    else if (str_starts(word, "block:"))
        read_three(value, e->block);
    else if (str_starts(word, "size:") || str_starts(word, "num_bytes:"))
        e->bytes = number;
    else if (str_starts(word, "kind_src:") || str_starts(word, "kind_dst:"))
        str_printf(&k->copy_kind, "%s%c%.*s%s", word[5] == 's' ? "(" : " -> ",
                   toupper((unsigned char)*value), (int)strcspn(value + (*value != 0), " "),
                   value + (*value != 0), word[5] == 's' ? "" : ")");
}

void xla_details(struct kineto *k, struct k_event *e, const char *text)
{
    while (*text) {
        size_t all = strcspn(text, " "), n = strcspn(text, ": ");
        if (n < all)
            read_word(k, e, text, n, text + n + 1);
        text += all;
        text += strspn(text, " ");
    }
}

/* ---- events ---- */

static enum k_action on_device(struct kineto *k, struct k_event *e, const char *name)
{
    uint32_t stream = idmap_get(&k->xla_streams, key_of(e->pid, e->tid));
    if (stream == NO_INDEX)
        return K_SKIP;
    e->stream = stream;
    return str_starts(name, "Memcpy") || str_starts(name, "Memset") ? K_COPY : K_KERNEL;
}

/* The name of a call: those that launch have the kernel's name there. */
static bool names_call(const char *name)
{
    return ((str_starts(name, "cu") || str_starts(name, "hip")) &&
            isupper((unsigned char)name[*name == 'c' ? 2 : 3])) ||
           str_starts(name, "Memcpy") || str_starts(name, "Memset");
}

/* "$model.py:12 forward" without its mark, "cuGraphLaunch (CudaGraph:12)" without what is behind;
 * looked for once, as many events have the name. */
static uint32_t shown_of(struct kineto *k, uint32_t id, const char *name)
{
    uint32_t known = idmap_get(&k->xla_names, id);
    if (known != NO_INDEX)
        return known;
    const char *behind = *name == '$' ? NULL : strstr(name, " (");
    str_clear(&k->label); /* a copy: the strings may move when one is added */
    str_put(&k->label, name + (*name == '$'),
            behind ? (size_t)(behind - name) : strlen(name) - (*name == '$'));
    known = strings_addn(&k->trace->strings, k->label.buf, k->label.len);
    idmap_put(&k->xla_names, id, known);
    return known;
}

static enum k_action on_host(struct kineto *k, struct k_event *e, const char *name)
{
    if (*name == '$') {
        e->name = shown_of(k, e->name, name);
        return K_PYTHON;
    }
    if (e->step != K_NONE || str_starts(name, "PjitFunction("))
        return K_MARKER;
    if (e->correlation == K_NONE)
        return K_USER;
    if (!names_call(name))
        e->name = strings_add(&k->trace->strings, "LaunchKernel");
    else
        e->name = shown_of(k, e->name, name);
    return K_RUNTIME;
}

enum k_action xla_action(struct kineto *k, struct k_event *e)
{
    const char *name = trace_str(k->trace, e->name);
    return e->device == K_NONE ? on_host(k, e, name) : on_device(k, e, name);
}
