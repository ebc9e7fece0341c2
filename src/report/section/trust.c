/* How far the numbers can be trusted, and what the trace does not hold. */
#include "base/str.h"
#include "report/section.h"

static bool has(const struct subject *s)
{
    return s->a != NULL;
}

static void quality(const struct subject *s, struct doc *d)
{
    const struct quality *q = &s->a->quality;
    bool good = q->grade == 'A' || q->grade == 'B';
    doc_callout(d,
                good              ? TONE_GOOD
                : q->grade == 'F' ? TONE_BAD
                                  : TONE_WARN,
                "%c, %d of 100 points%s", q->grade, q->points,
                q->reasons.n ? "" : ": every check passed");
    for (size_t i = 0; i < q->reasons.n; i++) {
        const struct quality_reason *r = &q->reasons.v[i];
        doc_item(d, "%s (affects %s; -%d points)", r->text, r->affects, r->points);
    }
}

static const char *keys(const struct capabilities *c, struct arena *a)
{
    struct str list;
    str_init(&list, a);
    for (size_t i = 0; i < c->n; i++)
        if (c->v[i].wanted)
            str_printf(&list, "%s%s", list.len ? ", " : "", c->v[i].key);
    return list.buf;
}

static void missing(const struct subject *s, struct doc *d)
{
    const struct capabilities *c = &s->a->capabilities;
    const char *list = keys(c, d->arena);
    if (*list)
        doc_text(d, "Not in this trace: %s. `gpusight info` has the commands that capture them.",
                 list);
    else
        doc_text(d, "There is nothing more to capture.");
    for (size_t i = 0; i < c->n; i++) {
        const struct capability *v = &c->v[i];
        if (!v->wanted)
            continue;
        doc_open(d, &(struct disclosure){.id = arena_printf(d->arena, "missing-%zu", i),
                                         .title = v->key,
                                         .open = true,
                                         .brief = ""});
        doc_text(d, "Without it: %s.", v->lacking);
        if (v->command && *v->command)
            doc_code(d, "%s", v->command);
        doc_close(d);
    }
    doc_open(d, &(struct disclosure){
                    .id = "captured-0", .title = "What was captured", .open = true, .brief = ""});
    for (size_t i = 0; i < c->n; i++)
        if (c->v[i].present)
            doc_item(d, "%s: %s", c->v[i].key, c->v[i].answers);
    doc_close(d);
}

const struct section section_quality = {"quality",           "Quality", "Data quality",
                                        IN(REPORT_ANALYSIS), has,       quality};
const struct section section_missing = {
    "missing", "Not captured", "What was not captured", IN(REPORT_ANALYSIS), has, missing};
