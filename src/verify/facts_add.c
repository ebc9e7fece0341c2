/*
 * Where facts come from: tables of results, findings, JSON documents.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "field/field.h"
#include "render/analysis_json.h"
#include "report/section.h"
#include "report/summary_json.h"
#include "run/run.h"
#include "verify/facts.h"

enum { SHARES_MAX = 20000, SENTENCE_MAX = 400 };

/* Numbers that say which one, not how much: their sum means nothing. */
static bool is_identity(const char *key)
{
    static const char *const words[] = {"start",  "end",   "id",    "pid",  "stream", "gpu",
                                        "device", "index", "row",   "rank", "phase",  "first",
                                        "last",   "queue", "level", "depth"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        size_t n = strlen(words[i]);
        const char *at = strstr(key, words[i]);
        if (at && (at == key || at[-1] == '_') && (!at[n] || at[n] == '_'))
            return true;
    }
    return false;
}

static bool is_whole(const struct field *f)
{
    return f->type == FIELD_I64 || f->type == FIELD_U64 || f->type == FIELD_U32;
}

static bool adds_up(const struct field *f)
{
    static const char *const not_sums[] = {"mean", "avg", "min",  "max",       "median",
                                           "p95",  "p99", "per_", "threshold", "limit"};
    if (!is_whole(f) || !f->key || is_identity(f->key))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(not_sums); i++)
        if (strstr(f->key, not_sums[i]))
            return false;
    return true;
}

struct row_name {
    const char *text;
    struct word_list words;
};

/* The texts of a row, and which GPU, rank or phase it is. */
static struct row_name name_of(struct facts *f, const struct result *r, const void *row)
{
    struct row_name out = {0};
    bool named = false;
    for (size_t i = 0; i < r->fields->n; i++) {
        const struct field *d = &r->fields->v[i];
        struct field_value v = field_get(d, row);
        if (!d->key)
            continue;
        if (v.kind == VALUE_TEXT && text_is_name(v.text, strlen(v.text))) {
            if (!named)
                out.text = v.text;
            named = true;
            words_add(&f->words, &out.words, v.text, f->arena);
        } else if ((v.kind == VALUE_INT || v.kind == VALUE_UINT) &&
                   (str_eq(d->key, "gpu") || str_eq(d->key, "rank") || str_eq(d->key, "phase") ||
                    str_eq(d->key, "stream"))) {
            char said[48];
            snprintf(said, sizeof(said), "%s %llu", d->key, (unsigned long long)v.u);
            words_add(&f->words, &out.words, said, f->arena);
            if (!out.text)
                out.text = arena_strdup(f->arena, said);
        }
    }
    return out;
}

static struct fact_kind column_kind(struct facts *f, const struct result *r, const struct field *d,
                                    const char *what, const char *more)
{
    struct fact_kind k = {.what = what};
    words_add(&f->words, &k.words, d->key, f->arena);
    words_add(&f->words, &k.words, d->label, f->arena);
    words_add(&f->words, &k.words, more, f->arena);
    if (r->fields->key)
        words_add(&f->words, &k.table, r->fields->key, f->arena);
    return k;
}

static void add_column(struct facts *f, const struct result *r, const struct field *d,
                       const struct row_name *names)
{
    double scale, total = 0;
    const char *table = r->fields->key ? r->fields->key : "";
    const char *what =
        arena_printf(f->arena, "%s: %s", table, d->label && *d->label ? d->label : d->key);
    struct fact_kind kind = column_kind(f, r, d, what, "");
    kind.dim = facts_dimension(unit_word(d->unit), &scale);
    kind.weak = is_identity(d->key);
    for (size_t i = 0; i < r->n; i++) {
        const void *row = (const char *)r->rows + i * r->fields->row_size;
        double v = field_number(d, row) * scale;
        if (isfinite(v))
            total += v;
        facts_put(f, &kind, v, names[i].text, &names[i].words);
    }
    if (r->is_object || r->n < 2 || !adds_up(d))
        return;
    what = arena_printf(f->arena, "%s, all together", kind.what);
    struct fact_kind summed = column_kind(f, r, d, what, "");
    summed.dim = kind.dim;
    summed.weak = true;
    facts_put(f, &summed, total, NULL, NULL);
    bool divides = kind.dim == DIM_TIME || kind.dim == DIM_BYTES || strstr(d->key, "calls") ||
                   strstr(d->key, "count");
    if (!(total > 0) || r->n > SHARES_MAX || !divides)
        return;
    what = arena_printf(f->arena, "%s, share of all", kind.what);
    struct fact_kind share = column_kind(f, r, d, what, "share");
    share.dim = DIM_PCT;
    share.weak = true;
    for (size_t i = 0; i < r->n; i++) {
        const void *row = (const char *)r->rows + i * r->fields->row_size;
        facts_put(f, &share, 100 * field_number(d, row) * scale / total, names[i].text,
                  &names[i].words);
    }
}

