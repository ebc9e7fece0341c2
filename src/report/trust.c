#include "report/trust.h"

void quality_json(struct jwrite *w, const struct quality *q)
{
    char grade[2] = {q->grade, 0};
    jw_open(w, "quality", '{');
    jw_str(w, "grade", grade);
    jw_int(w, "points", q->points);
    jw_open(w, "reasons", '[');
    for (size_t i = 0; i < q->reasons.n; i++) {
        const struct quality_reason *r = &q->reasons.v[i];
        jw_open(w, NULL, '{');
        jw_str(w, "code", r->code);
        jw_str(w, "text", r->text);
        jw_uint(w, "count", r->count);
        jw_str(w, "affects", r->affects);
        jw_int(w, "points", r->points);
        jw_close(w);
    }
    jw_close(w);
    jw_close(w);
}

void capabilities_json(struct jwrite *w, const struct capabilities *c)
{
    jw_open(w, "capabilities", '{');
    for (size_t i = 0; i < c->n; i++)
        jw_bool(w, c->v[i].key, c->v[i].present);
    jw_close(w);
    jw_open(w, "missing", '[');
    for (size_t i = 0; i < c->n; i++) {
        if (c->v[i].present)
            continue;
        jw_open(w, NULL, '{');
        jw_str(w, "capability", c->v[i].key);
        jw_str(w, "consequence", c->v[i].lacking);
        jw_str(w, "command", c->v[i].command);
        jw_close(w);
    }
    jw_close(w);
}
