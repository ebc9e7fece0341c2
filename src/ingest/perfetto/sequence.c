/* What packets of one sequence share: texts by number, defaults, clocks. */
#include <stdlib.h>

#include "base/str.h"
#include "ingest/perfetto/perfetto.h"
#include "ingest/rocpd/rocpd.h"

static const char *const keys[PK_KEYS] = {
#define KEY(name, text) [PK_##name] = text,
#include "ingest/perfetto/keys.def"
#undef KEY
};

static void init_maps(struct perfetto *p, struct pf_sequence *s)
{
    struct idmap *maps[] = {&s->categories, &s->names, &s->note_names, &s->note_texts, &s->specs};
    for (size_t i = 0; i < ARRAY_LEN(maps); i++)
        idmap_init(maps[i], p->arena);
}

struct pf_sequence *perfetto_sequence(struct perfetto *p, uint64_t id)
{
    uint32_t at = idmap_get(&p->sequence_of, id);
    if (at != NO_INDEX)
        return &p->sequences.v[at];
    idmap_put(&p->sequence_of, id, (uint32_t)p->sequences.n);
    vec_push(&p->sequences, p->arena, (struct pf_sequence){.id = id});
    struct pf_sequence *s = &p->sequences.v[p->sequences.n - 1];
    init_maps(p, s);
    return s;
}

/* The writer starts anew: numbers of texts mean other things from here on. */
void perfetto_clear(struct perfetto *p, struct pf_sequence *s)
{
    struct idmap *maps[] = {&s->categories, &s->names, &s->note_names, &s->note_texts, &s->specs};
    for (size_t i = 0; i < ARRAY_LEN(maps); i++) {
        struct idmap *m = maps[i];
        if (!m->n)
            continue;
        /* The room is kept, as a file may do this often; not where few texts lie in much of it. */
        if (m->n * 16 < m->mask) {
            idmap_init(m, p->arena);
            continue;
        }
        for (size_t k = 0; k <= m->mask; k++)
            m->slots[k].value = NO_INDEX;
        m->n = 0;
    }
    s->default_track = 0;
    s->default_clock = 0;
    s->n_clocks = 0;
}

uint32_t perfetto_string(struct perfetto *p, const struct field *f)
{
    return f->kind == 2 ? strings_addn(&p->trace->strings, (const char *)f->bytes, f->value) : 0;
}

/* ---- categories ---- */