static void add_result(struct facts *f, const struct result *r)
{
    struct row_name *names = arena_array(f->arena, struct row_name, r->n + 1);
    for (size_t i = 0; i < r->n; i++)
        names[i] = name_of(f, r, (const char *)r->rows + i * r->fields->row_size);
    for (size_t i = 0; i < r->fields->n; i++) {
        const struct field *d = &r->fields->v[i];
        if (d->key && !field_is_text(d) && d->type <= FIELD_NUM)
            add_column(f, r, d, names);
    }
    if (r->is_object || !r->fields->key || r->n < 2)
        return;
    struct fact_kind rows = {.weak = true,
                             .what = arena_printf(f->arena, "%s: rows", r->fields->key)};
    words_add(&f->words, &rows.words, r->fields->key, f->arena);
    words_add(&f->words, &rows.words, "rows", f->arena);
    facts_put(f, &rows, (double)r->n, NULL, NULL);
}

void facts_add_results(struct facts *f, const struct results *all)
{
    for (size_t i = 0; i < all->n; i++)
        add_result(f, &all->v[i]);
}

/* ---- JSON ---- */

/* A path without numbers, and what its last key says. */
struct known_path {
    const char *key;
    struct fact_kind kind;
    double scale; /* 0: no value has come yet, the rest is not known */
};

/* What is used again for each value of a document: there may be millions. */
struct values {
    struct facts *f;
    const struct reading *r;
    const char *source;
    struct str what;    /* "analysis: hotspots.calls" */
    struct idmap known; /* its hash to kept */
    VEC(struct known_path) kept;
    struct word_list subject; /* facts_put() copies it */
    uint32_t object;          /* that subject is about; whom is its first name */
    const char *whom;
};

static void learn_path(const struct values *v, struct known_path *p)
{
    struct words *words = &v->f->words;
    p->kind.weak = is_identity(p->key);
    if (!unit_of_words(p->key, strlen(p->key), &p->kind.dim, &p->scale))
        p->kind.dim = DIM_NUMBER, p->scale = 1;
    words_add(words, &p->kind.words, p->key, v->r->arena);
    words_add(words, &p->kind.table, p->kind.what + strlen(v->source), v->r->arena);
}

/* Of a value, behind the source; those that are equal are kept once. */
static struct known_path *known_path(struct values *v, const struct passage *of)
{
    str_clear(&v->what);
    str_printf(&v->what, "%s: ", v->source);
    for (const char *p = of->path; *p; p++) {
        if (*p == '[')
            while (p[1] && *p != ']')
                p++;
        else
            str_putc(&v->what, *p);
    }
    uint64_t key = hash_bytes(v->what.buf, v->what.len);
    uint32_t at = idmap_get(&v->known, key);
    /* a key may have a point in it, and be another for the same path */
    if (at != NO_INDEX && str_eq(v->kept.v[at].key, of->key))
        return &v->kept.v[at];
    idmap_put(&v->known, key, (uint32_t)v->kept.n);
    const char *what =
        at == NO_INDEX ? arena_strdup(v->f->arena, v->what.buf) : v->kept.v[at].kind.what;
    struct known_path one = {.key = of->key, .kind.what = what};
    vec_push_alone(&v->kept, v->r->arena, one);
    return &v->kept.v[v->kept.n - 1];
}

static void add_sentence(struct facts *f, const struct reading *r, const struct passage *p,
                         const char *what)
{
    struct figure
        buffer[16]; /* most have none: a list of its own for each would cost most of all */
    struct figures figures = {.v = buffer, .cap = ARRAY_LEN(buffer)};
    if (p->n > SENTENCE_MAX)
        return;
    figures_find(&figures, r->text.buf, p->at, p->n, r->arena);
    if (!figures.n)
        return;
    const char *text = arena_strndup(f->arena, r->text.buf + p->at, p->n);
    struct fact_kind kind = {.what = what, .weak = true};
    words_add(&f->words, &kind.words, text, f->arena);
    for (size_t i = 0; i < figures.n; i++) {
        const struct figure *one = &figures.v[i];
        kind.dim = one->dim;
        if (one->dim != DIM_NAME && (one->dim != DIM_NUMBER || one->digits > 1))
            facts_put(f, &kind, one->value, text, NULL);
    }
}

/* Whom the members of an object are about; NULL: nobody. */
static const char *add_subject(struct values *v, uint32_t object)
{
    const char *names = object == NO_INDEX ? NULL : v->r->objects.v[object].names.buf;
    if (!names) {
        v->subject.n = 0;
        v->object = NO_INDEX;
        return NULL;
    }
    if (object == v->object)
        return v->whom;
    v->subject.n = 0;
    words_add(&v->f->words, &v->subject, names, v->r->arena);
    v->whom = arena_strndup(v->f->arena, names, strcspn(names, "\n"));
    v->object = object;
    return v->whom;
}

