/* speedscope's JSON: one profile a thread and a stream, in order of time. */
#include "convert/flame.h"
#include "convert/sink.h"

struct speedscope {
    struct conversion *c;
    const struct trace *t;
    struct sink s;
    int64_t base_ns, end_ns;
    uint32_t *frame;      /* by string, then by kind of copy: 1 + its place; 0: not used yet */
    VEC(uint32_t) frames; /* strings or kinds of copies, in order of use */
    size_t profiles;
    bool any;    /* an event of the profile was written */
    bool device; /* rows are those of kernels, then copies */
    struct arena *waiting;
    VEC(struct str *) lanes; /* events of a profile stand together, lanes come interleaved */
};

static uint32_t frame_of(struct speedscope *w, uint32_t key)
{
    if (!w->frame[key]) {
        vec_push(&w->frames, w->c->arena, key);
        w->frame[key] = (uint32_t)w->frames.n;
    }
    return w->frame[key] - 1;
}

static uint32_t key_of(const struct speedscope *w, uint32_t row)
{
    const struct trace *t = w->t;
    if (!w->device)
        return flame_name(t, row);
    if (row < t->kernels.n)
        return t->symbols.v[t->kernels.symbol[row]].name;
    return (uint32_t)t->strings.n + t->copies.kind[row - t->kernels.n];
}

/* The first lane goes out at once; others, which there seldom are, wait until it is done. */
static void put_event(struct speedscope *w, char type, uint32_t lane, int64_t ns, uint32_t row)
{
    unsigned frame = frame_of(w, key_of(w, row));
    long long at = (long long)sub_ns(ns, w->base_ns);
    if (!lane) {
        sink_puts(&w->s, w->any ? ",{\"type\":\"" : "{\"type\":\"");
        sink_putc(&w->s, type);
        sink_puts(&w->s, "\",\"frame\":");
        sink_uint(&w->s, frame);
        sink_puts(&w->s, ",\"at\":");
        sink_int(&w->s, at);
        sink_putc(&w->s, '}');
        w->any = true;
        return;
    }
    while (w->lanes.n <= lane)
        vec_push(&w->lanes, w->waiting, NULL);
    struct str **s = &w->lanes.v[lane];
    if (!*s) {
        *s = arena_new(w->waiting, struct str);
        str_init(*s, w->waiting);
    }
    str_printf(*s, "%s{\"type\":\"%c\",\"frame\":%u,\"at\":%lld}", (*s)->len ? "," : "", type,
               frame, at);
}

static void begin(void *ctx, uint32_t lane, const struct lane_item *item)
{
    put_event(ctx, 'O', lane, item->start_ns, item->row);
}

static void end(void *ctx, uint32_t lane, const struct lane_item *item)
{
    put_event(ctx, 'C', lane, item->end_ns, item->row);
}

