/* Track events: slices, instants, counters; descriptions of tracks; render stages. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "ingest/perfetto/perfetto.h"
#include "ingest/rocpd/rocpd.h"

/* ---- tracks ---- */

uint32_t perfetto_track_of(struct perfetto *p, uint64_t uuid)
{
    uint32_t at = idmap_get(&p->track_of, uuid);
    if (at != NO_INDEX)
        return at;
    if (p->tracks.n >= PF_TRACKS_MOST)
        return NO_INDEX;
    at = (uint32_t)p->tracks.n;
    struct pf_track t = {.uuid = uuid,
                         .pid = PF_NONE,
                         .tid = PF_NONE,
                         .process = NO_INDEX,
                         .thread = NO_INDEX,
                         .series = NO_INDEX};
    vec_push(&p->tracks, p->arena, t);
    idmap_put(&p->track_of, uuid, at);
    return at;
}

static const char *after(const char *text, const char *prefix)
{
    return str_starts(text, prefix) ? text + strlen(prefix) : NULL;
}

static void read_label(struct perfetto *p, struct pf_process *to, const struct field *f)
{
    const char *text = trace_str(p->trace, perfetto_string(p, f)), *v;
    if ((v = after(text, "host=")))
        to->host = strings_add(&p->trace->strings, v);
    else if ((v = after(text, "pid=")))
        to->true_pid = strtoll(v, NULL, 10);
    else if ((v = after(text, "ppid=")))
        to->ppid = strtoll(v, NULL, 10);
    else if ((v = after(text, "rank=")) && *v >= '0' && *v <= '9' && strlen(v) < 9)
        to->rank = (int32_t)strtol(v, NULL, 10);
}

static void read_process(struct perfetto *p, struct pf_track *t, const struct field *f)
{
    struct wire w = wire_in(f);
    struct pf_process made = {.rank = -1, .track = t->uuid, .true_pid = PF_NONE};
    for (struct field e; wire_next(&w, &e);) {
        if (e.number == 1)
            made.pid = (int64_t)(int32_t)e.value;
        else if (e.number == 2 && !made.command)
            made.command = perfetto_string(p, &e);
        else if (e.number == 6)
            made.name = perfetto_string(p, &e);
        else if (e.number == 7)
            made.start_ns = (int64_t)e.value;
        else if (e.number == 8)
            read_label(p, &made, &e);
    }
    t->is_process = true;
    t->pid = made.pid;
    if (idmap_get(&p->process_of, (uint64_t)made.pid) != NO_INDEX)
        return;
    idmap_put(&p->process_of, (uint64_t)made.pid, (uint32_t)p->processes.n);
    vec_push(&p->processes, p->arena, made);
}

void perfetto_track(struct perfetto *p, struct wire w)
{
    struct pf_track t = {.pid = PF_NONE, .tid = PF_NONE};
    struct field process = {0};
    for (struct field f; wire_next(&w, &f);) {
        struct wire in = wire_in(&f);
        if (f.number == 1) {
            t.uuid = f.value;
        } else if (f.number == 2) {
            t.name = perfetto_string(p, &f);
        } else if (f.number == 3) {
            process = f;
        } else if (f.number == 4) {
            for (struct field e; wire_next(&in, &e);) {
                if (e.number == 1)
                    t.pid = (int64_t)(int32_t)e.value;
                else if (e.number == 2)
                    t.tid = (int64_t)e.value;
                else if (e.number == 5)
                    t.thread_name = perfetto_string(p, &e);
            }
        } else if (f.number == 5) {
            t.parent = f.value;
        } else if (f.number == 8) {
            t.is_counter = true;
            for (struct field e; wire_next(&in, &e);)
                if (e.number == 6)
                    t.units = perfetto_string(p, &e);
        }
    }
    p->damaged += !w.ok;
    uint32_t at = perfetto_track_of(p, t.uuid);
    if (at == NO_INDEX || p->tracks.v[at].described)
        return;
    struct pf_track *to = &p->tracks.v[at];
    to->described = true;
    to->parent = t.parent;
    to->name = t.name;
    to->is_derived = perfetto_is_derived(trace_str(p->trace, t.name));
    to->pid = t.pid;
    to->tid = t.tid;
    to->thread_name = t.thread_name;
    to->units = t.units;
    to->is_counter = t.is_counter;
    if (process.kind == 2)
        read_process(p, to, &process);
}

