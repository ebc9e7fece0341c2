/* One plane: its tables, its lines, their events. */
#include <string.h>

#include "ingest/xplane/xplane.h"

enum { /* fields of messages, by their numbers */
       PLANE_NAME = 2,
       PLANE_LINE = 3,
       PLANE_KINDS = 4,
       PLANE_STATS = 5,
       PLANE_VALUE = 6,
       ENTRY_KEY = 1,
       ENTRY_VALUE = 2,
       KIND_NAME = 2,
       KIND_SHORT = 4,
       KIND_VALUE = 5,
       LINE_ID = 1,
       LINE_NAME = 2,
       LINE_START_NS = 3,
       LINE_EVENT = 4,
       LINE_SHOWN_ID = 10,
       EVENT_KIND = 1,
       EVENT_OFFSET_PS = 2,
       EVENT_LENGTH_PS = 3,
       EVENT_VALUE = 4,
       STAT_KIND = 1,
       STAT_DOUBLE = 2,
       STAT_UNSIGNED = 3,
       STAT_SIGNED = 4,
       STAT_TEXT = 5,
       STAT_BYTES = 6,
       STAT_REFERENCE = 7
};

/* Moments behind this one are of a calendar: 1973. */
#define ABSOLUTE_NS (INT64_C(100) * 1000 * 1000 * 1000 * 1000 * 1000)

static const struct x_text no_text = {(const uint8_t *)"", 0};

static struct x_text text_of(const struct field *f)
{
    return f->kind == 2 ? (struct x_text){f->bytes, f->value} : no_text;
}

static bool is_text(struct x_text t, const char *s)
{
    return t.n == strlen(s) && !memcmp(t.p, s, t.n);
}

/* ---- tables ---- */

