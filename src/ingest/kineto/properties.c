/* deviceProperties and distributedInfo; and the GPUs they and the events speak of. */
#include <stdlib.h>

#include "ingest/kineto/kineto.h"
#include "model/hardware.h"

static uint32_t small(int64_t v)
{
    return v < 0 || v > UINT32_MAX ? 0 : (uint32_t)v;
}

/* ---- reading ---- */

static uint32_t arch_name(struct kineto *k)
{
    size_t n;
    const char *s = jr_str(k->json, &n);
    return s ? strings_addn(&k->trace->strings, s, strcspn(s, ":")) : 0; /* without its features */
}

static void read_property(struct kineto *k, struct k_properties *p)
{
    struct jread *j = k->json;
    struct gpu *g = &p->gpu;
    if (jr_is(j, "id")) {
        p->id = jr_int(j, 0);
    } else if (jr_is(j, "name")) {
        kineto_text(k, &k->label);
        g->name = strings_addn(&k->trace->strings, k->label.buf, k->label.len);
    } else if (jr_is(j, "gcnArchName")) {
        g->arch = arch_name(k);
    } else if (jr_is(j, "totalGlobalMem")) {
        g->memory_bytes = jr_uint(j, 0);
    } else if (jr_is(j, "computeMajor")) {
        p->major = jr_int(j, 0);
    } else if (jr_is(j, "computeMinor")) {
        p->minor = jr_int(j, 0);
    } else if (jr_is(j, "numSms")) {
        g->cu_count = small(jr_int(j, 0));
    } else if (jr_is(j, "warpSize")) {
        g->wave_size = small(jr_int(j, 0));
    } else if (jr_is(j, "maxThreadsPerMultiprocessor")) {
        p->threads_per_cu = jr_int(j, 0);
    } else if (jr_is(j, "sharedMemPerMultiprocessor") ||
               jr_is(j, "maxSharedMemoryPerMultiProcessor")) {
        g->lds_bytes_per_cu = small(jr_int(j, 0));
    } else {
        jr_skip(j);
    }
}

void kineto_properties(struct kineto *k)
{
    struct jread *j = k->json;
    if (!jr_array(j))
        return;
    while (jr_item(j)) {
        struct k_properties p = {.id = (int64_t)k->properties.n};
        if (!jr_object(j))
            continue;
        while (jr_key(j))
            read_property(k, &p);
        if (k->properties.n < K_DEVICES_MAX)
            vec_push(&k->properties, k->arena, p);
    }
}

void kineto_distributed(struct kineto *k)
{
    struct jread *j = k->json;
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "rank"))
            k->rank = jr_int(j, -1);
        else
            jr_skip(j);
    }
}

/* ---- making GPUs ---- */