/* ---- annotations ---- */

static void read_note(struct perfetto *p, struct pf_sequence *s, const struct field *f,
                      struct pf_event *e)
{
    struct wire w = wire_in(f);
    uint32_t key = NO_INDEX, text = 0;
    int64_t number = PF_NONE;
    double value = 0;
    bool real = false;
    for (struct field n; wire_next(&w, &n);) {
        switch (n.number) {
        case 1:
            key = idmap_get(&s->note_names, n.value);
            break;
        case 10:
            key = perfetto_key_of(p, perfetto_string(p, &n));
            break;
        case 2: /* bool, uint, int, pointer */
        case 3:
        case 4:
        case 7:
            number = (int64_t)n.value;
            break;
        case 5:
            real = true;
            value = wire_double(n.value);
            break;
        case 6:
            text = perfetto_string(p, &n);
            break;
        case 17:
            text = idmap_get(&s->note_texts, n.value);
            text = text == NO_INDEX ? 0 : text;
            break;
        default:
            break;
        }
    }
    if (key == NO_INDEX || !key)
        return;
    if (key <= PK_KEYS) {
        e->number[key - 1] = number;
        e->text[key - 1] = text;
    } else if (real) { /* a counter of this kernel */
        struct pf_note note = {key - PK_OTHER - 2, (uint32_t)p->notes.n + 1, value};
        vec_push_alone(&p->notes, p->arena, note);
    }
}

/* "256 (x=256,y=1,z=1)", "x=256,y=1,z=1", or one number. */
static void extents(const char *text, int64_t number, uint32_t *v)
{
    static const char *const axes[] = {"x=", "y=", "z="};
    for (int d = 0; d < 3; d++) {
        const char *at = strstr(text, axes[d]);
        uint64_t n = at ? strtoull(at + 2, NULL, 10) : 1;
        if (!at && !d)
            n = number > 0 ? (uint64_t)number : strtoull(text, NULL, 10);
        v[d] = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
    }
    if (!*text && number == PF_NONE)
        v[0] = v[1] = v[2] = 0;
}

static uint8_t memory_kind(const char *text)
{
    for (uint8_t i = MEMORY_UNKNOWN + 1; i < MEMORY_KINDS; i++)
        if (str_eq(text, memory_kind_name(i)))
            return i;
    return MEMORY_UNKNOWN;
}

/* Numbers that are texts in some writers: "3", "0x7f00". */
static int64_t number_of(const struct perfetto *p, const struct pf_event *e, enum pf_key k)
{
    if (e->number[k] != PF_NONE || !e->text[k])
        return e->number[k];
    const char *text = trace_phrase(p->trace, e->text[k]);
    char *end;
    long long v = strtoll(text, &end, 0);
    return end == text ? PF_NONE : v;
}

