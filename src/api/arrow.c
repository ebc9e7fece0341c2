/*
 * Tables through Arrow's C data interface. The two structs are its ABI: their names and members are
 * fixed by the specification.
 *
 * Columns that lie in memory as Arrow has them are handed over as they are; others (rows of
 * structs, texts, bits of bools) are put into buffers that belong to the array. A consumer may keep a
 * column and release the rest: every node counts as a user of all that was made.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "api/api.h"
#include "base/mem.h"
#include "base/utf8.h"

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

enum { ARROW_NULLABLE = 2 };

/* What the nodes of a schema, or of an array, share. */
struct shared {
    atomic_size_t users;
    struct arena arena;
    gs_run *run; /* kept alive by arrays; NULL for schemas, which copy */
    bool copies; /* the columns are not the run's: nothing of them may be kept */
};

static void drop(struct shared *s)
{
    if (atomic_fetch_sub(&s->users, 1) > 1)
        return;
    arena_release(&s->arena);
    gs_close(s->run);
    mem_free(s);
}

#define RELEASE(name, type)                                                                        \
    static void name(struct type *node)                                                            \
    {                                                                                              \
        for (int64_t i = 0; i < node->n_children; i++)                                             \
            if (node->children[i]->release)                                                        \
                node->children[i]->release(node->children[i]);                                     \
        if (node->dictionary && node->dictionary->release)                                         \
            node->dictionary->release(node->dictionary);                                           \
        node->release = NULL;                                                                      \
        drop(node->private_data);                                                                  \
    }
RELEASE(release_schema, ArrowSchema)
RELEASE(release_array, ArrowArray)

static struct shared *new_shared(void)
{
    struct shared *s = api_new(sizeof(*s), NULL);
    if (s) {
        arena_init(&s->arena);
        atomic_init(&s->users, 1); /* whoever makes it, until it is done */
    }
    return s;
}

/* ---- schema ---- */

static const char *format_of(enum gs_type type)
{
    static const char *const formats[] = {
        [GS_INT64] = "l", [GS_UINT64] = "L", [GS_INT32] = "i", [GS_UINT32] = "I", [GS_UINT16] = "S",
        [GS_UINT8] = "C", [GS_DOUBLE] = "g", [GS_BOOL] = "b",  [GS_TEXT] = "U",   [GS_CODE] = "I",
    };
    return formats[type];
}

static void schema_node(struct ArrowSchema *s, struct shared *o, const char *format,
                        const char *name)
{
    *s = (struct ArrowSchema){.format = format,
                              .name = arena_strdup(&o->arena, name),
                              .flags = ARROW_NULLABLE,
                              .release = release_schema,
                              .private_data = o};
    atomic_fetch_add(&o->users, 1);
}

static void make_schema(struct ArrowSchema *s, struct shared *o, const gs_table *t)
{
    struct arena *a = &o->arena;
    struct ArrowSchema **children = arena_array(a, struct ArrowSchema *, t->columns + 1);
    for (size_t i = 0; i < t->columns; i++) {
        const struct gs_column *c = &t->column[i];
        children[i] = arena_new(a, struct ArrowSchema);
        struct ArrowSchema *texts = c->type == GS_CODE ? arena_new(a, struct ArrowSchema) : NULL;
        schema_node(children[i], o, format_of(c->type), c->name);
        if (texts)
            schema_node(texts, o, "U", "");
        children[i]->dictionary = texts;
    }
    schema_node(s, o, "+s", "");
    s->flags = 0;
    s->n_children = (int64_t)t->columns;
    s->children = children;
}

/* ---- arrays ---- */

static void array_node(struct ArrowArray *n, struct shared *o, size_t length, int64_t n_buffers)
{
    *n = (struct ArrowArray){.length = (int64_t)length,
                             .n_buffers = n_buffers,
                             .buffers = arena_array(&o->arena, const void *, 3),
                             .release = release_array,
                             .private_data = o};
    atomic_fetch_add(&o->users, 1);
}

static const void *at(const struct gs_column *c, size_t row)
{
    return (const char *)c->data + row * c->stride;
}

