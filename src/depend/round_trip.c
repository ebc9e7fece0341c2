#include "depend/round_trip.h"

#include "base/sat.h"

/* Smaller ones are results that the host looks at. */
#define LEAST_BYTES (64u << 10)

/* Fewer may be chance. */
enum { LEAST_TRIPS = 3 };

/* The host does not work on the data between: no longer than this, or than the copy took. */
#define BETWEEN_NS 1000000

/*
 * Copies over the link of a stream, in order. Programs that stream data through a device copy in
 * before they copy out; data that makes a round trip goes out first, every time.
 */
struct trips_of {
    uint32_t out;   /* the last copy to the host, + 1; 0: the last was one to the device */
    uint32_t n;     /* round trips */
    bool otherwise; /* a copy that belongs to none */
};

static int64_t length(const struct copies *c, uint32_t row)
{
    return sub_ns(c->end_ns[row], c->start_ns[row]);
}

static bool belongs(const struct copies *c, uint32_t out, uint32_t in)
{
    int64_t between = sub_ns(c->start_ns[in], c->end_ns[out]);
    int64_t most = length(c, out) > BETWEEN_NS ? length(c, out) : BETWEEN_NS;
    return c->bytes[out] == c->bytes[in] && between >= 0 && between <= most;
}

static void visit(struct trips_of *s, const struct copies *c, uint32_t row)
{
    bool to_host = c->kind[row] == COPY_D2H;
    uint8_t memory = to_host ? c->dst_memory[row] : c->src_memory[row];
    if (c->bytes[row] == BYTES_UNKNOWN || c->bytes[row] < LEAST_BYTES)
        return;
    if (memory == MEMORY_PINNED || to_host == (s->out != 0) ||
        (!to_host && !belongs(c, s->out - 1, row)))
        s->otherwise = true;
    else
        s->n += !to_host;
    s->out = to_host ? row + 1 : 0;
}

static void count(struct round_trips *out, const struct copies *c, uint32_t row, uint8_t *gone)
{
    bool to_host = c->kind[row] == COPY_D2H;
    int64_t *ns = to_host ? &out->out_ns : &out->in_ns;
    if (c->bytes[row] == BYTES_UNKNOWN || c->bytes[row] < LEAST_BYTES)
        return;
    *ns = add_ns(*ns, length(c, row));
    out->n += to_host;
    out->bytes = add_bytes(out->bytes, c->bytes[row]);
    if (to_host && (out->longest == NO_INDEX || length(c, row) > length(c, out->longest)))
        out->longest = row;
    if (gone)
        gone[row] = 1;
}

void round_trips_find(struct round_trips *out, const struct view *v, uint8_t *gone,
                      struct arena *temporary)
{
    const struct trace *t = v->trace;
    const struct copies *c = &t->copies;
    struct trips_of *of = arena_array(temporary, struct trips_of, t->streams.n + 1);
    *out = (struct round_trips){.longest = NO_INDEX};
    for (int pass = 0; pass < 2; pass++) {
        for (size_t g = 0; g < v->n_gpus; g++) {
            for (size_t i = 0; i < v->gpus[g].n_copies; i++) {
                uint32_t row = v->gpus[g].copies[i];
                struct trips_of *s =
                    &of[c->stream[row] < t->streams.n ? c->stream[row] : t->streams.n];
                if (c->kind[row] != COPY_D2H && c->kind[row] != COPY_H2D)
                    continue;
                if (!pass)
                    visit(s, c, row);
                else if (!s->otherwise && s->n >= LEAST_TRIPS)
                    count(out, c, row, gone);
            }
        }
    }
}