static enum x_stat what_of(struct x_text name)
{
    static const struct {
        const char *name;
        enum x_stat what;
    } table[] = {{"correlation_id", X_CORRELATION}, {"kernel_details", X_DETAILS},
                 {"memcpy_details", X_DETAILS},     {"Memset_details", X_DETAILS},
                 {"memset_details", X_DETAILS},     {"step_num", X_STEP},
                 {"cuda_graph_id", X_GRAPH},        {"gpu_device_name", X_DEVICE_NAME},
                 {"core_count", X_CORES},           {"memory_size", X_MEMORY},
                 {"compute_cap_major", X_MAJOR},    {"compute_cap_minor", X_MINOR},
                 {"process_id", X_PROCESS},         {"profile_start_time", X_START}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (is_text(name, table[i].name))
            return table[i].what;
    return X_OTHER;
}

/* An entry of a map: {1 key, 2 value}. */
static bool read_entry(struct wire w, uint64_t *key, struct wire *value)
{
    bool found = false;
    *key = 0;
    for (struct field f; wire_next(&w, &f);) {
        if (f.number == ENTRY_KEY)
            *key = f.value;
        else if (f.number == ENTRY_VALUE) {
            *value = wire_in(&f);
            found = value->ok;
        }
    }
    return found && w.ok;
}

static void add_kind(struct xplane *x, uint64_t key, struct wire w)
{
    struct x_kind made = {.name = no_text, .stats = w};
    struct x_text brief = no_text;
    for (struct field f; wire_next(&w, &f);) {
        if (f.number == KIND_NAME)
            made.name = text_of(&f);
        else if (f.number == KIND_SHORT)
            brief = text_of(&f);
    }
    if (brief.n)
        made.name = brief;
    idmap_put(&x->kind_of, key, (uint32_t)x->kinds.n);
    vec_push(&x->kinds, x->arena, made);
}

static void add_stat(struct xplane *x, uint64_t key, struct wire w)
{
    struct x_known made = {.name = no_text};
    for (struct field f; wire_next(&w, &f);)
        if (f.number == KIND_NAME)
            made.name = text_of(&f);
    made.what = what_of(made.name);
    idmap_put(&x->stat_of, key, (uint32_t)x->stats.n);
    vec_push(&x->stats, x->arena, made);
}

static void read_tables(struct xplane *x, struct wire w)
{
    idmap_init(&x->kind_of, x->arena);
    idmap_init(&x->stat_of, x->arena);
    x->kinds.n = x->kinds.cap = x->stats.n = x->stats.cap = 0;
    x->kinds.v = NULL;
    x->stats.v = NULL;
    x->name = no_text;
    for (struct field f; wire_next(&w, &f);) {
        uint64_t key;
        struct wire value;
        if (f.number == PLANE_NAME)
            x->name = text_of(&f);
        else if ((f.number == PLANE_KINDS || f.number == PLANE_STATS) &&
                 read_entry(wire_in(&f), &key, &value))
            (f.number == PLANE_KINDS ? add_kind : add_stat)(x, key, value);
    }
    x->damaged += !w.ok;
}

/* ---- values ---- */

static struct x_value read_value(const struct xplane *x, struct wire w)
{
    struct x_value v = {.what = X_OTHER, .number = K_NONE, .text = no_text};
    for (struct field f; wire_next(&w, &f);) {
        uint32_t known = f.number == STAT_KIND || f.number == STAT_REFERENCE
                             ? idmap_get(&x->stat_of, f.value)
                             : NO_INDEX;
        if (f.number == STAT_KIND)
            v.what = known == NO_INDEX ? X_OTHER : x->stats.v[known].what;
        else if (f.number == STAT_REFERENCE && known != NO_INDEX)
            v.text = x->stats.v[known].name;
        else if (f.number == STAT_UNSIGNED || f.number == STAT_SIGNED)
            v.number = (int64_t)f.value;
        else if (f.number == STAT_TEXT || f.number == STAT_BYTES)
            v.text = text_of(&f);
    }
    return v;
}

void xplane_facts(struct xplane *x, struct wire w, int64_t *process, int64_t *start_ns)
{
    read_tables(x, w);
    for (struct field f; wire_next(&w, &f);) {
        if (f.number != PLANE_VALUE)
            continue;
        struct x_value v = read_value(x, wire_in(&f));
        int64_t *to = v.what == X_PROCESS ? process : v.what == X_START ? start_ns : NULL;
        if (to && !*to && v.number > 0)
            *to = v.number;
    }
}

/* Writers put some words there; by reference, a text may be that of every event. */
enum { DETAILS_MOST = TRACE_PHRASE_MAX };

static void take_details(struct xplane *x, struct k_event *e, const struct x_details *all)
{
    struct kineto *k = x->k;
    for (size_t i = 0; i < all->n; i++) {
        str_clear(&k->label);
        str_put(&k->label, (const char *)all->v[i].p, all->v[i].n);
        xla_details(k, e, k->label.buf);
    }
}

static void take(struct k_event *e, const struct x_value *v, struct x_details *details)
{
    if (v->what == X_CORRELATION)
        e->correlation = v->number;
    else if (v->what == X_STEP)
        e->step = v->number;
    else if (v->what == X_GRAPH)
        e->graph = (uint32_t)(uint64_t)v->number;
    else if (v->what == X_DETAILS && v->text.n && v->text.n <= DETAILS_MOST &&
             details->n < ARRAY_LEN(details->v))
        details->v[details->n++] = v->text;
}

static void take_all(struct xplane *x, struct k_event *e, struct wire w, uint32_t number,
                     struct x_details *details)
{
    for (struct field f; wire_next(&w, &f);)
        if (f.number == number) {
            struct x_value v = read_value(x, wire_in(&f));
            take(e, &v, details);
        }
}

static const struct x_common *common_of(struct xplane *x, struct x_kind *kind)
{
    if (!kind->common) {
        struct x_common *made = kind->common = arena_new(x->arena, struct x_common);
        made->values = kineto_none();
        take_all(x, &made->values, kind->stats, KIND_VALUE, &made->details);
        made->values.name =
            strings_addn(&x->k->trace->strings, (const char *)kind->name.p, kind->name.n);
    }
    return kind->common;
}

/* ---- lines ---- */

static void put_label(struct xplane *x, int64_t tid, struct x_text label)
{
    struct kineto *k = x->k;
    struct k_event e = kineto_none();
    kineto_clear(k);
    e.phase = 'M';
    e.pid = x->pid;
    e.tid = tid;
    str_puts(&k->name, tid == K_NONE ? "process_name" : "thread_name");
    str_put(&k->label, (const char *)label.p, label.n);
    kineto_take(k, &e);
}

static void read_event(struct xplane *x, struct wire w, int64_t start_ns, int64_t tid)
{
    struct kineto *k = x->k;
    struct wire again = w;
    uint64_t kind = 0, offset = 0, length = 0;
    for (struct field f; wire_next(&w, &f);) {
        if (f.number == EVENT_KIND)
            kind = f.value;
        else if (f.number == EVENT_OFFSET_PS)
            offset = f.value;
        else if (f.number == EVENT_LENGTH_PS)
            length = f.value;
    }
    uint32_t known = idmap_get(&x->kind_of, kind);
    x->damaged += !w.ok;
    if (!w.ok || known == NO_INDEX) {
        x->nameless += w.ok;
        return;
    }
    const struct x_common *of = common_of(x, &x->kinds.v[known]);
    struct k_event e = of->values;
    struct x_details details = of->details;
    kineto_clear(k);
    e.phase = 'X';
    e.pid = x->pid;
    e.tid = tid;
    e.dur_ns = (int64_t)(length / 1000);
    if (__builtin_add_overflow(start_ns, (int64_t)(offset / 1000), &e.ts_ns))
        e.ts_ns = K_NONE;
    take_all(x, &e, again, EVENT_VALUE, &details);
    take_details(x, &e, &details);
    kineto_take(k, &e);
}

static void read_line(struct xplane *x, struct wire w)
{
    struct wire again = w;
    int64_t start_ns = 0, id = 0, shown = 0;
    struct x_text name = no_text;
    for (struct field f; wire_next(&w, &f);) {
        if (f.number == LINE_ID)
            id = (int64_t)f.value;
        else if (f.number == LINE_SHOWN_ID)
            shown = (int64_t)f.value;
        else if (f.number == LINE_START_NS)
            start_ns = (int64_t)f.value;
        else if (f.number == LINE_NAME)
            name = text_of(&f);
    }
    x->damaged += !w.ok;
    if (start_ns > ABSOLUTE_NS) /* else since the start, as base_ns has it */
        start_ns -= x->k->base_ns;
    id = shown ? shown : id;
    if (id <= K_TEXT + (int64_t)UINT32_MAX) /* those stand for texts */
        id += (int64_t)1 << 40;
    if (name.n)
        put_label(x, id, name);
    for (struct field f; wire_next(&again, &f);)
        if (f.number == LINE_EVENT)
            read_event(x, wire_in(&f), start_ns, id);
}

/* A GPU, as its plane describes it. */
static void read_device(struct xplane *x, struct wire w, int64_t device)
{
    struct kineto *k = x->k;
    struct k_properties p = {.id = device};
    for (struct field f; wire_next(&w, &f);) {
        if (f.number != PLANE_VALUE)
            continue;
        struct x_value v = read_value(x, wire_in(&f));
        bool count = v.number > 0 && v.number <= UINT32_MAX;
        if (v.what == X_DEVICE_NAME)
            p.gpu.name = strings_addn(&k->trace->strings, (const char *)v.text.p, v.text.n);
        else if (v.what == X_CORES && count)
            p.gpu.cu_count = (uint32_t)v.number;
        else if (v.what == X_MEMORY && v.number > 0)
            p.gpu.memory_bytes = (uint64_t)v.number;
        else if (v.what == X_MAJOR && count)
            p.major = v.number;
        else if (v.what == X_MINOR && v.number >= 0)
            p.minor = v.number;
    }
    if (k->properties.n < K_DEVICES_MAX)
        vec_push(&k->properties, k->arena, p);
}

void xplane_read(struct xplane *x, struct wire w, size_t n, int64_t process)
{
    int64_t device;
    read_tables(x, w);
    const char *name = arena_strndup(x->arena, (const char *)x->name.p, x->name.n);
    bool known = xla_plane(name, &device);
    /* GPUs are no processes: theirs are numbers that no process has. */
    x->pid = device == K_NONE && process > 0 ? process : INT64_MAX - (int64_t)n;
    if (known)
        put_label(x, K_NONE, x->name);
    if (device != K_NONE)
        read_device(x, w, device);
    for (struct field f; known && wire_next(&w, &f);)
        if (f.number == PLANE_LINE)
            read_line(x, wire_in(&f));
}
