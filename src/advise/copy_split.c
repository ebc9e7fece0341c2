#include "advise/copy_split.h"

static const enum cause directions[] = {CAUSE_COPY_H2D, CAUSE_COPY_D2H, CAUSE_COPY_P2P};
enum { DIRECTIONS = sizeof(directions) / sizeof(*directions) };

static int64_t slow_part(const struct copy_row *c)
{
    if (!(c->efficiency_pct < SLOW_COPY_PCT) || c->kind == COPY_D2D || c->kind == COPY_SET)
        return 0;
    return (int64_t)((double)c->exposed_ns * (1 - c->efficiency_pct / 100));
}

void copy_split(struct copy_split *s, const struct analysis *a)
{
    *s = (struct copy_split){0};
    for (int i = 0; i < DIRECTIONS; i++)
        s->exposed_ns += ledger_ns(a, directions[i]);
    for (size_t i = 0; i < a->copies.n; i++)
        s->slow_ns += slow_part(&a->copies.v[i]);
    if (s->slow_ns > s->exposed_ns)
        s->slow_ns = s->exposed_ns;
    int64_t rest = s->exposed_ns - s->slow_ns, compute = ledger_ns(a, CAUSE_COMPUTE);
    if ((double)compute < HIDEABLE_SHARE * (double)rest)
        s->bound_ns = rest;
    else
        s->hideable_ns = rest < compute ? rest : compute;
}

void claim_copies(struct finding *f, int64_t ns)
{
    const struct analysis *a = f->analysis;
    int64_t all = 0, given = 0;
    for (int i = 0; i < DIRECTIONS; i++)
        all += ledger_ns(a, directions[i]);
    for (int i = 0; i < DIRECTIONS && all; i++) {
        int64_t part = (int64_t)((double)ns * ((double)ledger_ns(a, directions[i]) / (double)all));
        finding_claim(f, directions[i], part);
        given += part;
    }
    for (int i = 0; i < DIRECTIONS && given < ns; i++) { /* what rounding left over */
        int64_t room = ledger_ns(a, directions[i]) - f->claim[directions[i]];
        int64_t more = ns - given < room ? ns - given : room;
        finding_claim(f, directions[i], more);
        given += more > 0 ? more : 0;
    }
}
