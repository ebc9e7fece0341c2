/* Texts of a Perfetto trace: each once, by number. */
#include <stdio.h>

#include "convert/perfetto_in.h"

static const char *const categories[] = {
    "none",
    "hip_api",
    "hip_compiler_api",
    "hsa_api",
    "marker_api",
    "rccl_api",
    "rocdecode_api",
    "rocjpeg_api",
    "openmp",
    "kernel_dispatch",
    "memory_copy",
    "memory_set",
    "memory_allocation",
    "scratch_memory",
    "counter_collection",
    "kfd_events",
    "mpi",
    "os_api",
    "user",
    "python",
    "sample",
    "pc_sampling",
    "device",
    "cuda_api",
    "cuda_driver_api",
};
_Static_assert(ARRAY_LEN(categories) == PF_CATEGORIES, "as many as declared");

static const char *const notes[] = {
#define NOTE_(name, text) text,
#include "convert/perfetto_notes.def"
#undef NOTE_
};

static const char *const words[] = {
    "MEMORY_COPY_NONE",
    "MEMORY_COPY_HOST_TO_DEVICE",
    "MEMORY_COPY_DEVICE_TO_HOST",
    "MEMORY_COPY_DEVICE_TO_DEVICE",
    "MEMORY_COPY_PEER_TO_PEER",
    "MEMORY_COPY_HOST_TO_HOST",
    "MEMSET",
    "MEMORY_ALLOCATION_ALLOCATE",
    "MEMORY_ALLOCATION_FREE",
    "MEMORY_ALLOCATION_REALLOC",
    "MEMORY_ALLOCATION_RECLAIM",
    "MEMORY_ALLOCATION_VMEM_ALLOCATE",
    "MEMORY_ALLOCATION_VMEM_FREE",
    "MEMORY_ALLOCATION_VMEM_REALLOC",
    "MEMORY_ALLOCATION_VMEM_RECLAIM",
    "SCRATCH_MEMORY_ALLOC",
    "SCRATCH_MEMORY_FREE",
    "SCRATCH_MEMORY_REALLOC",
    "SCRATCH_MEMORY_ASYNC_RECLAIM",
    "KERNEL_DISPATCH",
    "MEMORY_COPY",
    "roctxThreadRangeA",
    "roctxProcessRangeA",
    "roctxMarkA",
    "pageable",
    "pinned",
    "device",
    "managed",
    "AMD",
    "NVIDIA",
    "unknown",
};

static void put_tagged(struct str *s, unsigned field, const char *text, size_t n)
{
    char *p = pb_varint(pb_varint(str_room(s, 20), field << 3 | WIRE_BYTES), n);
    s->len = (size_t)(p - s->buf);
    str_put(s, text, n);
}

/* An entry of InternedData: {iid = 1, name or str = 2}. */
static void put_entry(struct str *out, unsigned field, uint64_t iid, const char *text, size_t n)
{
    char head[24], *p = pb_uint(head, 1, iid);
    p = pb_varint(pb_varint(p, 2 << 3 | WIRE_BYTES), n);
    size_t length = (size_t)(p - head) + n;
    char *q = pb_varint(pb_varint(str_room(out, 20), field << 3 | WIRE_BYTES), length);
    out->len = (size_t)(q - out->buf);
    str_put(out, head, (size_t)(p - head));
    str_put(out, text, n);
}

/* A packet around w->text, the content of InternedData. */
static void send(struct pf *w, uint64_t flags, bool first)
{
    struct str *s = &w->packed;
    str_clear(s);
    char *p = str_room(s, 64);
    p = pb_uint(p, PACKET_SEQUENCE, 1);
    p = pb_uint(p, PACKET_FLAGS, flags);
    if (first) { /* times of this sequence are those of the machine since it was started */
        p = pb_varint(pb_varint(p, PACKET_DEFAULTS << 3 | WIRE_BYTES), 3);
        p = pb_uint(p, DEFAULTS_CLOCK, CLOCK_BOOTTIME);
    }
    s->len = (size_t)(p - s->buf);
    put_tagged(s, PACKET_INTERNED, w->text.buf, w->text.len);
    char head[16];
    p = pb_varint(pb_varint(head, TRACE_PACKET << 3 | WIRE_BYTES), s->len);
    pf_room(w, s->len + 16);
    sink_write(&w->sink, head, (size_t)(p - head));
    sink_write(&w->sink, s->buf, s->len);
}

