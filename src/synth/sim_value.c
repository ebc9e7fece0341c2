/* What the values of a statement come to when it runs. */
#include "synth/sim.h"

bool sim_evaluate(struct sim *s, struct thread *t, const struct expr *e, int64_t *out)
{
    struct env env = {s->params, t->locals, &t->random};
    if (expr_eval(e, &env, out))
        return true;
    *out = 0;
    sim_fail(s, "the number overflows or divides by zero");
    return false;
}

int64_t sim_value_int(struct sim *s, struct thread *t, const struct value *v, int64_t otherwise)
{
    int64_t n, j;
    if (!v || !v->e)
        return otherwise;
    if (!sim_evaluate(s, t, v->e, &n) || !v->jitter || !sim_evaluate(s, t, v->jitter, &j))
        return n;
    __int128 width = v->jitter_pct ? (__int128)n * j / 100 : j;
    if (width < 0)
        width = -width;
    if (width > MAX_TIME || n > MAX_TIME || n < -MAX_TIME) {
        sim_fail(s, "the jitter is too large");
        return 0;
    }
    return n + random_between(&t->random, (int64_t)-width, (int64_t)width);
}

int64_t arg_int(struct sim *s, struct thread *t, const struct stmt *st, enum key k,
                int64_t otherwise)
{
    return sim_value_int(s, t, stmt_arg(st, k), otherwise);
}

int64_t arg_time(struct sim *s, struct thread *t, const struct stmt *st, enum key k,
                 int64_t otherwise)
{
    const struct value *v = stmt_arg(st, k);
    int64_t n = sim_value_int(s, t, v, otherwise);
    if (n < 0 && v && v->jitter)
        n = 0; /* a wide jitter reaches below zero now and then */
    if (n < 0 || n > MAX_TIME) {
        sim_fail(s, "the number must lie between 0 and 4e18, not %lld", (long long)n);
        n = 0;
    }
    return n;
}

uint32_t arg_name(struct sim *s, struct thread *t, const struct stmt *st, enum key k)
{
    const struct value *v = stmt_arg(st, k);
    if (!v)
        return 0;
    if (v->text.fixed)
        return v->text.id;
    struct str *out = &s->scratch;
    str_clear(out);
    for (size_t i = 0; i < v->text.pieces.n; i++) {
        const struct text_piece *p = &v->text.pieces.v[i];
        int64_t n;
        if (!p->e)
            str_put(out, p->s, p->n);
        else if (sim_evaluate(s, t, p->e, &n))
            str_printf(out, "%lld", (long long)n);
    }
    if (s->program->names.bytes + out->len > MAX_NAME_BYTES ||
        s->program->names.list.n >= MAX_NAMES) {
        sim_fail(s, "too many different names");
        return 0;
    }
    return names_add(&s->program->names, out->buf, out->len);
}

void sim_value_dim(struct sim *s, struct thread *t, const struct value *v, int64_t out[3])
{
    const struct expr *e[3] = {v->e, v->y, v->z};
    for (int i = 0; i < 3; i++) {
        out[i] = 1;
        if (e[i])
            sim_evaluate(s, t, e[i], &out[i]);
        if (out[i] < 1 || out[i] > UINT32_MAX) {
            sim_fail(s, "a size must lie between 1 and 4294967295, not %lld", (long long)out[i]);
            out[i] = 1;
        }
    }
}

int64_t sim_setting(struct sim *s, struct thread *t, enum setting which)
{
    int64_t n = sim_value_int(s, t, &t->process->settings[which], 0);
    return n < 0 ? 0 : n > MAX_TIME ? MAX_TIME : n;
}

int64_t sim_time_add(struct sim *s, int64_t a, int64_t b)
{
    int64_t sum;
    if (!__builtin_add_overflow(a, b, &sum) && sum <= MAX_TIME && sum >= -MAX_TIME)
        return sum;
    sim_fail(s, "time runs over");
    return a;
}

bool sim_exact_start(struct sim *s, struct thread *t, const struct stmt *st, int64_t *start)
{
    const struct value *v = stmt_arg(st, K_at);
    if (!v)
        return false;
    *start = sim_time_add(s, s->base_ns, sim_value_int(s, t, v, 0));
    return true;
}
