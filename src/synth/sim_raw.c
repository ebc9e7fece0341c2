/* Records with any times at all; nothing else of the simulation feels them. */
#include "synth/sim.h"

static void raw_kernel(struct sim *s, struct thread *t, const struct stmt *st, int64_t a, int64_t b)
{
    const struct stream *stream = sim_find_stream(s, t, st);
    struct symbol *y = sim_find_symbol(s, t, arg_name(s, t, st, K_name));
    if (!y)
        return;
    struct rec_kernel k = sim_kernel_record(s, t, st, y, stream);
    k.start_ns = a;
    k.end_ns = b;
    int64_t last = t->process->last_ns;
    size_t series = t->process->series.n;
    t->process->series.n = 0; /* sensors do not feel it */
    emit_kernel(s, t, &k);
    t->process->series.n = series;
    t->process->last_ns = last;
}

static void raw_copy(struct sim *s, struct thread *t, const struct stmt *st, int64_t a, int64_t b)
{
    const struct stream *stream = sim_find_stream(s, t, st);
    const struct value *d = stmt_arg(st, K_direction);
    struct rec_copy c = {.process = t->process->rec.index, .thread = t->index};
    c.direction = d ? (enum direction)d->word : COPY_H2D;
    bool from = c.direction == COPY_H2D || c.direction == COPY_H2H;
    bool to = c.direction == COPY_D2H || c.direction == COPY_H2H;
    c.stream = stream->id;
    c.src_gpu = from ? -1 : stream->gpu;
    c.dst_gpu = to ? -1 : stream->gpu;
    c.src_agent = from ? 0 : CPU_AGENTS + stream->gpu;
    c.dst_agent = to ? 0 : CPU_AGENTS + stream->gpu;
    c.src_memory = from ? MEM_PINNED : MEM_DEVICE;
    c.dst_memory = to ? MEM_PINNED : MEM_DEVICE;
    c.size = arg_int(s, t, st, K_size, 0);
    c.start_ns = a;
    c.end_ns = b;
    c.async = true;
    int64_t last = t->process->last_ns;
    emit_copy(s, &c);
    t->process->last_ns = last;
}

static void raw_region(struct sim *s, struct thread *t, const struct stmt *st, int64_t a, int64_t b)
{
    bool marker = stmt_arg(st, K_kind)->word == 3;
    const struct value *category = stmt_arg(st, K_category);
    struct rec_region r = {.process = t->process->rec.index, .thread = t->index, .peer = -1};
    r.category = marker ? CAT_MARKER : category ? (enum category)category->word : CAT_HIP;
    r.name = arg_name(s, t, st, K_name);
    if (marker) {
        r.message = r.name;
        r.name = names_adds(&s->program->names, a == b ? "roctxMarkA" : "roctxThreadRangeA");
    }
    r.start_ns = a;
    r.end_ns = b;
    r.corr = ++t->process->corr;
    int64_t last = t->process->last_ns;
    emit_region(s, &r);
    t->process->last_ns = last;
}

static void raw_alloc(struct sim *s, struct thread *t, const struct stmt *st, int64_t a, int64_t b)
{
    const struct value *type = stmt_arg(st, K_type), *level = stmt_arg(st, K_level);
    struct rec_alloc r = {.process = t->process->rec.index, .thread = t->index};
    r.type = type ? (enum alloc_type)type->word : ALLOC_ALLOC;
    r.level = level ? (enum alloc_level)level->word : LEVEL_REAL;
    r.agent = CPU_AGENTS + t->gpu;
    r.size = arg_int(s, t, st, K_size, 0);
    r.start_ns = a;
    r.end_ns = b;
    int64_t last = t->process->last_ns;
    emit_alloc(s, &r);
    t->process->last_ns = last;
}

void raw_execute(struct sim *s, struct thread *t, const struct stmt *st)
{
    int64_t start = sim_time_add(s, s->base_ns, arg_int(s, t, st, K_start, 0));
    int64_t end = sim_time_add(s, s->base_ns, arg_int(s, t, st, K_end, 0));
    sim_need_gpu(s, t->process);
    switch (stmt_arg(st, K_kind)->word) {
    case 0:
        raw_kernel(s, t, st, start, end);
        break;
    case 1:
        raw_copy(s, t, st, start, end);
        break;
    case 4:
        raw_alloc(s, t, st, start, end);
        break;
    default:
        raw_region(s, t, st, start, end);
        break;
    }
}