static bool has_value(const struct gs_column *c, size_t row)
{
    if (c->valid)
        return c->valid[row];
    if (c->type == GS_TEXT)
        return *(const char *const *)at(c, row) != NULL;
    if (c->type == GS_DOUBLE)
        return !isnan(*(const double *)at(c, row)); /* elsewhere a sum with it would be NaN, too */
    return c->type != GS_CODE || *(const uint32_t *)at(c, row) < c->n_texts;
}

static void set_bit(uint8_t *bits, size_t i)
{
    bits[i / 8] = (uint8_t)(bits[i / 8] | 1u << i % 8);
}

/* Bits of rows that have a value; none are needed where all have one. */
static void add_validity(struct ArrowArray *n, struct shared *o, const struct gs_column *c,
                         size_t rows)
{
    if (!c->valid && c->type != GS_TEXT && c->type != GS_CODE && c->type != GS_DOUBLE)
        return;
    uint8_t *bits = arena_alloc(&o->arena, rows / 8 + 1);
    int64_t none = 0;
    for (size_t i = 0; i < rows; i++) {
        if (has_value(c, i))
            set_bit(bits, i);
        else
            none++;
    }
    n->null_count = none;
    n->buffers[0] = none ? bits : NULL;
}

/*
 * Large offsets: the texts of a million calls may be more than 2 GiB. Arrow's texts are UTF-8 without
 * exception, which those of a trace need not be.
 */
static void fill_texts(struct ArrowArray *n, struct shared *o, const char *const *texts,
                       size_t stride, size_t rows)
{
    int64_t *offsets = arena_array(&o->arena, int64_t, rows + 1);
    const char **valid = arena_array(&o->arena, const char *, rows + 1);
    size_t bytes = 0;
    for (size_t i = 0; i < rows; i++) {
        const char *text = *(const char *const *)(const void *)((const char *)texts + i * stride);
        valid[i] = text ? utf8_to_valid(text, &o->arena) : "";
        bytes += strlen(valid[i]); /* in range: all of it is in memory */
        offsets[i + 1] = (int64_t)bytes;
    }
    char *data = arena_alloc(&o->arena, bytes + 1);
    for (size_t i = 0; i < rows; i++)
        memcpy(data + offsets[i], valid[i], (size_t)(offsets[i + 1] - offsets[i]));
    n->buffers[1] = offsets;
    n->buffers[2] = data;
}

static const void *packed(struct shared *o, const struct gs_column *c, size_t rows)
{
    size_t size = api_type_size(c->type);
    if (c->stride == size && !o->copies)
        return c->data;
    char *data = arena_calloc(&o->arena, rows + 1, size);
    for (size_t i = 0; i < rows; i++)
        memcpy(data + i * size, at(c, i), size);
    return data;
}

static const void *bits_of(struct shared *o, const struct gs_column *c, size_t rows)
{
    uint8_t *bits = arena_alloc(&o->arena, rows / 8 + 1);
    for (size_t i = 0; i < rows; i++)
        if (*(const bool *)at(c, i))
            set_bit(bits, i);
    return bits;
}

static void make_column(struct ArrowArray *n, struct shared *o, const struct gs_column *c,
                        size_t rows)
{
    struct ArrowArray *texts = c->type == GS_CODE ? arena_new(&o->arena, struct ArrowArray) : NULL;
    array_node(n, o, rows, c->type == GS_TEXT ? 3 : 2);
    add_validity(n, o, c, rows);
    if (c->type == GS_TEXT)
        fill_texts(n, o, c->data, c->stride, rows);
    else
        n->buffers[1] = c->type == GS_BOOL ? bits_of(o, c, rows) : packed(o, c, rows);
    if (!texts)
        return;
    array_node(texts, o, c->n_texts, 3);
    fill_texts(texts, o, c->texts, sizeof(char *), c->n_texts);
    n->dictionary = texts;
}

static void make_array(struct ArrowArray *n, struct shared *o, const gs_table *t)
{
    struct ArrowArray **children = arena_array(&o->arena, struct ArrowArray *, t->columns + 1);
    for (size_t i = 0; i < t->columns; i++) {
        children[i] = arena_new(&o->arena, struct ArrowArray);
        make_column(children[i], o, &t->column[i], t->rows);
    }
    array_node(n, o, t->rows, 1);
    n->n_children = (int64_t)t->columns;
    n->children = children;
}

/* ---- both ---- */

struct exporting {
    struct shared *for_schema, *for_array;
    const gs_table *t;
    struct ArrowSchema schema;
    struct ArrowArray array;
};