static void fill_op(struct perfetto *p, const struct pf_event *e, struct pf_op *o)
{
    const struct trace *t = p->trace;
    o->start_ns = e->ns;
    o->name = e->name;
    o->category = e->category;
    o->correlation = number_of(p, e, PK_CORR);
    if (o->correlation == PF_NONE && e->flow)
        o->correlation = (int64_t)(e->flow & INT64_MAX);
    o->dispatch = number_of(p, e, PK_DISPATCH);
    o->stream = number_of(p, e, PK_STREAM);
    if (o->stream == PF_NONE)
        o->stream = number_of(p, e, PK_STREAM_OLD);
    o->queue = number_of(p, e, PK_QUEUE);
    o->tid = number_of(p, e, PK_TID);
    o->id = number_of(p, e, PK_ID);
    o->kernel_id = number_of(p, e, PK_KERNEL_ID);
    o->gpu =
        pf_gpu_of(e->number[PK_GPU] != PF_NONE ? e->number[PK_GPU] : number_of(p, e, PK_AGENT));
    o->src_gpu = pf_gpu_of(e->number[PK_SRC_GPU]);
    o->dst_gpu = pf_gpu_of(e->number[PK_DST_GPU]);
    int64_t bytes = number_of(p, e, PK_BYTES);
    bytes = bytes == PF_NONE ? number_of(p, e, PK_BYTES_OLD) : bytes;
    bytes = bytes == PF_NONE ? number_of(p, e, PK_SIZE) : bytes;
    o->bytes = bytes == PF_NONE ? BYTES_UNKNOWN : (uint64_t)bytes;
    o->address = e->number[PK_ADDRESS] == PF_NONE ? 0 : (uint64_t)e->number[PK_ADDRESS];
    o->operation = e->text[PK_OPERATION];
    o->domain = e->text[PK_DOMAIN];
    o->rename = e->text[PK_REGION];
    extents(trace_phrase(t, e->text[PK_GRID]), e->number[PK_GRID], o->grid);
    extents(trace_phrase(t, e->text[PK_GROUP]), e->number[PK_GROUP], o->group);
    o->lds = pf_small(e->number[PK_LDS], e->number[PK_LDS_OLD]);
    o->scratch = pf_small(e->number[PK_SCRATCH], e->number[PK_SCRATCH_OLD]);
    o->vgprs = pf_small(e->number[PK_VGPRS], 0);
    o->accum_vgprs = pf_small(e->number[PK_ACCUM_VGPRS], 0);
    o->sgprs = pf_small(e->number[PK_SGPRS], 0);
    o->graph = pf_small(e->number[PK_GRAPH], 0);
    o->src_memory = memory_kind(trace_str(t, e->text[PK_SRC_MEMORY]));
    o->dst_memory = memory_kind(trace_str(t, e->text[PK_DST_MEMORY]));
}

/* ---- what becomes of an event ---- */

static enum pf_action action_of(const struct perfetto *p, uint32_t category)
{
    return category == NO_INDEX ? PA_REGION : p->categories.v[category].action;
}

static void add_region(struct perfetto *p, const struct pf_op *o)
{
    enum region_kind kind =
        o->category == NO_INDEX ? REGION_USER : p->categories.v[o->category].kind;
    size_t row = rv3_add_region(&p->build, o->start_ns, o->end_ns,
                                o->correlation == PF_NONE ? 0 : (uint64_t)o->correlation, o->track);
    p->trace->regions.name[row] = o->name;
    p->trace->regions.kind[row] = (uint8_t)kind;
}

static void add_marker(struct perfetto *p, const struct pf_op *o, bool instant)
{
    struct trace *t = p->trace;
    const char *operation = trace_phrase(t, o->operation);
    trace_room(t, markers, 1);
    size_t row = t->markers.n++;
    t->markers.start_ns[row] = o->start_ns;
    t->markers.end_ns[row] = o->end_ns;
    t->markers.id[row] = o->id == PF_NONE ? 0 : o->id;
    t->markers.name[row] = o->name;
    t->markers.domain[row] = o->domain;
    t->markers.thread[row] = o->track;
    t->markers.kind[row] = (uint8_t)(instant      ? MARKER_INSTANT
                                     : *operation ? rocpd_marker_kind(operation)
                                                  : MARKER_THREAD_RANGE);
    if (t->markers.kind[row] == MARKER_INSTANT && o->start_ns != o->end_ns)
        t->markers.kind[row] = MARKER_THREAD_RANGE;
}

static void add_sample(struct perfetto *p, const struct pf_op *o)
{
    struct trace *t = p->trace;
    trace_room(t, samples, 1);
    size_t row = t->samples.n++;
    t->samples.time_ns[row] = o->start_ns;
    t->samples.name[row] = o->name;
    t->samples.thread[row] = o->track;
}

static void take(struct perfetto *p, const struct pf_op *o, bool instant)
{
    if (o->category != NO_INDEX)
        p->categories.v[o->category].count++;
    switch (action_of(p, o->category)) {
    case PA_REGION:
        if (instant)
            add_marker(p, o, true);
        else
            add_region(p, o);
        return;
    case PA_MARKER:
        add_marker(p, o, instant);
        return;
    case PA_SAMPLE:
        add_sample(p, o);
        return;
    case PA_PC_SAMPLE: /* a slice of this name is none */
    case PA_DEVICE:
        return;
    default:
        perfetto_keep_op(p, o);
    }
}

