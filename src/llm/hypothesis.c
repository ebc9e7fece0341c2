#include "llm/hypothesis.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "llm/json_copy.h"

const char *hypotheses_array(const char *text, size_t *start, struct arena *a)
{
    enum { TRIES = 64 };
    const char *end = text ? strrchr(text, ']') : NULL;
    int tries = 0;
    for (const char *p = end ? strchr(text, '[') : NULL; p && p < end && tries < TRIES;
         p = strchr(p + 1, '['), tries++) {
        const char *json = json_changed(arena_strndup(a, p, (size_t)(end - p + 1)), NULL, a);
        if (json && *json == '[') {
            if (start)
                *start = (size_t)(p - text);
            return json;
        }
    }
    return NULL;
}

void amdahl_bounds(double share_pct, double *lower, double *upper)
{
    double f = share_pct / 100;
    *lower = *upper = NAN;
    if (isnan(f))
        return;
    *lower = round((1 / (1 - 0.5 * f) - 1) * 1000) / 10;
    if (f < 0.999)
        *upper = round((1 / (1 - f) - 1) * 1000) / 10;
}

/* ---- words ---- */

struct alias {
    const char *word, *means;
};

static const char *const bottlenecks[] = {"compute_bound",
                                          "memory_bound",
                                          "mpi_latency",
                                          "mpi_imbalance",
                                          "cpu_launch_overhead",
                                          "synchronization",
                                          "io",
                                          "other",
                                          NULL};
static const struct alias bottleneck_aliases[] = {
    {"compute", "compute_bound"},
    {"computebound", "compute_bound"},
    {"memory", "memory_bound"},
    {"memorybound", "memory_bound"},
    {"bandwidth_bound", "memory_bound"},
    {"mpi", "mpi_latency"},
    {"mpi_communication", "mpi_latency"},
    {"communication", "mpi_latency"},
    {"mpi_load_imbalance", "mpi_imbalance"},
    {"load_imbalance", "mpi_imbalance"},
    {"imbalance", "mpi_imbalance"},
    {"launch_overhead", "cpu_launch_overhead"},
    {"kernel_launch_overhead", "cpu_launch_overhead"},
    {"cpu_overhead", "cpu_launch_overhead"},
    {"sync", "synchronization"},
    {"synchronisation", "synchronization"},
    {"i_o", "io"},
    {"disk", "io"},
    {NULL, NULL},
};
static const char *const actions[] = {"runtime_config", "launch_config", "code_optimization",
                                      "algorithm", NULL};
static const struct alias action_aliases[] = {
    {"config", "runtime_config"},
    {"runtime", "runtime_config"},
    {"env", "runtime_config"},
    {"environment", "runtime_config"},
    {"launch", "launch_config"},
    {"occupancy", "launch_config"},
    {"code", "code_optimization"},
    {"kernel_optimization", "code_optimization"},
    {"optimization", "code_optimization"},
    {"algorithmic", "algorithm"},
    {NULL, NULL},
};
static const char *const levels[] = {"high", "medium", "low", NULL};
static const struct alias level_aliases[] = {
    {"very_high", "high"}, {"critical", "high"},  {"moderate", "medium"}, {"med", "medium"},
    {"minor", "low"},      {"negligible", "low"}, {NULL, NULL},
};

/* Lower case, runs of blanks, '-' and '/' as one '_', none at the ends. */
static const char *canonical(const char *word, struct arena *a)
{
    struct str out;
    str_init(&out, a);
    for (; *word; word++) {
        bool gap = *word == '_' || *word == '-' || *word == '/' || isspace((unsigned char)*word);
        if (!gap)
            str_putc(&out, (char)tolower((unsigned char)*word));
        else if (out.len && out.buf[out.len - 1] != '_')
            str_putc(&out, '_');
    }
    while (out.len && out.buf[out.len - 1] == '_')
        out.buf[--out.len] = 0;
    return out.buf;
}

struct reading {
    struct hypothesis *h;
    struct arena *arena;
};

static void note(struct reading *r, const char *text)
{
    vec_push(&r->h->coercion_notes, r->arena, text);
}

static const char *word_of(struct reading *r, const char *member, const char *given,
                           const char *const *words, const struct alias *aliases,
                           const char *otherwise)
{
    const char *c = given ? canonical(given, r->arena) : "";
    for (size_t i = 0; words[i]; i++)
        if (str_eq(words[i], c))
            return words[i];
    for (size_t i = 0; aliases[i].word; i++)
        if (str_eq(aliases[i].word, c)) {
            note(r,
                 arena_printf(r->arena, "%s '%.60s' taken as %s", member, given, aliases[i].means));
            return aliases[i].means;
        }
    note(r, arena_printf(r->arena, "%s '%.60s' is unknown; taken as %s", member, given ? given : "",
                         otherwise ? otherwise : "none"));
    return otherwise;
}

/* ---- one of them ---- */

/* Texts, and lists of texts, which models write where one text is asked for. */
static const char *text_of(struct jread *j, struct arena *a)
{
    if (jr_type(j) == J_STRING) {
        const char *text = jr_strdup(j, a);
        return text ? text : "";
    }
    struct str out;
    struct jwrite w;
    str_init(&out, a);
    jw_init(&w, &out, 0);
    json_copy(j, &w, NULL, NULL);
    return str_eq(out.buf, "null") ? "" : out.buf;
}