static void make_both(void *ctx)
{
    struct exporting *e = ctx;
    make_schema(&e->schema, e->for_schema, e->t);
    make_array(&e->array, e->for_array, e->t);
}

/* After a failure nobody else is left: whatever was counted goes. */
static void abandon(struct shared *s)
{
    if (!s)
        return;
    atomic_store(&s->users, 1);
    drop(s);
}

static bool is_of(gs_run *run, const gs_table *t)
{
    const struct api_table *of;
    for (size_t i = 0; (of = api_table_at(run, i)); i++)
        if (t == &of->table)
            return true;
    return false; /* of a query: its result may go before */
}

bool gs_table_arrow(gs_run *run, const gs_table *t, struct ArrowSchema *schema,
                    struct ArrowArray *array, struct gs_error *err)
{
    struct exporting e = {new_shared(), new_shared(), t, {0}, {0}};
    bool ok = e.for_schema && e.for_array;
    if (e.for_array) {
        e.for_array->run = gs_retain(run);
        e.for_array->copies = !is_of(run, t);
    }
    ok = ok ? api_call(NULL, make_both, &e, err) : fail(err, GS_E_IO, "out of memory");
    if (!ok) {
        abandon(e.for_schema);
        abandon(e.for_array);
        return false;
    }
    *schema = e.schema;
    *array = e.array;
    drop(e.for_schema);
    drop(e.for_array);
    return true;
}

/* ---- streams: made at once, so that they outlive the table ---- */

struct stream_of {
    struct ArrowSchema schema;
    struct ArrowArray array;
    const char *wrong;
};

struct copying {
    const struct ArrowSchema *from;
    struct ArrowSchema to;
    struct shared *o;
};

static void copy_node(struct ArrowSchema *to, const struct ArrowSchema *from, struct shared *o)
{
    schema_node(to, o, from->format, from->name);
    to->flags = from->flags;
    to->children = arena_array(&o->arena, struct ArrowSchema *, (size_t)from->n_children + 1);
    for (int64_t i = 0; i < from->n_children; i++) {
        to->children[i] = arena_new(&o->arena, struct ArrowSchema);
        copy_node(to->children[i], from->children[i], o);
    }
    to->n_children = from->n_children;
    to->dictionary = from->dictionary ? arena_new(&o->arena, struct ArrowSchema) : NULL;
    if (to->dictionary)
        copy_node(to->dictionary, from->dictionary, o);
}

static void copy_schema(void *ctx)
{
    struct copying *c = ctx;
    copy_node(&c->to, c->from, c->o);
}

/* A copy each time: consumers may ask as often as they like. */
static int stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    struct stream_of *s = stream->private_data;
    struct copying c = {.from = &s->schema, .o = new_shared()};
    s->wrong = NULL;
    if (!c.o || !api_call(NULL, copy_schema, &c, NULL)) {
        abandon(c.o);
        s->wrong = "out of memory";
        return ENOMEM;
    }
    *out = c.to;
    drop(c.o);
    return 0;
}

/* The one batch; after it what is released, which is the end. */
static int stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    struct stream_of *s = stream->private_data;
    *out = s->array;
    s->array.release = NULL;
    return 0;
}

static const char *stream_error(struct ArrowArrayStream *stream)
{
    return ((struct stream_of *)stream->private_data)->wrong;
}

static void stream_release(struct ArrowArrayStream *stream)
{
    struct stream_of *s = stream->private_data;
    s->schema.release(&s->schema);
    if (s->array.release)
        s->array.release(&s->array);
    mem_free(s);
    stream->release = NULL;
}

bool gs_table_arrow_stream(gs_run *run, const gs_table *t, struct ArrowArrayStream *stream,
                           struct gs_error *err)
{
    struct stream_of *s = mem_try_alloc(sizeof(*s));
    if (!s)
        return fail(err, GS_E_IO, "out of memory");
    s->wrong = NULL;
    if (!gs_table_arrow(run, t, &s->schema, &s->array, err)) {
        mem_free(s);
        return false;
    }
    *stream = (struct ArrowArrayStream){.get_schema = stream_schema,
                                        .get_next = stream_next,
                                        .get_last_error = stream_error,
                                        .release = stream_release,
                                        .private_data = s};
    return true;
}