/* ---- slices ---- */

void perfetto_begin_slice(struct perfetto *p, uint32_t track, const struct pf_event *e,
                          uint32_t first_note)
{
    uint32_t slot;
    if (p->n_open >= PF_OPEN_MOST) {
        p->too_deep++;
        return;
    }
    if (p->free_slots.n) {
        slot = p->free_slots.v[--p->free_slots.n];
    } else {
        slot = (uint32_t)p->open.n;
        (void)vec_add(&p->open, p->arena);
    }
    struct pf_op *o = &p->open.v[slot];
    memset(o, 0, sizeof(*o));
    fill_op(p, e, o);
    o->track = track;
    o->first_note = first_note;
    o->n_notes = (uint32_t)p->notes.n - first_note;
    o->last_note = first_note + o->n_notes - 1; /* of none it means nothing */
    vec_push(&p->tracks.v[track].open, p->arena, slot);
    p->n_open++;
}

void perfetto_end_slice(struct perfetto *p, uint32_t track, int64_t ns)
{
    struct pf_track *t = &p->tracks.v[track];
    if (!t->open.n) {
        p->no_begin++;
        return;
    }
    uint32_t slot = t->open.v[--t->open.n];
    struct pf_op o = p->open.v[slot];
    vec_push(&p->free_slots, p->arena, slot);
    p->n_open--;
    o.end_ns = ns;
    take(p, &o, false);
}

void perfetto_note_slice(struct perfetto *p, uint32_t track, uint32_t name, double value)
{
    struct pf_track *t = &p->tracks.v[track];
    struct pf_op *o = t->open.n ? &p->open.v[t->open.v[t->open.n - 1]] : NULL;
    if (!o || o->n_notes >= 4096) {
        p->lost++;
        return;
    }
    uint32_t at = (uint32_t)p->notes.n;
    vec_push_alone(&p->notes, p->arena, ((struct pf_note){name, NO_INDEX, value}));
    if (o->n_notes++)
        p->notes.v[o->last_note].next = at;
    else
        o->first_note = at;
    o->last_note = at;
}

void perfetto_close_all(struct perfetto *p)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < p->tracks.n; i++)
        for (; p->tracks.v[i].open.n; n++)
            perfetto_end_slice(p, i, p->last_ns);
    trace_note(p->trace, NOTE_UNFINISHED, n, "slices that never end: they end with the trace");
}

static void whole_event(struct perfetto *p, uint32_t track, const struct pf_event *e, bool instant,
                        uint32_t first_note)
{
    struct pf_op o = {0};
    fill_op(p, e, &o);
    o.end_ns = e->end_ns;
    o.track = track;
    o.first_note = first_note;
    o.n_notes = (uint32_t)p->notes.n - first_note;
    take(p, &o, instant);
}

/* Phases of the older form: {name_iid = 1, phase = 2, duration_us = 3}. */
static void read_legacy(const struct field *f, struct pf_event *e)
{
    struct wire w = wire_in(f);
    uint64_t phase = 0, us = 0;
    for (struct field n; wire_next(&w, &n);) {
        if (n.number == 2)
            phase = n.value;
        else if (n.number == 3)
            us = n.value;
    }
    e->type = phase == 'B' ? 1 : phase == 'E' ? 2 : phase == 'X' ? 100 : 3;
    e->end_ns = (int64_t)((uint64_t)e->ns + us * 1000);
}