static void add_value(struct values *v, const struct passage *p)
{
    struct facts *f = v->f;
    const struct reading *r = v->r;
    struct known_path *known = known_path(v, p);
    if (!p->is_number) {
        add_sentence(f, r, p, known->kind.what);
        return;
    }
    struct figure buffer[2];
    struct figures one = {.v = buffer, .cap = 2};
    figures_find(&one, r->text.buf, p->at, p->n, r->arena);
    if (one.n != 1 || one.v[0].dim != DIM_NUMBER)
        return;
    if (known->scale == 0)
        learn_path(v, known);
    const char *whom = add_subject(v, p->object);
    facts_put(f, &known->kind, one.v[0].value * known->scale, whom, &v->subject);
}

void facts_add_json(struct facts *f, const char *source, const char *json, size_t n)
{
    struct arena *own = arena_child(f->arena);
    struct reading *r = reading_of(json, n, VERIFY_JSON, own);
    struct values v = {.f = f, .r = r, .source = source, .object = NO_INDEX};
    str_init(&v.what, own);
    idmap_init(&v.known, own);
    for (size_t i = 0; i < r->passages.n; i++) {
        const struct passage *p = &r->passages.v[i];
        if (p->path)
            add_value(&v, p);
    }
    arena_release(own);
}

/* What our own report says in a few words: "GPU busy: 81.6 %; 495 ms of 607 ms". Only the first
 * figure is what the label says; the others are beside it. */
static void add_labelled(struct facts *f, const char *label, const char *value)
{
    struct figures figures = {0};
    figures_find(&figures, value, 0, strlen(value), f->arena);
    struct fact_kind kind = {.what = arena_printf(f->arena, "report: %s", label)};
    words_add(&f->words, &kind.words, label, f->arena);
    size_t alone = kind.words.n;
    for (size_t i = 0; i < figures.n; i++) {
        kind.dim = figures.v[i].dim;
        kind.weak = i > 0;
        if (i == 1)
            words_add(&f->words, &kind.words, value, f->arena);
        if (kind.dim != DIM_NAME && alone)
            facts_put(f, &kind, figures.v[i].value, NULL, NULL);
    }
}

static void add_words(struct facts *f, const char *text)
{
    struct reading *r = reading_of(text, strlen(text), VERIFY_TEXT, f->arena);
    for (size_t i = 0; i < r->passages.n; i++)
        add_sentence(f, r, &r->passages.v[i], "report");
}

static void add_doc(struct facts *f, const struct doc *d)
{
    for (size_t i = 0; i < d->blocks.n; i++) {
        const struct block *b = d->blocks.v[i];
        for (size_t k = 0; k < b->facts.n; k++)
            add_labelled(f, b->facts.v[k].label, b->facts.v[k].value);
        for (size_t k = 0; k < b->bars.n; k++)
            add_labelled(f, b->bars.v[k].label, b->bars.v[k].value);
        if ((b->kind == BLOCK_TEXT || b->kind == BLOCK_ITEM || b->kind == BLOCK_CALLOUT) && b->text)
            add_words(f, b->text);
    }
}

static void add_summary(struct facts *f, const struct run *run)
{
    struct arena *own = arena_child(f->arena);
    struct summary *s = arena_new(own, struct summary);
    struct str json;
    struct jwrite w;
    summary_make(s, run->analysis, own);
    summary_phases(s, own);
    str_init(&json, own);
    jw_init(&w, &json, 0);
    summary_json(s, &w);
    facts_add_json(f, "summary", json.buf, json.len);
    arena_release(own);
}

void facts_add_run(struct facts *f, const struct run *run)
{
    struct results all = {0};
    struct str json;
    struct jwrite w;
    if (!run->analysis)
        return;
    analysis_results(run->analysis, &all, f->arena);
    facts_add_results(f, &all);
    struct arena *own = arena_child(f->arena);
    str_init(&json, own);
    jw_init(&w, &json, 0);
    struct analysis_json_opts o = run_json_opts(run, 0, false);
    o.without_tables = true; /* they are there already, with the names of their columns */
    analysis_json(&w, run->analysis, &run->advice, &o);
    facts_add_json(f, "analysis", json.buf, json.len);
    arena_release(own);
    if (run->trace.kernels.n || run->trace.copies.n)
        add_summary(f, run);
    facts_add_sums(f, run);
    struct subject about = subject_of_run(run, 10);
    about.timeline_limit = 1;
    struct doc *d = analysis_report(&about, NULL, f->arena, NULL);
    if (d)
        add_doc(f, doc_linear(d));
}
