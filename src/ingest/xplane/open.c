/* The file: planes in a row. */
#include "base/input.h"
#include "ingest/xplane/xplane.h"

enum { SPACE_PLANE = 1, PLANE_NAME = 2, READ_MOST = 1 << 20 };

/* ---- detection ---- */

/* The first plane begins with its number or its name, which is a path or known. */
static bool detect(const struct probe *p)
{
    const uint8_t *at = (const uint8_t *)p->head, *end = at + p->n;
    struct wire w = {at, end, true};
    uint64_t tag, n;
    if (p->is_sqlite || p->n < 8 || !wire_varint(&w, &tag) || tag != (SPACE_PLANE << 3 | 2) ||
        !wire_varint(&w, &n))
        return false;
    for (struct field f; wire_next(&w, &f) && f.number <= PLANE_NAME;)
        if (f.number == PLANE_NAME) {
            const char *text = (const char *)f.bytes;
            return f.kind == 2 && ((f.value > 6 && !memcmp(text, "/host:", 6)) ||
                                   (f.value > 8 && !memcmp(text, "/device:", 8)));
        }
    return false;
}

/* ---- reading ---- */

/* All of the file: a plane's tables stand behind its events. */
static bool read_bytes(struct str *to, struct input *in, struct gs_error *err)
{
    char *piece = arena_alloc(to->arena, READ_MOST);
    for (ptrdiff_t n; (n = input_read(in, piece, READ_MOST)) > 0;)
        str_put(to, piece, (size_t)n);
    return input_error(in, err);
}

static bool read_planes(struct xplane *x, struct wire w, struct gs_error *err)
{
    struct kineto *k = x->k;
    struct wire again = w;
    int64_t process = 0;
    size_t n = 0;
    for (struct field f; wire_next(&w, &f);) {
        arena_release(x->arena);
        if (f.number == SPACE_PLANE)
            xplane_facts(x, wire_in(&f), &process, &k->base_ns);
    }
    for (struct field f; wire_next(&again, &f);) {
        arena_release(x->arena);
        if (f.number == SPACE_PLANE)
            xplane_read(x, wire_in(&f), n++, process);
    }
    if (!again.ok)
        return fail(err, GS_E_FORMAT, "it ends in the middle, or is damaged");
    trace_note(k->trace, NOTE_SKIPPED, x->damaged, "messages that are damaged");
    trace_note(k->trace, NOTE_SKIPPED, x->nameless, "events without a name");
    return true;
}

static bool load(struct trace *t, const char *path, const struct ingest_opts *o,
                 struct arena *arena, struct gs_error *err)
{
    struct input *in = ingest_input(path, o, arena, err);
    struct str bytes;
    if (!in)
        return false;
    str_init(&bytes, arena);
    if (!read_bytes(&bytes, in, err))
        return false;
    struct kineto *k = kineto_new(t, path, arena);
    struct trace_file *f = &t->files.v[k->file];
    struct xplane x = {.k = k, .arena = arena_child(arena)};
    const uint8_t *p = (const uint8_t *)bytes.buf;
    f->format = TRACE_XPLANE;
    f->reader = "protobuf";
    return read_planes(&x, (struct wire){p, p + bytes.len, true}, err) && kineto_end(k, path, err);
}

const struct format format_xplane = {
    .name = "xplane",
    .label = "XPlane of JAX or TensorFlow",
    .detect = detect,
    .load = load,
};
