/* PC samples that are put into a trace by hand. */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "analyze/analysis.h"
#include "base/str.h"

struct made {
    const char *instruction, *source, *type, *stall;
    uint64_t offset;
    enum pc_issued issued;
    uint16_t waves, pipes_issue, pipes_stall;
    int64_t time_ns;
};

static uint32_t string(struct trace *t, const char *text)
{
    return text ? strings_add(&t->strings, text) : 0;
}

static void add(struct trace *t, const struct made *m, size_t times)
{
    struct pc_samples *s = &t->pc_samples;
    for (size_t i = 0; i < times; i++) {
        trace_room(t, pc_samples, 1);
        size_t row = s->n++;
        s->time_ns[row] = m->time_ns ? m->time_ns : 100;
        s->dispatch[row] = 1;
        s->offset[row] = m->offset;
        s->exec_mask[row] = 0xff;
        s->code_object[row] = m->offset ? 3 : 0;
        s->kernel[row] = NO_INDEX;
        s->instruction[row] = string(t, m->instruction);
        s->comment[row] = string(t, m->source);
        s->type[row] = string(t, m->type);
        s->stall[row] = string(t, m->stall);
        s->waves[row] = m->waves;
        s->pipes_issue[row] = m->pipes_issue;
        s->pipes_stall[row] = m->pipes_stall;
        s->issued[row] = (uint8_t)m->issued;
    }
}

static void analyzed(struct analysis *a, struct trace *t, struct arena *arena, int64_t end_ns)
{
    struct analysis_opts o = {.view = {.gpu = -1, .process = -1, .threads = 1}, .max_phases = 1};
    o.view.has_window = end_ns > 0;
    o.view.end_ns = end_ns;
    analysis_run(a, t, &o, arena);
}

static void intervals_are_wilsons(void **state)
{
    (void)state;
    double low, high;
    /* 10 of 100: the textbook interval is 5.52 % to 17.44 %. */
    pc_interval(10, 100, &low, &high);
    assert_true(fabs(low - 5.5229) < 1e-3 && fabs(high - 17.4366) < 1e-3);
    /* 0 of 10: z^2 / (n + z^2) = 3.8415 / 13.8415. */
    pc_interval(0, 10, &low, &high);
    assert_true(low == 0 && fabs(high - 27.7533) < 1e-3);
    pc_interval(10, 10, &low, &high);
    assert_true(fabs(low - 72.2467) < 1e-3 && high == 100);
    pc_interval(1, 0, &low, &high);
    assert_true(isnan(low) && isnan(high));
}

