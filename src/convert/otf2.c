#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/unfinished.h"
#include "convert/otf2_in.h"
#include "convert/sink.h"

/* Rows of the track at hand. */
enum { TRACK_THREAD, TRACK_STREAM, TRACK_ALLOCS };

bool otf2_check(struct otf2_out *w, OTF2_ErrorCode code)
{
    w->failed |= code != OTF2_SUCCESS;
    return code == OTF2_SUCCESS;
}

static OTF2_FlushType on_flush(void *user, OTF2_FileType type, OTF2_LocationRef location,
                               void *caller, bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static OTF2_FlushCallbacks flushing = {.otf2_pre_flush = on_flush, .otf2_post_flush = NULL};

/* ---- attributes ---- */

static void attribute_text(struct otf2_out *w, enum otf2_attribute a, const char *text)
{
    OTF2_AttributeList_AddStringRef(w->attributes, a, otf2_string(w, text));
}

static void attribute_int(struct otf2_out *w, enum otf2_attribute a, int64_t v)
{
    OTF2_AttributeList_AddInt64(w->attributes, a, v);
}

static void attribute_uint(struct otf2_out *w, enum otf2_attribute a, uint64_t v)
{
    OTF2_AttributeList_AddUint64(w->attributes, a, v);
}

static OTF2_StringRef extent(struct otf2_out *w, uint32_t launch, bool group)
{
    OTF2_StringRef *ref = &w->extent[2 * (size_t)launch + group];
    if (!*ref) {
        const struct launch *l = &w->t->launches.v[launch];
        const uint32_t *d = group ? l->group : l->grid;
        char text[64];
        snprintf(text, sizeof(text), "x=%u,y=%u,z=%u", d[0], d[1], d[2]);
        *ref = otf2_string(w, text) + 1;
    }
    return *ref - 1;
}

static int64_t gpu_number(const struct trace *t, uint32_t agent)
{
    uint32_t gpu = agent < t->agents.n ? t->agents.v[agent].gpu : NO_INDEX;
    return gpu == NO_INDEX ? -1 : t->gpus.v[gpu].index;
}

/* ---- events: what begins at a row ---- */

static OTF2_RegionRef describe_host(struct otf2_out *w, uint32_t row)
{
    static const char *const operations[] = {"roctxThreadRangeA", "roctxProcessRangeA",
                                             "roctxMarkA"};
    const struct trace *t = w->t;
    if (row < t->regions.n) {
        int kind = t->regions.kind[row] < REGION_KINDS ? t->regions.kind[row] : REGION_OTHER;
        attribute_text(w, OTF2_A_CATEGORY, otf2_category(kind));
        attribute_int(w, OTF2_A_CORRELATION, conversion_call(w->c, row));
        return otf2_region(w, trace_str(t, t->regions.name[row]), kind);
    }
    row -= (uint32_t)t->regions.n;
    uint8_t kind = t->markers.kind[row] <= MARKER_INSTANT ? t->markers.kind[row] : 0;
    attribute_text(w, OTF2_A_CATEGORY, otf2_category(REGION_OF_MARKER));
    attribute_text(w, OTF2_A_OPERATION, operations[kind]);
    attribute_int(w, OTF2_A_ID, markers_id_at(t, row));
    return otf2_region(w, trace_str(t, t->markers.name[row]), REGION_OF_MARKER);
}

static void describe_thread(struct otf2_out *w, uint32_t call, uint32_t thread)
{
    attribute_int(w, OTF2_A_CORRELATION, conversion_call(w->c, call));
    if (thread < w->t->threads.n)
        attribute_int(w, OTF2_A_TID, w->t->threads.v[thread].tid);
}

static OTF2_RegionRef describe_kernel(struct otf2_out *w, uint32_t row)
{
    const struct trace *t = w->t;
    const struct kernels *k = &t->kernels;
    uint32_t launch = kernels_launch_at(t, row);
    const struct launch *l = &t->launches.v[launch];
    attribute_text(w, OTF2_A_CATEGORY, otf2_category(REGION_OF_KERNEL));
    describe_thread(w, k->call[row], kernels_thread_at(t, row));
    attribute_int(w, OTF2_A_ID, kernels_id_at(t, row));
    OTF2_AttributeList_AddStringRef(w->attributes, OTF2_A_GRID, extent(w, launch, false));
    OTF2_AttributeList_AddStringRef(w->attributes, OTF2_A_WORKGROUP, extent(w, launch, true));
    attribute_uint(w, OTF2_A_LDS, l->lds_bytes);
    attribute_uint(w, OTF2_A_SCRATCH, l->scratch_bytes);
    attribute_uint(w, OTF2_A_VGPRS, t->symbols.v[k->symbol[row]].vgprs);
    if (kernels_queue_at(t, row) < t->queues.n)
        attribute_int(w, OTF2_A_QUEUE, t->queues.v[kernels_queue_at(t, row)].id);
    return otf2_region(w, conversion_kernel_name(w->c, row), REGION_OF_KERNEL);
}

static OTF2_RegionRef describe_copy(struct otf2_out *w, uint32_t row)
{
    const struct trace *t = w->t;
    const struct copies *c = &t->copies;
    const char *operation =
        c->kind[row] == COPY_P2P ? "MEMORY_COPY_PEER_TO_PEER" : copy_operation(c->kind[row]);
    attribute_text(w, OTF2_A_CATEGORY, otf2_category(REGION_OF_COPY));
    describe_thread(w, c->call[row], copies_thread_at(t, row));
    if (c->bytes[row] != BYTES_UNKNOWN)
        attribute_uint(w, OTF2_A_BYTES, c->bytes[row]);
    uint32_t src = copies_src_at(t, row), dst = copies_dst_at(t, row);
    if (src < t->agents.n)
        attribute_int(w, OTF2_A_SRC, gpu_number(t, src));
    if (dst < t->agents.n)
        attribute_int(w, OTF2_A_DST, gpu_number(t, dst));
    return otf2_region(w, operation, REGION_OF_COPY);
}

static OTF2_RegionRef describe_alloc(struct otf2_out *w, uint32_t row)
{
    const struct allocations *a = &w->t->allocations;
    attribute_text(w, OTF2_A_CATEGORY, otf2_category(REGION_OF_ALLOC));
    describe_thread(w, a->call[row], a->thread[row]);
    attribute_uint(w, OTF2_A_BYTES, a->bytes[row]);
    attribute_uint(w, OTF2_A_ADDRESS, a->address[row]);
    if (a->agent[row] < w->t->agents.n)
        attribute_int(w, OTF2_A_GPU, gpu_number(w->t, a->agent[row]));
    return otf2_region(w, alloc_operation(a->op[row], a->level[row]),
                       a->op[row] == ALLOC_FREE ? REGION_OF_FREE : REGION_OF_ALLOC);
}

static OTF2_RegionRef describe(struct otf2_out *w, uint32_t row)
{
    if (w->track == TRACK_THREAD)
        return describe_host(w, row);
    if (w->track == TRACK_ALLOCS)
        return describe_alloc(w, row);
    return row < w->t->kernels.n ? describe_kernel(w, row)
                                 : describe_copy(w, row - (uint32_t)w->t->kernels.n);
}

/* Values of counters follow the beginning of their kernel, at the same moment. */
static void put_counters(struct otf2_out *w, OTF2_EvtWriter *e, uint32_t row, int64_t ns)
{
    const struct counters *c = &w->t->counters;
    OTF2_Type type = OTF2_TYPE_DOUBLE;
    if (w->track != TRACK_STREAM || !w->counters || row >= w->t->kernels.n)
        return;
    for (size_t i = w->counters->of[row]; i < w->counters->of[row + 1];) {
        uint32_t which = c->counter[w->counters->rows[i]];
        OTF2_MetricValue value = {.floating_point = 0};
        for (; i < w->counters->of[row + 1] && c->counter[w->counters->rows[i]] == which; i++)
            value.floating_point += c->value[w->counters->rows[i]];
        otf2_check(w, OTF2_EvtWriter_Metric(e, NULL, otf2_time(w, ns), which, 1, &type, &value));
    }
}

/* ---- locations ---- */

static void note_file(struct otf2_out *w, const char *name)
{
    enum { MOST = 4096 };
    if (w->unfinished.n < MOST)
        vec_push(&w->unfinished, w->c->arena,
                 unfinished_add(arena_printf(w->c->arena, "%s%s", w->dir, name)));
}

static OTF2_EvtWriter *begin_location(struct otf2_out *w, const char *name, OTF2_LocationType type,
                                      OTF2_LocationGroupRef group, uint32_t thread)
{
    enum { MOST = 10000 }; /* two files each: a folder that no tool would open */
    OTF2_LocationRef ref = w->locations.n;
    w->too_many |= ref >= MOST;
    w->failed |= w->too_many;
    if (w->failed)
        return NULL;
    vec_push(&w->locations, w->arena,
             ((struct otf2_location){otf2_string(w, name), type, group, 0, thread}));
    char file[64];
    for (int i = 0; i < 2; i++) {
        snprintf(file, sizeof(file), "/archive/%llu.%s", (unsigned long long)ref,
                 i ? "def" : "evt");
        note_file(w, file);
    }
    OTF2_EvtWriter *e = OTF2_Archive_GetEvtWriter(w->archive, ref);
    w->failed |= !e;
    return e;
}

static void end_location(struct otf2_out *w, OTF2_EvtWriter *e)
{
    uint64_t n = 0;
    if (!e)
        return;
    otf2_check(w, OTF2_EvtWriter_GetNumberOfEvents(e, &n));
    w->locations.v[w->locations.n - 1].events = n;
    otf2_check(w, OTF2_Archive_CloseEvtWriter(w->archive, e));
}

static void note_begin(void *ctx, uint32_t lane, const struct lane_item *item)
{
    struct otf2_out *w = ctx;
    vec_push(&w->events, w->arena, ((struct otf2_event){item->start_ns, item->row, lane * 2}));
}

static void note_end(void *ctx, uint32_t lane, const struct lane_item *item)
{
    struct otf2_out *w = ctx;
    vec_push(&w->events, w->arena, ((struct otf2_event){item->end_ns, item->row, lane * 2 + 1}));
}

static void put_lane(struct otf2_out *w, OTF2_EvtWriter *e, const uint32_t *list, size_t n)
{
    for (size_t i = 0; i < n && e && !w->failed; i++) {
        const struct otf2_event *event = &w->events.v[list[i]];
        OTF2_AttributeList_RemoveAllAttributes(w->attributes);
        OTF2_RegionRef region = describe(w, event->row);
        if (event->lane & 1) {
            otf2_check(w, OTF2_EvtWriter_Leave(e, NULL, otf2_time(w, event->ns), region));
            OTF2_AttributeList_RemoveAllAttributes(w->attributes);
            continue;
        }
        otf2_check(w, OTF2_EvtWriter_Enter(e, w->attributes, otf2_time(w, event->ns), region));
        put_counters(w, e, event->row, event->ns);
    }
}

/* All lanes of one track, one after the other. */
static void put_track(struct otf2_out *w, struct lane_item *items, size_t n, const char *name,
                      OTF2_LocationType type, OTF2_LocationGroupRef group, uint32_t thread)
{
    struct arena *a = arena_scratch(), *outer = w->arena;
    uint32_t lanes = 0;
    w->events.v = NULL;
    w->events.n = w->events.cap = 0;
    w->arena = a; /* for the events only */
    lanes_walk(items, n, w->track != TRACK_THREAD, &(struct lane_events){note_begin, note_end, w},
               a);
    w->arena = outer;
    uint32_t *lane = arena_array(a, uint32_t, w->events.n + 1);
    for (size_t i = 0; i < w->events.n; i++) {
        lane[i] = w->events.v[i].lane / 2;
        lanes = lane[i] >= lanes ? lane[i] + 1 : lanes;
    }
    struct row_groups g = row_groups_make(lane, w->events.n, lanes, a);
    for (uint32_t l = 0; l < lanes && !w->failed; l++) {
        if (g.at[l] == g.at[l + 1])
            continue;
        OTF2_EvtWriter *e = begin_location(w, name, type, group, l ? NO_INDEX : thread);
        put_lane(w, e, g.list + g.at[l], g.at[l + 1] - g.at[l]);
        end_location(w, e);
    }
    arena_release(a);
}

/* ---- tracks ---- */

/* Rows of a table by the lane they are on. */
struct laned {
    struct row_groups groups;
    const int64_t *start, *end;
    size_t first;                                           /* number of the item of row 0 */
    uint32_t (*process)(const struct trace *t, size_t row); /* NULL: that of the lane */
};

static size_t count_on(const struct laned *l, size_t lane)
{
    return l->groups.at[lane + 1] - l->groups.at[lane];
}

/* Appends those of a lane that are taken; returns how many there are then. */
static size_t add_lane(const struct otf2_out *w, struct lane_item *items, size_t n,
                       const struct laned *l, size_t lane)
{
    for (size_t i = l->groups.at[lane]; i < l->groups.at[lane + 1]; i++) {
        uint32_t row = l->groups.list[i];
        if (!l->process || conversion_takes(w->c, l->process(w->t, row)))
            items[n++] = (struct lane_item){l->start[row], later_of(l->start[row], l->end[row]),
                                            (uint32_t)(l->first + row)};
    }
    return n;
}

#define LANED(table, by, many, lanes, number, owner)                                               \
    {                                                                                              \
        row_groups_make((table)->by, (many), (lanes), w->arena), (table)->start_ns,                \
            (table)->end_ns, (number), (owner)                                                     \
    }

static void put_threads(struct otf2_out *w)
{
    const struct trace *t = w->t;
    struct laned calls = LANED(&t->regions, thread, conversion_regions(t), t->threads.n, 0, NULL);
    struct laned markers =
        LANED(&t->markers, thread, t->markers.n, t->threads.n, t->regions.n, NULL);
    w->track = TRACK_THREAD;
    for (size_t k = 0; k <= t->threads.n && !w->failed; k++) {
        struct arena *a = arena_scratch();
        uint32_t process = process_of_thread(t, (uint32_t)k);
        size_t most = count_on(&calls, k) + count_on(&markers, k);
        struct lane_item *items = arena_array(a, struct lane_item, most + 1);
        size_t n = add_lane(w, items, add_lane(w, items, 0, &calls, k), &markers, k);
        char name[64] = "Thread ?";
        if (k < t->threads.n)
            snprintf(name, sizeof(name), "Thread %lld", (long long)t->threads.v[k].tid);
        if (n && conversion_takes(w->c, process))
            put_track(w, items, n, name, OTF2_LOCATION_TYPE_CPU_THREAD, w->process_group[process],
                      k < t->threads.n ? (uint32_t)k : NO_INDEX);
        arena_release(a);
    }
}

static void put_streams(struct otf2_out *w)
{
    const struct trace *t = w->t;
    struct laned kernels =
        LANED(&t->kernels, stream, t->kernels.n, t->streams.n, 0, process_of_kernel);
    struct laned copies =
        LANED(&t->copies, stream, t->copies.n, t->streams.n, t->kernels.n, process_of_copy);
    w->track = TRACK_STREAM;
    for (size_t s = 0; s <= t->streams.n && !w->failed; s++) {
        struct arena *a = arena_scratch();
        size_t most = count_on(&kernels, s) + count_on(&copies, s);
        struct lane_item *items = arena_array(a, struct lane_item, most + 1);
        size_t n = add_lane(w, items, add_lane(w, items, 0, &kernels, s), &copies, s);
        char name[64] = "Stream ?";
        if (s < t->streams.n)
            snprintf(name, sizeof(name), "Stream %lld", (long long)t->streams.v[s].id);
        if (n)
            put_track(
                w, items, n, name, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM,
                otf2_gpu_group(w, process_of_stream(t, (uint32_t)s), gpu_of_stream(t, (uint32_t)s)),
                NO_INDEX);
        arena_release(a);
    }
}

static void put_allocations(struct otf2_out *w)
{
    const struct trace *t = w->t;
    struct laned allocations =
        LANED(&t->allocations, thread, t->allocations.n, t->threads.n, 0, NULL);
    w->track = TRACK_ALLOCS;
    for (size_t k = 0; k <= t->threads.n && !w->failed; k++) {
        struct arena *a = arena_scratch();
        uint32_t process = process_of_thread(t, (uint32_t)k);
        struct lane_item *items = arena_array(a, struct lane_item, count_on(&allocations, k) + 1);
        size_t n = add_lane(w, items, 0, &allocations, k);
        if (n && conversion_takes(w->c, process))
            put_track(w, items, n, "Memory allocations", OTF2_LOCATION_TYPE_CPU_THREAD,
                      w->process_group[process], NO_INDEX);
        arena_release(a);
    }
}

/* Points of a series come in order of time in every format we read; if not, they are put so. */
static int by_time(const void *a, const void *b)
{
    const struct otf2_event *x = a, *y = b;
    return x->ns != y->ns ? (x->ns > y->ns) - (x->ns < y->ns)
                          : (x->row > y->row) - (x->row < y->row);
}

static void put_telemetry(struct otf2_out *w)
{
    const struct trace *t = w->t;
    const struct telemetry *m = &t->telemetry;
    struct row_groups g = row_groups_make(m->series, m->n, t->series.n, w->arena);
    OTF2_Type type = OTF2_TYPE_DOUBLE;
    for (size_t s = 0; s < t->series.n && !w->failed; s++) {
        const struct series *series = &t->series.v[s];
        size_t n = g.at[s + 1] - g.at[s];
        uint32_t process = process_of_series(t, (uint32_t)s);
        char name[256];
        if (!n || !conversion_takes(w->c, process))
            continue;
        struct arena *a = arena_scratch();
        struct otf2_event *order = arena_array(a, struct otf2_event, n);
        for (size_t i = 0; i < n; i++)
            order[i] = (struct otf2_event){m->time_ns[g.list[g.at[s] + i]], g.list[g.at[s] + i], 0};
        qsort(order, n, sizeof(*order), by_time);
        if (series->gpu == NO_INDEX)
            snprintf(name, sizeof(name), "%s", trace_str(t, series->name));
        else
            snprintf(name, sizeof(name), "GPU [%d] %s", (int)t->gpus.v[series->gpu].index,
                     trace_str(t, series->name));
        OTF2_EvtWriter *e =
            begin_location(w, name, OTF2_LOCATION_TYPE_METRIC, w->process_group[process], NO_INDEX);
        for (size_t i = 0; i < n && e && !w->failed; i++) {
            OTF2_MetricValue value = {.floating_point = m->value[order[i].row]};
            otf2_check(w, OTF2_EvtWriter_Metric(e, NULL, otf2_time(w, order[i].ns),
                                                (OTF2_MetricRef)(t->counter_infos.n + s), 1, &type,
                                                &value));
        }
        end_location(w, e);
        arena_release(a);
    }
}

/* ---- the archive: made in a folder of its own, then put where it belongs ---- */

static void put_archive(struct otf2_out *w)
{
    OTF2_Archive_SetFlushCallbacks(w->archive, &flushing, w);
    otf2_check(w, OTF2_Archive_SetSerialCollectiveCallbacks(w->archive));
    otf2_check(w, OTF2_Archive_SetCreator(w->archive, "gpusight"));
    otf2_check(w, OTF2_Archive_OpenEvtFiles(w->archive));
    otf2_groups(w);
    put_threads(w);
    put_streams(w);
    put_allocations(w);
    put_telemetry(w);
    otf2_check(w, OTF2_Archive_CloseEvtFiles(w->archive));
    otf2_check(w, OTF2_Archive_OpenDefFiles(w->archive));
    for (uint32_t i = 0; i < w->locations.n && !w->failed; i++) {
        OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(w->archive, i);
        w->failed |= !d;
        if (d)
            otf2_check(w, OTF2_Archive_CloseDefWriter(w->archive, d));
    }
    otf2_check(w, OTF2_Archive_CloseDefFiles(w->archive));
    otf2_definitions(w);
}

static void remove_made(void *out)
{
    struct otf2_out *w = out;
    otf2_remove_tree(w->dir);
    for (size_t i = 0; i < w->unfinished.n; i++)
        unfinished_done(w->unfinished.v[i]);
}

static bool copy_file(struct conversion *c, const char *from, const char *to, struct gs_error *err)
{
    char buf[1 << 16];
    struct fs_out *out = fs_set_open(c->set, to, err); /* first, as it may unwind */
    if (!out)
        return false;
    int fd = fs_open_plain(from, O_RDONLY | O_CLOEXEC); /* what we have just written: no input */
    ptrdiff_t n = fd < 0 ? -1 : 0;
    bool ok = fd >= 0;
    while (ok && (n = fs_read_up_to(fd, buf, sizeof(buf))) > 0) {
        c->bytes = c->bytes + (uint64_t)n;
        ok = fs_out_write(out, buf, (size_t)n, err);
    }
    int saved = errno;
    if (fd >= 0)
        close(fd);
    if (n < 0)
        return fail(err, GS_E_IO, "cannot write '%s': %s", to, strerror(saved));
    return ok && fs_set_done(c->set, out, err);
}

static bool copy_folder(struct conversion *c, const char *from, const char *to,
                        struct gs_error *err)
{
    struct fs_list files = {0};
    if (!fs_set_folder(c->set, to, err) || !fs_list(&files, from, c->arena, err))
        return false;
    for (size_t i = 0; i < files.n; i++) {
        const char *name = fs_basename(files.v[i]);
        if (!copy_file(c, arena_printf(c->arena, "%s/%s", from, name),
                       arena_printf(c->set->arena, "%s/%s", to, name), err))
            return false;
    }
    return true;
}

/* As many open files as the system lets us have: all parts wait until the last one is there. */
static void allow_files(void)
{
    struct rlimit most;
    if (getrlimit(RLIMIT_NOFILE, &most) == 0 && most.rlim_cur < most.rlim_max) {
        most.rlim_cur = most.rlim_max;
        setrlimit(RLIMIT_NOFILE, &most);
    }
}

/* NAME.otf2, NAME.def and the folder NAME. */
static bool publish(struct otf2_out *w, const char *path, struct gs_error *err)
{
    struct conversion *c = w->c;
    struct arena *a = c->set->arena;
    const char *stem = arena_strndup(a, path, strlen(path) - 5);
    const char *made = arena_printf(w->arena, "%s/%s", w->dir, w->name);
    allow_files();
    bool ok = copy_folder(c, made, stem, err) &&
              copy_file(c, arena_printf(a, "%s.def", made), arena_printf(a, "%s.def", stem), err) &&
              copy_file(c, arena_printf(a, "%s.otf2", made), path, err);
    if (!ok)
        fs_set_abandon(c->set); /* where no file can be opened, none can be removed either */
    return ok;
}

static bool make_folder(struct otf2_out *w, const char *path, struct gs_error *err)
{
    otf2_remove_left(w, path);
    char *dir = arena_printf(w->arena, "%s.%ld.tmp", path, (long)getpid());
    if (mkdir(dir, 0700) != 0)
        return fail(err, GS_E_IO, "cannot write '%s': %s", path, strerror(errno));
    w->dir = dir;
    w->name = "archive";
    arena_defer(w->arena, remove_made, w);
    note_file(w, "");
    note_file(w, "/archive");
    note_file(w, "/archive.otf2");
    note_file(w, "/archive.def");
    return true;
}

/* Also when memory ends in the middle. */
static void close_archive(struct otf2_out *w)
{
    if (w->archive)
        otf2_check(w, OTF2_Archive_Close(w->archive));
    if (w->attributes)
        OTF2_AttributeList_Delete(w->attributes);
    w->archive = NULL;
    w->attributes = NULL;
    otf2_listen(NULL);
}

static void close_it(void *out)
{
    close_archive(out);
}

static bool write_otf2(struct conversion *c, struct gs_error *err)
{
    struct otf2_out *w = arena_new(c->arena, struct otf2_out);
    *w = (struct otf2_out){.c = c, .t = c->trace, .arena = c->arena};
    const char *path = conversion_path(c, converter_otf2.ends);
    if (fs_out_is_direct(path) || !str_ends(path, ".otf2"))
        return fail(err, GS_E_USAGE, "cannot write OTF2 to '%s': it is a set of files", path);
    if (!c->trace->processes.n)
        return fail(err, GS_E_EMPTY, "no process in the trace; nothing to write as OTF2");
    if (!fs_out_check(path, err) || !make_folder(w, path, err))
        return false;
    idmap_init(&w->string_of, w->arena);
    idmap_init(&w->region_of, w->arena);
    idmap_init(&w->region_at, w->arena);
    otf2_string(w, "");
    w->extent = arena_array(w->arena, OTF2_StringRef, 2 * c->trace->launches.n + 1);
    w->counters = counter_index_make(c->trace, w->arena);
    trace_span(c->trace, c->o->threads, &w->start_ns, &w->end_ns);
    w->base_ns = w->start_ns < 0 ? w->start_ns : 0; /* times stay as they are, unless negative */
    arena_defer(w->arena, close_it, w);
    otf2_listen(w);
    w->attributes = OTF2_AttributeList_New();
    /* libotf2 clears this much for every thread and stream. */
    bool many = c->trace->threads.n + c->trace->streams.n > 64;
    w->archive = OTF2_Archive_Open(w->dir, w->name, OTF2_FILEMODE_WRITE,
                                   many ? OTF2_CHUNK_SIZE_MIN : 1 << 20, many ? 1 << 20 : 4 << 20,
                                   OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    w->failed = !w->archive || !w->attributes;
    if (otf2_failed(w, path, err))
        return false;
    put_archive(w);
    close_archive(w);
    if (w->too_many)
        return fail(err, GS_E_USAGE,
                    "cannot write '%s': threads, streams and rows of events that overlap are more "
                    "than 10000; choose some of them, or another format",
                    path);
    return !otf2_failed(w, path, err) && publish(w, path, err);
}

const struct converter converter_otf2 = {
    .name = "otf2",
    .ends = "_results.otf2",
    .extension = ".otf2",
    .summary = "an OTF2 archive, for Vampir and other tools of performance analysis",
    .binary = true,
    .write = write_otf2,
};