static void read_event(struct perfetto *p, struct pf_sequence *s, struct wire *w,
                       struct pf_event *e)
{
    for (struct field f; wire_next(w, &f);) {
        uint32_t at;
        switch (f.number) {
        case 3:
            at = idmap_get(&s->categories, f.value);
            if (e->category == NO_INDEX)
                e->category = at;
            p->lost += at == NO_INDEX;
            break;
        case 22:
            e->category = perfetto_category(p, perfetto_string(p, &f));
            break;
        case 10:
            at = idmap_get(&s->names, f.value);
            e->name = at == NO_INDEX ? 0 : at;
            p->lost += at == NO_INDEX;
            break;
        case 23:
            e->name = perfetto_string(p, &f);
            break;
        case 9:
            e->type = (int)(f.value & 0xff);
            break;
        case 11:
            e->track_uuid = f.value;
            e->has_track = true;
            break;
        case 4:
            read_note(p, s, &f, e);
            break;
        case 6:
            read_legacy(&f, e);
            break;
        case 30:
            e->value = (double)(int64_t)f.value;
            break;
        case 44:
            e->value = wire_double(f.value);
            break;
        case 36:
        case 42:
        case 47:
        case 48:
            e->flow = e->flow ? e->flow : f.value;
            break;
        default:
            break;
        }
    }
}

void perfetto_event(struct perfetto *p, struct pf_sequence *s, struct wire w, int64_t ns)
{
    struct pf_event e = {.ns = ns, .end_ns = ns, .category = NO_INDEX};
    for (int i = 0; i < PK_KEYS; i++)
        e.number[i] = PF_NONE;
    uint32_t first_note = (uint32_t)p->notes.n;
    read_event(p, s, &w, &e);
    p->damaged += !w.ok;
    p->n_events++;
    if (!e.has_track)
        e.track_uuid = s->default_track ? s->default_track : s->id << 32 | 0xffffffff;
    uint32_t track = perfetto_track_of(p, e.track_uuid);
    if (track == NO_INDEX)
        return;
    p->last_ns = ns > p->last_ns ? ns : p->last_ns;
    if (e.type == 3 && action_of(p, e.category) == PA_DEVICE)
        perfetto_device(p, &e);
    else if (e.type == 3 && action_of(p, e.category) == PA_PC_SAMPLE)
        perfetto_pc_sample(p, track, &e);
    else if (e.type == 1)
        perfetto_begin_slice(p, track, &e, first_note);
    else if (e.type == 2)
        perfetto_end_slice(p, track, ns);
    else if (e.type == 4 && !p->tracks.v[track].is_derived)
        vec_push_alone(&p->points, p->arena, ((struct pf_point){ns, e.value, track}));
    else if (e.type == 3 || e.type == 100)
        whole_event(p, track, &e, e.type == 3, first_note);
}

/* GpuRenderStageEvent: an interval of a GPU that a driver recorded. */
void perfetto_stage(struct perfetto *p, struct pf_sequence *s, struct wire w, int64_t ns)
{
    struct pf_op o = {.start_ns = ns,
                      .correlation = PF_NONE,
                      .dispatch = PF_NONE,
                      .stream = PF_NONE,
                      .queue = PF_NONE,
                      .tid = PF_NONE,
                      .id = PF_NONE,
                      .kernel_id = PF_NONE,
                      .bytes = BYTES_UNKNOWN,
                      .src_gpu = INT32_MIN,
                      .dst_gpu = INT32_MIN};
    uint64_t length = 0;
    for (struct field f; wire_next(&w, &f);) {
        uint32_t name = NO_INDEX;
        if (f.number == 1)
            o.id = (int64_t)f.value;
        else if (f.number == 2)
            length = f.value;
        else if (f.number == 3 || f.number == 13)
            o.stream = (int64_t)f.value;
        else if (f.number == 11)
            o.gpu = pf_gpu_of((int64_t)f.value);
        else if (f.number == 14)
            name = idmap_get(&s->specs, f.value);
        if (name != NO_INDEX)
            o.name = name;
    }
    p->damaged += !w.ok;
    o.end_ns = (int64_t)((uint64_t)ns + length);
    o.category = perfetto_category(p, strings_add(&p->trace->strings, "kernel_dispatch"));
    o.track = perfetto_track_of(p, UINT64_C(0xfffffffffffffff0));
    if (!o.name)
        o.name = strings_add(&p->trace->strings, "(render stage)");
    if (o.track != NO_INDEX)
        take(p, &o, false);
}