static double share_of(struct reading *r, struct jread *j)
{
    double v = NAN;
    if (jr_type(j) == J_NUMBER)
        v = jr_num(j, NAN);
    else if (jr_type(j) == J_STRING) {
        char *end;
        const char *text = jr_strdup(j, r->arena);
        v = text ? strtod(text, &end) : NAN;
        if (text && end == text)
            v = NAN;
    } else if (jr_type(j) == J_NULL) {
        jr_skip(j);
        return NAN;
    } else
        jr_skip(j);
    if (!isfinite(v)) {
        note(r, "runtime_fraction_pct is no number; left out");
        return NAN;
    }
    if (v < 0 || v > 100)
        note(r, arena_printf(r->arena, "runtime_fraction_pct %.4g held between 0 and 100", v));
    return v < 0 ? 0 : v > 100 ? 100 : v;
}

struct words {
    const char *bottleneck, *impact, *action, *confidence;
};

static void read_members(struct reading *r, struct jread *j, struct words *w)
{
    struct hypothesis *h = r->h;
    while (jr_key(j)) {
        const char **to = jr_is(j, "bottleneck_type")   ? &w->bottleneck
                          : jr_is(j, "expected_impact") ? &w->impact
                          : jr_is(j, "action_category") ? &w->action
                          : jr_is(j, "confidence")      ? &w->confidence
                          : jr_is(j, "phase")           ? &h->phase
                          : jr_is(j, "description")     ? &h->description
                          : jr_is(j, "evidence")        ? &h->evidence
                          : jr_is(j, "suggestion")      ? &h->suggestion
                                                        : NULL;
        if (to)
            *to = text_of(j, r->arena);
        else if (jr_is(j, "runtime_fraction_pct"))
            h->runtime_fraction_pct = share_of(r, j);
        else
            jr_skip(j);
    }
}

static void read_one(struct reading *r, struct jread *j)
{
    struct hypothesis *h = r->h;
    struct words w = {0};
    *h = (struct hypothesis){.phase = "whole_profile",
                             .description = "",
                             .evidence = "",
                             .suggestion = "",
                             .runtime_fraction_pct = NAN};
    read_members(r, j, &w);
    h->bottleneck_type =
        word_of(r, "bottleneck_type", w.bottleneck, bottlenecks, bottleneck_aliases, "other");
    h->expected_impact = word_of(r, "expected_impact", w.impact, levels, level_aliases, "medium");
    h->confidence = word_of(r, "confidence", w.confidence, levels, level_aliases, "low");
    h->action_category =
        w.action ? word_of(r, "action_category", w.action, actions, action_aliases, NULL) : NULL;
    if (!*h->phase)
        h->phase = "whole_profile";
    amdahl_bounds(h->runtime_fraction_pct, &h->speedup_lower_pct, &h->speedup_upper_pct);
    if (!isnan(h->runtime_fraction_pct) && isnan(h->speedup_upper_pct))
        note(r, "no upper bound: all of the time is claimed");
}

bool hypotheses_read(struct explanation *out, const char *text, struct arena *a)
{
    enum { MOST = 64 };
    const char *json = hypotheses_array(text, NULL, a);
    if (!json)
        return false;
    struct jread *j = jr_text(a, json, strlen(json));
    jr_array(j);
    while (jr_item(j)) {
        if (jr_type(j) != J_OBJECT || out->hypotheses.n >= MOST) {
            jr_skip(j);
            continue;
        }
        jr_object(j);
        struct hypothesis *h = vec_add(&out->hypotheses, a);
        read_one(&(struct reading){h, a}, j);
    }
    return true;
}

/* ---- comparisons ---- */

/* The number a text begins with; its unit is the other's, too, or the two cannot be compared. */
static double number_of(const char *text, const char **unit)
{
    char *end;
    double v = text ? strtod(text, &end) : NAN;
    if (!text || end == text)
        return NAN;
    *unit = end + strspn(end, " ");
    return v;
}

static double change_pct(const struct key_difference *k)
{
    const char *unit_a = "", *unit_b = "";
    double a = number_of(k->profile_a, &unit_a), b = number_of(k->profile_b, &unit_b);
    if (!isfinite(a) || !isfinite(b) || a == 0 || !str_eq(unit_a, unit_b))
        return NAN;
    return round(1000 * (b - a) / a) / 10;
}

static void read_difference(struct explanation *out, struct jread *j, struct arena *a)
{
    struct key_difference k = {0};
    while (jr_key(j)) {
        const char **to = jr_is(j, "metric")      ? &k.metric
                          : jr_is(j, "phase")     ? &k.phase
                          : jr_is(j, "profile_a") ? &k.profile_a
                          : jr_is(j, "profile_b") ? &k.profile_b
                          : jr_is(j, "note")      ? &k.note
                                                  : NULL;
        if (to)
            *to = text_of(j, a);
        else
            jr_skip(j);
    }
    k.magnitude_pct = change_pct(&k);
    if (k.metric && *k.metric && out->differences.n < 32)
        vec_push(&out->differences, a, k);
}

size_t differences_read(struct explanation *out, const char *text, struct arena *a)
{
    size_t start, n = strlen(text);
    const char *json = hypotheses_array(text, &start, a);
    if (!json)
        return n;
    struct jread *j = jr_text(a, json, strlen(json));
    jr_array(j);
    while (jr_item(j))
        if (jr_type(j) == J_OBJECT) {
            jr_object(j);
            read_difference(out, j, a);
        } else
            jr_skip(j);
    if (!out->differences.n)
        return n;
    const char *fence = NULL; /* the line that opens the block belongs to it */
    for (const char *p = strstr(text, "```"); p && p < text + start; p = strstr(p + 3, "```"))
        fence = p;
    return fence && (size_t)(fence - text) + 12 > start ? (size_t)(fence - text) : start;
}
