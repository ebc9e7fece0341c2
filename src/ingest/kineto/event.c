/* One event: an object with a phase, a time, and a place where it happened. */
#include "base/hash.h"
#include "ingest/kineto/kineto.h"

/* A process or thread: a number, a number in quotes, or a name. */
static int64_t identity(struct kineto *k)
{
    struct jread *j = k->json;
    if (jr_type(j) != J_STRING)
        return jr_int(j, 0);
    size_t n;
    const char *s = jr_str(j, &n);
    int64_t v = 0;
    bool number = s && n && n < 18;
    for (size_t i = 0; number && i < n; i++) {
        number = s[i] >= '0' && s[i] <= '9';
        v = v * 10 + (s[i] - '0');
    }
    if (number || !s)
        return v;
    return K_TEXT + strings_addn(&k->trace->strings, s, n);
}

static int64_t async_id(struct jread *j)
{
    if (jr_type(j) != J_STRING)
        return jr_int(j, 0);
    size_t n;
    const char *s = jr_str(j, &n);
    return s ? (int64_t)hash_fixed_bytes(s, n) : 0;
}

static char phase_of(struct jread *j)
{
    size_t n;
    const char *s = jr_str(j, &n);
    return s && n == 1 ? *s : 0;
}

static uint32_t category_of(struct kineto *k)
{
    size_t n;
    const char *s = jr_str(k->json, &n);
    return s ? kineto_category(k, s, n) : NO_INDEX;
}

static void read_key(struct kineto *k, struct k_event *e)
{
    struct jread *j = k->json;
    if (jr_is(j, "ph"))
        e->phase = phase_of(j);
    else if (jr_is(j, "cat"))
        e->category = category_of(k);
    else if (jr_is(j, "name"))
        kineto_text(k, &k->name);
    else if (jr_is(j, "pid"))
        e->pid = identity(k);
    else if (jr_is(j, "tid"))
        e->tid = identity(k);
    else if (jr_is(j, "ts"))
        e->ts_ns = jr_fixed(j, 3, K_NONE);
    else if (jr_is(j, "dur"))
        e->dur_ns = jr_fixed(j, 3, K_NONE);
    else if (jr_is(j, "args"))
        kineto_args(k, e);
    else if (jr_is(j, "id"))
        e->id = async_id(j);
    else
        jr_skip(j);
}

/* Phases that are records of something: X, begin and end, instants, names. The rest is drawing. */
static bool is_kept(char phase)
{
    return phase && strchr("XBEbeSFiIRn", phase);
}

/* An arrow from an operator to its part in the backward pass: which thread hands over to which. */
static void note_arrow(struct kineto *k, const struct k_event *e)
{
    uint32_t thread = kineto_thread(k, e->pid, e->tid);
    uint32_t other = idmap_get(&k->arrows, (uint64_t)e->id);
    if (other == NO_INDEX) {
        idmap_put(&k->arrows, (uint64_t)e->id, thread);
        return;
    }
    uint32_t from = e->phase == 's' ? thread : other, to = e->phase == 's' ? other : thread;
    if (from != to)
        k->trace->threads.v[to].gets_from = from + 1;
}

static bool is_arrow(const struct kineto *k, const struct k_event *e)
{
    return (e->phase == 's' || e->phase == 'f') && e->category != NO_INDEX &&
           str_eq(trace_str(k->trace, k->categories.v[e->category].name), "fwdbwd");
}

void kineto_take(struct kineto *k, struct k_event *e)
{
    if (e->phase == 'M') {
        kineto_label(k, e);
        return;
    }
    if (is_arrow(k, e))
        note_arrow(k, e);
    k->no_phase += !e->phase;
    if (!is_kept(e->phase))
        return;
    if (e->ts_ns == K_NONE) {
        k->no_time++;
        return;
    }
    if (e->category != NO_INDEX)
        k->categories.v[e->category].count++;
    if (!e->name) /* else the reader knows it */
        e->name = strings_addn(&k->trace->strings, k->name.buf, k->name.len);
    if (e->phase == 'X')
        kineto_place(k, e);
    else if (strchr("BEbeSF", e->phase))
        kineto_half(k, e);
    else
        kineto_instant(k, e);
}

struct k_event kineto_none(void)
{
    return (struct k_event){
        .ts_ns = K_NONE,
        .dur_ns = K_NONE,
        .external = K_NONE,
        .correlation = K_NONE,
        .python = K_NONE,
        .device = K_NONE,
        .stream = K_NONE,
        .bytes = K_NONE,
        .address = K_NONE,
        .memory_device = K_NONE,
        .memory_type = K_NONE,
        .from_device = K_NONE,
        .to_device = K_NONE,
        .in_elements = K_NONE,
        .out_elements = K_NONE,
        .group_size = K_NONE,
        .wait_stream = K_NONE,
        .wait_record = K_NONE,
        .step = K_NONE,
        .begin_ns = K_NONE,
        .end_ns = K_NONE,
        .own_pid = K_NONE,
        .category = NO_INDEX,
    };
}

void kineto_clear(struct kineto *k)
{
    struct str *texts[] = {&k->name, &k->copy_kind, &k->collective, &k->data_type, &k->label};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        if (texts[i]->len)
            str_clear(texts[i]);
}

void kineto_event(struct kineto *k)
{
    struct k_event e = kineto_none();
    kineto_clear(k);
    if (!jr_object(k->json)) {
        k->no_phase++;
        return;
    }
    bool any = false; /* lists may end with an empty object, where a comma stood */
    for (; jr_key(k->json); any = true)
        read_key(k, &e);
    if (any && !jr_failed(k->json))
        kineto_take(k, &e);
}