static enum vendor vendor_of(const struct kineto *k, const char *product)
{
    static const struct {
        const char *word;
        enum vendor vendor;
    } table[] = {{"AMD", VENDOR_AMD},       {"Instinct", VENDOR_AMD}, {"Radeon", VENDOR_AMD},
                 {"NVIDIA", VENDOR_NVIDIA}, {"Tesla", VENDOR_NVIDIA}, {"GeForce", VENDOR_NVIDIA},
                 {"Quadro", VENDOR_NVIDIA}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (str_has_fold(product, table[i].word))
            return table[i].vendor;
    return k->vendor;
}

/* Where no property names a vendor, the first call does. */
static enum vendor vendor_of_calls(const struct kineto *k)
{
    const struct regions *g = &k->trace->regions;
    for (size_t i = k->first.regions; i < g->n; i++) {
        const char *name = g->kind[i] == REGION_HIP ? trace_str(k->trace, g->name[i]) : "";
        if (str_starts(name, "hip") || str_starts(name, "cu"))
            return *name == 'h' ? VENDOR_AMD : VENDOR_NVIDIA;
    }
    return VENDOR_UNKNOWN;
}

/* What the properties imply. A compute unit has four SIMDs, except AMD's of 32 lanes. */
static void complete(struct kineto *k, const struct k_properties *p, struct gpu *g)
{
    struct strings *s = &k->trace->strings;
    const char *product = trace_str(k->trace, g->name);
    g->vendor = vendor_of(k, product);
    if (!g->arch && g->vendor == VENDOR_NVIDIA && p->major > 0)
        g->arch = strings_add(
            s, arena_printf(k->arena, "sm_%lld%lld", (long long)p->major, (long long)p->minor));
    if (!g->arch && *product) {
        const struct hardware *hw = hardware_find(NULL, product, (int)(g->cu_count & INT32_MAX));
        g->arch = hw ? strings_add(s, hw->arch) : 0;
    }
    if (p->threads_per_cu > 0 && g->wave_size &&
        (g->vendor == VENDOR_NVIDIA || g->wave_size == 64)) {
        g->simd_per_cu = 4;
        g->max_waves_per_simd = small(p->threads_per_cu / 4 / g->wave_size);
    }
}

static int by_id(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static const struct k_properties *properties_with(const struct kineto *k, int64_t id)
{
    for (size_t i = 0; i < k->properties.n; i++)
        if (k->properties.v[i].id == id)
            return &k->properties.v[i];
    return NULL;
}

/* True when events and properties number devices alike. */
static bool numbered_alike(const struct kineto *k)
{
    for (size_t i = 0; i < k->device_ids.n; i++)
        if (!properties_with(k, k->device_ids.v[i]))
            return false;
    return true;
}

static void make_gpu(struct kineto *k, int64_t id, const struct k_properties *p, bool used)
{
    static const struct k_properties none;
    struct gpu g = p ? p->gpu : none.gpu;
    int64_t index = p ? p->id : id;
    g.node_id = id < 0 || id > INT32_MAX ? -1 : (int32_t)id;
    g.index = index < 0 || index > INT32_MAX ? -1 : (int32_t)index;
    g.location = k->file; /* the file does not say: devices of different files are different */
    complete(k, p ? p : &none, &g);
    uint32_t gpu = trace_gpu(k->trace, &g);
    k->trace->gpus.v[gpu].used |= used;
    if (kineto_gpu(k, id) == NO_INDEX)
        idmap_put(&k->gpu_of, (uint64_t)id, gpu);
}

/*
 * On AMD, events may number devices with the CPUs of the node counted in, properties never do. Then
 * the n-th device of the events is described by the n-th properties: right where the process used
 * all it could see, as ranks do, and always right about the kind of device.
 */
bool kineto_make_gpus(struct kineto *k, struct gs_error *err)
{
    if (k->device_ids.n > K_DEVICES_MAX)
        return fail(err, GS_E_FORMAT, "more than %d devices", K_DEVICES_MAX);
    k->alike = numbered_alike(k);
    if (k->vendor == VENDOR_UNKNOWN)
        k->vendor = vendor_of_calls(k);
    if (k->device_ids.n)
        qsort(k->device_ids.v, k->device_ids.n, sizeof(int64_t), by_id);
    for (size_t i = 0; i < k->device_ids.n; i++) {
        const struct k_properties *p = properties_with(k, k->device_ids.v[i]);
        if (!k->alike)
            p = i < k->properties.n ? &k->properties.v[i] : NULL;
        make_gpu(k, k->device_ids.v[i], p, true);
    }
    for (size_t i = 0; k->alike && i < k->properties.n; i++)
        if (kineto_gpu(k, k->properties.v[i].id) == NO_INDEX)
            make_gpu(k, k->properties.v[i].id, &k->properties.v[i], false);
    return true;
}

uint32_t kineto_gpu(const struct kineto *k, int64_t device)
{
    return idmap_get(&k->gpu_of, (uint64_t)device);
}

uint32_t kineto_gpu_of_ordinal(const struct kineto *k, int64_t ordinal)
{
    if (k->alike && k->properties.n)
        return kineto_gpu(k, ordinal);
    if (ordinal >= 0 && (uint64_t)ordinal < k->device_ids.n)
        return kineto_gpu(k, k->device_ids.v[ordinal]);
    return NO_INDEX;
}