static void samples_are_counted_by_what_they_hit(void **state)
{
    (void)state;
    struct trace t;
    struct arena arena;
    struct analysis a;
    trace_init(&t);
    arena_init(&arena);
    const struct made wait = {.instruction = "s_waitcnt vmcnt(0)",
                              .source = "a.hip:4",
                              .offset = 64,
                              .issued = PC_ISSUED_NO,
                              .stall = "WAITCNT",
                              .type = "NO_INST",
                              .waves = 4,
                              .pipes_stall = 1 << PC_PIPE_VMEM_TEX};
    struct made barred = wait, issued = wait, other = wait, bad = {0};
    barred.stall = "BARRIER_WAIT";
    issued.issued = PC_ISSUED_YES;
    issued.type = "VALU";
    issued.stall = "OTHER_WAIT"; /* means nothing when one was issued */
    issued.offset = 68;
    issued.instruction = "v_add_f32 v0, v1, v2";
    issued.pipes_stall = 0;
    issued.pipes_issue = 1 << PC_PIPE_VALU;
    other.offset = 128; /* the same text elsewhere is another instruction */
    other.source = NULL;
    bad.issued = PC_ISSUED_NO;
    add(&t, &wait, 40);
    add(&t, &barred, 10);
    add(&t, &issued, 30);
    add(&t, &other, 20);
    add(&t, &bad, 7);
    analyzed(&a, &t, &arena, 0);
    const struct pc_sampling *p = &a.pc_sampling;
    assert_string_equal(p->stats.method, "stochastic");
    assert_int_equal(p->stats.samples, 100);
    assert_int_equal(p->stats.invalid, 7);
    assert_int_equal(p->stats.unattributed, 100);
    assert_int_equal(p->stats.issued, 30);
    assert_int_equal(p->stats.stalled, 70);
    assert_true(p->stats.issued_pct == 30 && p->stats.mean_waves == 4 && p->stats.enough);
    assert_int_equal(p->instructions.n, 3);
    const struct pc_instruction_row *r = p->instructions.v;
    assert_int_equal(r[0].offset, 64);
    assert_int_equal(r[0].samples, 50);
    assert_true(r[0].issued_pct == 0 && r[0].top_stall_pct == 80 && r[0].enough);
    assert_string_equal(r[0].top_stall, "WAITCNT");
    assert_true(r[0].mean_lanes == 8);
    assert_true(r[1].offset == 68 && r[1].issued_pct == 100 && !r[1].top_stall);
    assert_true(r[2].offset == 128 && r[2].samples == 20 && !r[2].enough);
    assert_int_equal(p->lines.n, 1);
    assert_int_equal(p->lines.v[0].samples, 80);
    assert_string_equal(p->lines.v[0].instruction, "s_waitcnt vmcnt(0)");
    assert_int_equal(p->reasons.n, 3);
    assert_string_equal(p->reasons.v[0].what, "WAITCNT");
    assert_int_equal(p->reasons.v[0].samples, 60);
    assert_string_equal(p->reasons.v[1].state, "issued");
    assert_string_equal(p->reasons.v[1].meaning, "vector arithmetic");
    assert_int_equal(p->pipes.n, 2);
    assert_true(p->pipes.v[0].issue == 30 && p->pipes.v[0].stall_pct == 0);
    assert_true(p->pipes.v[1].stall == 70 && p->pipes.v[1].stall_pct == 100);
    arena_release(&arena);
    trace_release(&t);
}

static void host_traps_say_nothing_about_issue(void **state)
{
    (void)state;
    struct trace t;
    struct arena arena;
    struct analysis a;
    trace_init(&t);
    arena_init(&arena);
    const struct made early = {.instruction = "s_nop 0", .time_ns = 100};
    struct made late = early;
    late.time_ns = 900;
    add(&t, &early, 3);
    add(&t, &late, 5);
    analyzed(&a, &t, &arena, 500); /* a window */
    assert_string_equal(a.pc_sampling.stats.method, "host trap");
    assert_int_equal(a.pc_sampling.stats.samples, 3);
    assert_int_equal(a.pc_sampling.stats.outside, 5);
    assert_true(isnan(a.pc_sampling.stats.issued_pct) && !a.pc_sampling.stats.enough);
    assert_true(isnan(a.pc_sampling.stats.mean_waves));
    assert_int_equal(a.pc_sampling.reasons.n, 0);
    assert_true(isnan(a.pc_sampling.instructions.v[0].issued_pct));
    arena_release(&arena);
    trace_release(&t);
}

static void more_words_than_expected_share_the_last(void **state)
{
    (void)state;
    struct trace t;
    struct arena arena;
    struct analysis a;
    trace_init(&t);
    arena_init(&arena);
    for (int i = 0; i < 200; i++) {
        const struct made m = {.instruction = "s_nop 0",
                               .issued = PC_ISSUED_NO,
                               .stall = arena_printf(&arena, "REASON_%d", i)};
        add(&t, &m, 1);
    }
    analyzed(&a, &t, &arena, 0);
    uint64_t sum = 0;
    for (size_t i = 0; i < a.pc_sampling.reasons.n; i++)
        sum += a.pc_sampling.reasons.v[i].samples;
    assert_int_equal(sum, 200);
    assert_int_equal(a.pc_sampling.stats.stalled, 200);
    arena_release(&arena);
    trace_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(intervals_are_wilsons),
        unit_test(samples_are_counted_by_what_they_hit),
        unit_test(host_traps_say_nothing_about_issue),
        unit_test(more_words_than_expected_share_the_last),
    };
    return unit_run(tests);
}