static void open_profile(struct speedscope *w, const char *title)
{
    sink_puts(&w->s, w->profiles++ ? ",\n" : "\n");
    sink_puts(&w->s, "{\"type\":\"evented\",\"name\":");
    sink_json(&w->s, title);
    sink_puts(&w->s, ",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":");
    sink_int(&w->s, sub_ns(w->end_ns, w->base_ns));
    sink_puts(&w->s, ",\"events\":[");
}

/* The lanes of one thread or stream. */
static void walk(struct speedscope *w, struct lane_item *items, size_t n, const char *title)
{
    w->waiting = arena_scratch();
    w->any = false;
    w->lanes.v = NULL;
    w->lanes.n = w->lanes.cap = 0;
    open_profile(w, title);
    lanes_walk(items, n, w->device, &(struct lane_events){begin, end, w}, w->waiting);
    sink_puts(&w->s, "]}");
    for (size_t i = 1; i < w->lanes.n; i++) {
        if (!w->lanes.v[i])
            continue;
        open_profile(w, arena_printf(w->waiting, "%s (%zu)", title, i + 1));
        sink_put(&w->s, w->lanes.v[i]->buf, w->lanes.v[i]->len);
        sink_puts(&w->s, "]}");
    }
    arena_release(w->waiting);
}

static void write_threads(struct speedscope *w)
{
    struct flame_rows rows = flame_rows_make(w->c);
    for (size_t thread = 0; thread <= w->t->threads.n; thread++) {
        struct arena *a = arena_scratch();
        struct lane_item *items;
        size_t n = flame_thread(&rows, thread, &items, a);
        if (n && conversion_takes(w->c, process_of_thread(w->t, (uint32_t)thread)))
            walk(w, items, n, flame_thread_title(w->t, thread, w->c->arena));
        arena_release(a);
    }
}

static void write_streams(struct speedscope *w)
{
    const struct trace *t = w->t;
    struct arena *own = w->c->arena;
    struct row_groups kernels = row_groups_make(t->kernels.stream, t->kernels.n, t->streams.n, own);
    struct row_groups copies = row_groups_make(t->copies.stream, t->copies.n, t->streams.n, own);
    w->device = true;
    for (size_t s = 0; s <= t->streams.n; s++) {
        struct arena *a = arena_scratch();
        VEC(struct lane_item) items = {0};
        for (size_t i = kernels.at[s]; i < kernels.at[s + 1]; i++) {
            uint32_t row = kernels.list[i];
            if (conversion_takes(w->c, process_of_kernel(t, row)))
                vec_push(&items, a,
                         ((struct lane_item){
                             t->kernels.start_ns[row],
                             later_of(t->kernels.start_ns[row], t->kernels.end_ns[row]), row}));
        }
        for (size_t i = copies.at[s]; i < copies.at[s + 1]; i++) {
            uint32_t row = copies.list[i];
            if (conversion_takes(w->c, process_of_copy(t, row)))
                vec_push(
                    &items, a,
                    ((struct lane_item){t->copies.start_ns[row],
                                        later_of(t->copies.start_ns[row], t->copies.end_ns[row]),
                                        (uint32_t)t->kernels.n + row}));
        }
        uint32_t gpu = gpu_of_stream(t, (uint32_t)s);
        if (items.n)
            walk(w, items.v, items.n,
                 arena_printf(own, "GPU %d stream %lld",
                              gpu == NO_INDEX ? -1 : (int)t->gpus.v[gpu].index,
                              s < t->streams.n ? (long long)t->streams.v[s].id : -1LL));
        arena_release(a);
    }
}

static bool write_speedscope(struct conversion *c, struct gs_error *err)
{
    struct speedscope *w = arena_new(c->arena, struct speedscope);
    const struct trace *t = c->trace;
    *w = (struct speedscope){.c = c, .t = t};
    if (!sink_open(&w->s, c, conversion_path(c, converter_speedscope.ends), err))
        return false;
    w->frame = arena_array(c->arena, uint32_t, t->strings.n + COPY_KINDS);
    trace_span(t, c->o->threads, &w->base_ns, &w->end_ns);
    sink_puts(&w->s, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
                     "\"exporter\":\"gpusight\",\"profiles\":[");
    write_threads(w);
    write_streams(w);
    sink_puts(&w->s, "\n],\n\"shared\":{\"frames\":[");
    for (size_t i = 0; i < w->frames.n; i++) {
        uint32_t key = w->frames.v[i];
        sink_puts(&w->s, i ? ",\n{\"name\":" : "\n{\"name\":");
        sink_json(&w->s, key < t->strings.n ? trace_str(t, key)
                                            : copy_kind_name((enum copy_kind)(key - t->strings.n)));
        sink_puts(&w->s, "}");
    }
    sink_puts(&w->s, "\n]}}\n");
    return sink_close(&w->s, c, err);
}

const struct converter converter_speedscope = {
    .name = "speedscope",
    .ends = ".speedscope.json",
    .extension = ".speedscope.json",
    .summary = "speedscope JSON: flame graphs over time",
    .write = write_speedscope,
};