void pf_intern_start(struct pf *w)
{
    const struct trace *t = w->t;
    str_clear(&w->text);
    for (size_t i = 0; i < PF_CATEGORIES; i++)
        put_entry(&w->text, INTERNED_CATEGORY, i + 1, categories[i], strlen(categories[i]));
    for (size_t i = 0; i < PF_NOTES; i++)
        put_entry(&w->text, INTERNED_NOTE_NAME, i + 1, notes[i], strlen(notes[i]));
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        put_entry(&w->text, INTERNED_TEXT, i + 1, words[i], strlen(words[i]));
        put_entry(&w->text, INTERNED_NAME, i + 1, words[i], strlen(words[i]));
    }
    for (size_t i = 0; i < t->counter_infos.n; i++) {
        const char *name = trace_str(t, t->counter_infos.v[i].name);
        put_entry(&w->text, INTERNED_NOTE_NAME, PF_NOTES + 1 + i, name, strlen(name));
    }
    send(w, STATE_CLEARED, true);
    w->texts = ARRAY_LEN(words) + 1 + t->strings.n + 2 * t->launches.n;
    w->name_out = arena_array(w->arena, uint8_t, t->strings.n / 8 + 1);
    w->text_out = arena_array(w->arena, uint8_t, w->texts / 8 + 1);
}

static bool is_new(uint8_t *bits, size_t i)
{
    bool known = bits[i >> 3] >> (i & 7) & 1;
    bits[i >> 3] = (uint8_t)(bits[i >> 3] | 1u << (i & 7));
    return !known;
}

static void send_one(struct pf *w, unsigned field, uint64_t iid, const char *text)
{
    str_clear(&w->text);
    put_entry(&w->text, field, iid, text, strlen(text));
    send(w, STATE_NEEDED, false);
}

uint64_t pf_name(struct pf *w, uint32_t string)
{
    uint64_t iid = ARRAY_LEN(words) + 1 + string;
    if (string < w->t->strings.n && is_new(w->name_out, string))
        send_one(w, INTERNED_NAME, iid, trace_str(w->t, string));
    return iid;
}

uint64_t pf_text(struct pf *w, uint32_t string)
{
    uint64_t iid = ARRAY_LEN(words) + 1 + string;
    if (is_new(w->text_out, iid))
        send_one(w, INTERNED_TEXT, iid, trace_str(w->t, string));
    return iid;
}

uint64_t pf_extent(struct pf *w, uint32_t launch, bool group)
{
    uint64_t iid = ARRAY_LEN(words) + 1 + w->t->strings.n + 2 * (uint64_t)launch + group;
    if (is_new(w->text_out, iid)) {
        const struct launch *l = &w->t->launches.v[launch];
        const uint32_t *d = group ? l->group : l->grid;
        char text[128];
        snprintf(text, sizeof(text), "%.0f (x=%u,y=%u,z=%u)", (double)d[0] * d[1] * d[2], d[0],
                 d[1], d[2]);
        send_one(w, INTERNED_TEXT, iid, text);
    }
    return iid;
}

uint64_t pf_word(struct pf *w, const char *word)
{
    (void)w;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (words[i] == word || str_eq(words[i], word))
            return i + 1;
    return 1;
}

uint64_t pf_category(const char *name)
{
    for (size_t i = 0; i < PF_CATEGORIES; i++)
        if (categories[i] == name || str_eq(categories[i], name))
            return i + 1;
    return 1;
}

const char *pf_region_category(enum region_kind kind, const char *name)
{
    if (kind == REGION_MEDIA && str_starts(name, "rocJpeg"))
        return "rocjpeg_api";
    return kind == REGION_OTHER ? "none" : region_word(kind);
}
