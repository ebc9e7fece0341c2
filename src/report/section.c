#include "report/section.h"

#include <string.h>

#include "base/opt.h"
#include "base/str.h"
#include "run/run.h"

static const struct section *const all[] = {
#define SECTION(name) &section_##name,
#include "report/sections.def"
#undef SECTION
    NULL,
};

const struct result *section_result(const struct subject *s, const char *key)
{
    return results_find(&s->results, key);
}

static bool belongs(const struct section *p, const struct subject *s)
{
    return (p->in & IN(s->kind)) != 0;
}

static void build(struct doc *d, const struct section *p, const struct subject *s)
{
    if (*p->title)
        doc_section(d, p->name, p->nav, "%s", p->title);
    p->build(s, d);
}

static const struct section *find(const struct subject *s, const char *name)
{
    for (size_t i = 0; all[i]; i++)
        if (belongs(all[i], s) && str_eq(all[i]->name, name))
            return all[i];
    return NULL;
}

bool section_has(const struct subject *s, const char *name)
{
    const struct section *p = find(s, name);
    return p && p->has(s);
}

static bool unknown(const struct subject *s, const char *name, struct arena *a,
                    struct gs_error *err)
{
    VEC(const char *) names = {0};
    for (size_t i = 0; all[i]; i++)
        if (belongs(all[i], s))
            vec_push(&names, a, all[i]->name);
    vec_push(&names, a, NULL);
    const char *near = opt_nearest(name, names.v);
    return near ? fail(err, GS_E_USAGE, "no section '%s'; did you mean '%s'?", name, near)
                : fail(err, GS_E_USAGE, "no section '%s'; see '--list-sections'", name);
}

bool sections_build(struct doc *d, const struct subject *s, const char *names, struct gs_error *err)
{
    bool asked[ARRAY_LEN(all)] = {0};
    d->detailed = names != NULL;
    for (const char *p = names; p && *p; p += *p == ',') {
        size_t n = strcspn(p, ",");
        const char *name = arena_strndup(d->arena, p, n);
        const struct section *found = find(s, name);
        if (!found)
            return unknown(s, name, d->arena, err);
        for (size_t i = 0; all[i]; i++)
            asked[i] |= all[i] == found;
        p += n;
    }
    for (size_t i = 0; all[i]; i++) {
        const struct section *p = all[i];
        if (!belongs(p, s) || (names && !asked[i]))
            continue;
        if (p->has(s))
            build(d, p, s);
        else if (names) {
            doc_section(d, p->name, p->nav, "%s", *p->title ? p->title : p->nav);
            doc_text(d, "There is nothing about this here.");
        }
    }
    return true;
}

struct doc *sections_doc(struct subject *s, enum report_kind kind, const char *title,
                         const char *names, struct arena *arena, struct gs_error *err)
{
    struct doc *d = doc_new(arena);
    s->kind = kind;
    doc_title(d, "%s", title);
    return sections_build(d, s, names, err) ? d : NULL;
}

struct listed {
    const char *name, *title;
    bool there;
};

#define T struct listed
PART(listed_fields, T,
     FIELD(T, name, FIELD_TEXT, "section", NO_UNIT, "as --sections takes it", UNCUT),
     FIELD(T, title, FIELD_TEXT, "title", NO_UNIT, "over it", UNCUT),
     FIELD(T, there, FIELD_BOOL, "there", NO_UNIT, "there is something to show", UNCUT));
#undef T

struct doc *sections_list(const struct subject *s, struct arena *arena)
{
    struct doc *d = doc_new(arena);
    VEC(struct listed) rows = {0};
    for (size_t i = 0; all[i]; i++)
        if (belongs(all[i], s))
            vec_push(&rows, arena,
                     ((struct listed){all[i]->name, *all[i]->title ? all[i]->title : all[i]->nav,
                                      all[i]->has(s)}));
    doc_rows(d, RESULT(listed_fields, rows), &(struct rows){.key = "sections"});
    return d;
}

struct subject subject_of_run(const struct run *run, size_t top)
{
    return (struct subject){.a = run->analysis,
                            .advice = &run->advice,
                            .source = run->source,
                            .links = run->source ? &run->links : NULL,
                            .att = run->att,
                            .top = top};
}
