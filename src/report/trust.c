#include "report/trust.h"

#define F(member, type, key, doc) ALWAYS(struct quality_reason, member, type, key, doc)
PART(reason_fields, struct quality_reason, F(code, FIELD_TEXT, "code", "name of the check"),
     F(text, FIELD_TEXT, "text", "what was found"), F(count, FIELD_U64, "count", "rows"),
     F(affects, FIELD_TEXT, "affects", "numbers that suffer"),
     F(points, FIELD_I32, "points", "taken off 100"));
#undef F

#define F(member, type, key, doc, ...)                                                             \
    ALWAYS(struct quality_json, member, type, key, doc, ##__VA_ARGS__)
PART(quality_fields, struct quality_json,
     F(grade, FIELD_CHARS, "grade", "", .words = WORDS("A", "B", "C", "D", "F")),
     F(points, FIELD_I32, "points", "0 to 100"),
     F(reasons, FIELD_LIST, "reasons", "all of them", .of = &reason_fields));
#undef F

#define F(member, type, key, doc) ALWAYS(struct capability, member, type, key, doc)
PART(pair_fields, struct capability, F(key, FIELD_TEXT, "capability", ""),
     F(present, FIELD_BOOL, "present", ""));

PART(missing_fields, struct capability, F(key, FIELD_TEXT, "capability", "key among capabilities"),
     F(lacking, FIELD_TEXT, "consequence", "what cannot be said"),
     F(command, FIELD_TEXT, "command", "how to capture it; empty where nothing can"));
#undef F

#define T struct trust_json
static const struct field trust_list[] = {
    ALWAYS(T, quality, FIELD_OBJECT, "quality", "how far the data can be trusted",
           .of = &quality_fields),
};
const struct fields trust_quality_fields = FIELDS("", "", T, trust_list);

static const struct field capability_list[] = {
    ALWAYS(T, capabilities, FIELD_PAIRS, "capabilities", "what the trace can tell",
           .of = &pair_fields),
    ALWAYS(T, missing, FIELD_LIST, "missing", "what a further capture would tell",
           .of = &missing_fields),
};
const struct fields trust_capability_fields = FIELDS("", "", T, capability_list);

void trust_json_make(T *t, const struct quality *q, const struct capabilities *c,
                     struct arena *arena)
{
    *t = (T){.quality = {.grade = {q->grade}, .points = q->points}, .capabilities = *c};
    t->quality.reasons.v = q->reasons.v;
    t->quality.reasons.n = q->reasons.n;
    for (size_t i = 0; i < c->n; i++)
        if (c->v[i].wanted)
            vec_push(&t->missing, arena, c->v[i]);
}