static struct pf_category judge(const char *name)
{
    static const struct {
        const char *name;
        enum pf_action action;
        enum region_kind kind;
    } table[] = {
        {"kernel_dispatch", PA_KERNEL, 0},
        {"KERNEL_DISPATCH", PA_KERNEL, 0},
        {"MEMORY_COPY", PA_COPY, 0},
        {"MEMORY_ALLOCATION", PA_ALLOC, 0},
        {"SCRATCH_MEMORY", PA_SCRATCH, 0},
        {"rocm_kernel_dispatch", PA_KERNEL, 0},
        {"kernel", PA_KERNEL, 0},
        {"memory_copy", PA_COPY, 0},
        {"rocm_memory_copy", PA_COPY, 0},
        {"gpu_memcpy", PA_COPY, 0},
        {"memory_set", PA_SET, 0},
        {"gpu_memset", PA_SET, 0},
        {"memory_allocation", PA_ALLOC, 0},
        {"rocm_memory_allocate", PA_ALLOC, 0},
        {"scratch_memory", PA_SCRATCH, 0},
        {"rocm_scratch_memory", PA_SCRATCH, 0},
        {"device", PA_DEVICE, 0},
        {"sample", PA_SAMPLE, 0},
        {"timer_sampling", PA_SAMPLE, 0},
        {"overflow_sampling", PA_SAMPLE, 0},
        {"pc_sampling", PA_PC_SAMPLE, 0},
        {"marker_api", PA_MARKER, 0},
        {"rocm_marker_api", PA_MARKER, 0},
        {"user_annotation", PA_MARKER, 0},
        {"cpu_op", PA_MARKER, 0},
        {"hip_api", PA_REGION, REGION_HIP},
        {"cuda_api", PA_REGION, REGION_HIP},
        {"cuda_runtime", PA_REGION, REGION_HIP},
        {"hip_compiler_api", PA_REGION, REGION_HIP_COMPILER},
        {"hsa_api", PA_REGION, REGION_HSA},
        {"cuda_driver_api", PA_REGION, REGION_HSA},
        {"cuda_driver", PA_REGION, REGION_HSA},
        {"rccl_api", PA_REGION, REGION_COLLECTIVE},
        {"rocdecode_api", PA_REGION, REGION_MEDIA},
        {"rocjpeg_api", PA_REGION, REGION_MEDIA},
        {"openmp", PA_REGION, REGION_OPENMP},
        {"os_api", PA_REGION, REGION_OS},
        {"kfd_events", PA_REGION, REGION_DRIVER},
        {"none", PA_REGION, REGION_OTHER},
        {"other", PA_REGION, REGION_OTHER},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (str_eq(name, table[i].name))
            return (struct pf_category){0, table[i].action, table[i].kind, 0};
    struct category_info known = category_of(name);
    if (known.category == CATEGORY_MARKER)
        return (struct pf_category){0, PA_MARKER, REGION_OTHER, 0};
    /* Of a tool we do not know: functions of the program. */
    return (struct pf_category){0, PA_REGION,
                                known.category == CATEGORY_UNKNOWN ? REGION_USER : known.kind, 0};
}

uint32_t perfetto_category(struct perfetto *p, uint32_t name)
{
    uint32_t at = idmap_get(&p->category_of, name);
    if (at != NO_INDEX)
        return at;
    struct pf_category c = judge(trace_str(p->trace, name));
    c.name = name;
    at = (uint32_t)p->categories.n;
    vec_push(&p->categories, p->arena, c);
    idmap_put(&p->category_of, name, at);
    return at;
}

/* ---- interned texts ---- */

/* 1 + enum pf_key for those that mean something, else PK_OTHER + 2 + the string. */
uint32_t perfetto_key_of(struct perfetto *p, uint32_t name)
{
    uint32_t key = idmap_get(&p->key_of, name);
    if (key != NO_INDEX)
        return key;
    const char *text = trace_str(p->trace, name);
    key = PK_OTHER + 2 + name;
    for (uint32_t i = 0; i < PK_KEYS; i++)
        if (str_eq(text, keys[i]))
            key = 1 + i;
    idmap_put(&p->key_of, name, key);
    return key;
}

/* {iid = 1, name or str = 2} */
static void read_entry(struct perfetto *p, struct idmap *to, const struct field *f, bool is_key,
                       bool is_category)
{
    struct wire w = wire_in(f);
    uint64_t iid = 0;
    uint32_t text = 0;
    for (struct field e; wire_next(&w, &e);) {
        if (e.number == 1)
            iid = e.value;
        else if (e.number == 2)
            text = perfetto_string(p, &e);
    }
    if (iid)
        idmap_put(to, iid,
                  is_key        ? perfetto_key_of(p, text)
                  : is_category ? perfetto_category(p, text)
                                : text);
}

void perfetto_interned(struct perfetto *p, struct pf_sequence *s, struct wire w)
{
    for (struct field f; wire_next(&w, &f);) {
        switch (f.number) {
        case 1:
            read_entry(p, &s->categories, &f, false, true);
            break;
        case 2:
            read_entry(p, &s->names, &f, false, false);
            break;
        case 3:
            read_entry(p, &s->note_names, &f, true, false);
            break;
        case 24:
            read_entry(p, &s->specs, &f, false, false);
            break;
        case 29:
            read_entry(p, &s->note_texts, &f, false, false);
            break;
        default:
            break;
        }
    }
    p->damaged += !w.ok;
}

void perfetto_defaults(struct pf_sequence *s, struct wire w)
{
    for (struct field f; wire_next(&w, &f);) {
        if (f.number == 58)
            s->default_clock = (uint32_t)f.value;
        if (f.number != 11)
            continue;
        struct wire in = wire_in(&f);
        for (struct field e; wire_next(&in, &e);)
            if (e.number == 11)
                s->default_track = e.value;
    }
}

/* ---- clocks ---- */

enum { CLOCK_REALTIME_ = 1, CLOCK_BOOTTIME_ = 6, CLOCK_OWN = 64 };

struct reading {
    uint64_t id, ts, unit;
    bool incremental;
};

static void set_own(struct pf_sequence *s, const struct reading *r, int64_t boot)
{
    int i = 0;
    while (i < s->n_clocks && s->clock[i].id != r->id)
        i++;
    if (i == (int)ARRAY_LEN(s->clock))
        return;
    s->n_clocks = i == s->n_clocks ? i + 1 : s->n_clocks;
    int64_t unit = r->unit && r->unit < 1000000000 ? (int64_t)r->unit : 1;
    int64_t value = (int64_t)(r->ts * (uint64_t)unit);
    s->clock[i].id = (uint32_t)r->id;
    s->clock[i].incremental = r->incremental;
    s->clock[i].unit = unit;
    s->clock[i].value = value;
    s->clock[i].offset = (int64_t)((uint64_t)boot - (uint64_t)value);
}

/* The same moment on several clocks. */
void perfetto_clocks(struct perfetto *p, struct pf_sequence *s, struct wire w)
{
    struct reading all[16];
    int n = 0;
    int64_t boot = 0;
    bool has_boot = false;
    for (struct field f; wire_next(&w, &f);) {
        struct wire in = wire_in(&f);
        struct reading r = {0};
        if (f.number != 1 || n == (int)ARRAY_LEN(all))
            continue;
        for (struct field e; wire_next(&in, &e);) {
            if (e.number == 1)
                r.id = e.value;
            else if (e.number == 2)
                r.ts = e.value;
            else if (e.number == 3)
                r.incremental = e.value;
            else if (e.number == 4)
                r.unit = e.value;
        }
        if (r.id == CLOCK_BOOTTIME_) {
            boot = (int64_t)r.ts;
            has_boot = true;
        }
        all[n++] = r;
    }
    for (int i = 0; i < n; i++) {
        if (all[i].id >= CLOCK_OWN)
            set_own(s, &all[i], has_boot ? boot : (int64_t)all[i].ts);
        else if (has_boot && all[i].id < ARRAY_LEN(p->clock_offset))
            p->clock_offset[all[i].id] = (int64_t)((uint64_t)boot - all[i].ts);
        if (has_boot && all[i].id == CLOCK_REALTIME_ && !p->realtime_ns)
            p->realtime_ns = (int64_t)(all[i].ts - (uint64_t)boot);
    }
}

bool perfetto_time(struct perfetto *p, struct pf_sequence *s, uint64_t ts, uint64_t clock,
                   int64_t *ns)
{
    if (!clock)
        clock = s->default_clock ? s->default_clock : CLOCK_BOOTTIME_;
    if (clock < CLOCK_OWN) {
        *ns = (int64_t)ts;
        if (clock != CLOCK_BOOTTIME_ && clock < ARRAY_LEN(p->clock_offset))
            *ns = (int64_t)(ts + (uint64_t)p->clock_offset[clock]);
        return true;
    }
    for (int i = 0; i < s->n_clocks; i++) {
        if (s->clock[i].id != clock)
            continue;
        uint64_t v = ts * (uint64_t)s->clock[i].unit;
        if (s->clock[i].incremental)
            v += (uint64_t)s->clock[i].value;
        s->clock[i].value = (int64_t)v;
        *ns = (int64_t)(v + (uint64_t)s->clock[i].offset);
        return true;
    }
    return false;
}
