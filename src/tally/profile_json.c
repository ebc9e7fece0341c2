/*
 * Profiles of rocprof-sys as JSON: {"timemory": {"wall_clock": {..., "ranks": [{"rank": 0, "graph":
 * [{"prefix", "depth", "entry", "stats"}, ...]}]}}}, and the tree of the same, in which "graph" (or
 * "mpi") holds nodes with "children". A file may hold both; then the list is read.
 */
#include <math.h>
#include <string.h>

#include "base/input.h"
#include "base/jread.h"
#include "base/str.h"
#include "tally/tally_in.h"

enum { MOST_VALUES = 64, DEEPEST = 256 };

static bool detect(const struct probe *p)
{
    static const char key[] = "\"timemory\"";
    size_t i = 0;
    if (p->is_sqlite)
        return false;
    while (i < p->n && strchr(" \t\r\n\xef\xbb\xbf", p->head[i]) && p->head[i])
        i++;
    if (i >= p->n || p->head[i++] != '{')
        return false;
    while (i < p->n && p->head[i] && strchr(" \t\r\n", p->head[i]))
        i++;
    return p->n - i >= sizeof(key) - 1 && !memcmp(p->head + i, key, sizeof(key) - 1);
}

/* Numbers that are one, or a list of as many as the measure has values. */
struct values {
    double v[MOST_VALUES];
    size_t n;
};

struct measure {
    struct tally *t;
    struct jread *j;
    const char *path, *name;
    const char *types[MOST_VALUES], *units[MOST_VALUES];
    size_t n_types, n_units;
    int64_t rank;
    bool has_list; /* rows of "ranks": the tree says nothing new */
};

struct node {
    struct values count, sum, mean, least, most, variance, deviation, laps, shown, self;
};

static void read_values(struct jread *j, struct values *out)
{
    *out = (struct values){.n = 0};
    if (jr_type(j) == J_ARRAY && jr_array(j)) {
        while (jr_item(j)) {
            double v = jr_num(j, NAN);
            if (out->n < MOST_VALUES)
                out->v[out->n++] = v;
        }
    } else {
        out->v[0] = jr_num(j, NAN);
        out->n = isnan(out->v[0]) ? 0u : 1u;
    }
}

static size_t read_words(struct measure *m, const char **out)
{
    size_t n = 0, len;
    if (jr_type(m->j) == J_ARRAY && jr_array(m->j)) {
        while (jr_item(m->j)) {
            const char *text = jr_str(m->j, &len);
            if (n < MOST_VALUES)
                out[n++] = arena_strndup(m->t->arena, text ? text : "", text ? len : 0);
        }
        return n;
    }
    const char *text = jr_str(m->j, &len);
    out[0] = arena_strndup(m->t->arena, text ? text : "", text ? len : 0);
    return 1;
}

static void read_entry(struct jread *j, struct values *laps, struct values *shown)
{
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "laps"))
            read_values(j, laps);
        else if (jr_is(j, "repr_data"))
            read_values(j, shown);
        else
            jr_skip(j);
    }
}

static void read_stats(struct jread *j, struct node *n)
{
    static const struct {
        const char *key;
        size_t at;
    } known[] = {
        {"count", offsetof(struct node, count)},  {"sum", offsetof(struct node, sum)},
        {"mean", offsetof(struct node, mean)},    {"min", offsetof(struct node, least)},
        {"max", offsetof(struct node, most)},     {"stddev", offsetof(struct node, deviation)},
        {"var", offsetof(struct node, variance)},
    };
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        size_t k = 0;
        while (k < ARRAY_LEN(known) && !jr_is(j, known[k].key))
            k++;
        if (k < ARRAY_LEN(known))
            read_values(j, (struct values *)((char *)n + known[k].at));
        else
            jr_skip(j);
    }
}

static double value(const struct values *v, size_t i)
{
    return i < v->n ? v->v[i] : v->n == 1 && i == 0 ? v->v[0] : NAN;
}

/* A row for each value of the measure. */
static void add_rows(struct measure *m, struct tally_line *l, const struct node *n)
{
    size_t values = n->shown.n > n->sum.n ? n->shown.n : n->sum.n;
    values = values ? values : 1;
    for (size_t i = 0; i < values; i++) {
        const char *unit = i < m->n_units ? m->units[i] : m->n_units == 1 ? m->units[0] : "";
        double count = value(&n->count, n->count.n == 1 ? 0 : i);
        l->metric = values > 1 && i < m->n_types && m->n_types > 1 ? m->types[i] : m->name;
        l->unit = unit;
        count = isnan(count) || count <= 0 ? value(&n->laps, n->laps.n == 1 ? 0 : i) : count;
        l->count = count >= 0 && count < 9e18 ? (int64_t)count : -1;
        l->sum = value(&n->sum, i);
        if (isnan(l->sum))
            l->sum = value(&n->shown, i);
        l->mean = value(&n->mean, i);
        if (isnan(l->mean) && l->count > 0)
            l->mean = l->sum / (double)l->count;
        l->least = value(&n->least, i);
        l->most = value(&n->most, i);
        l->deviation = value(&n->deviation, i);
        l->variance = value(&n->variance, i);
        if (isnan(l->variance))
            l->variance = l->deviation * l->deviation;
        double own = value(&n->self, i);
        l->self_pct = l->sum > 0 ? 100 * own / l->sum : NAN;
        tally_push(m->t, l, i);
    }
}

/* ---- the list ---- */

static void read_item(struct measure *m)
{
    struct jread *j = m->j;
    struct node n = {.count = {.n = 0}};
    struct tally_line l = {.file = m->path, .label = "", .rank = -1, .thread = -1};
    int64_t indent = -1, depth = -1;
    bool named = false;
    size_t len;
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "prefix")) {
            const char *text = jr_str(j, &len);
            if (text)
                l.label = tally_label(text, len, &l, &indent, m->t->arena);
            named = text != NULL;
        } else if (jr_is(j, "depth")) {
            depth = jr_int(j, -1);
        } else if (jr_is(j, "entry")) {
            read_entry(j, &n.laps, &n.shown);
        } else if (jr_is(j, "stats")) {
            read_stats(j, &n);
        } else {
            jr_skip(j);
        }
    }
    if (!named)
        return;
    l.rank = l.rank >= 0 ? l.rank : m->rank;
    l.depth = depth >= 0 ? depth : indent > 0 ? indent : 0;
    add_rows(m, &l, &n);
}

static void read_ranks(struct measure *m)
{
    struct jread *j = m->j;
    size_t n_ranks = 0, before = m->t->lines.n;
    if (!jr_array(j))
        return;
    while (jr_item(j)) {
        m->rank = (int64_t)n_ranks++;
        tally_root(m->t);
        if (!jr_object(j))
            continue;
        while (jr_key(j)) {
            if (jr_is(j, "rank"))
                m->rank = jr_int(j, m->rank);
            else if (jr_is(j, "graph") && jr_array(j))
                while (jr_item(j))
                    read_item(m);
            else if (!jr_is(j, "graph"))
                jr_skip(j);
        }
    }
    if (n_ranks == 1) /* one process says nothing about ranks */
        for (size_t i = before; i < m->t->lines.n; i++)
            m->t->lines.v[i].rank = m->t->lines.v[i].rank == 0 ? -1 : m->t->lines.v[i].rank;
    m->has_list |= m->t->lines.n > before;
}

/* ---- the tree ---- */

static int64_t first_of_list(struct jread *j)
{
    int64_t first = -1;
    size_t n = 0;
    if (jr_type(j) != J_ARRAY)
        return jr_int(j, -1);
    if (jr_array(j))
        while (jr_item(j)) {
            int64_t v = jr_int(j, -1);
            first = n++ ? -1 : v; /* of several threads: added up */
        }
    return first;
}

static void read_side(struct measure *m, struct node *n, bool inclusive)
{
    struct jread *j = m->j;
    struct node other = {.count = {.n = 0}};
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "entry"))
            read_entry(j, inclusive ? &n->laps : &other.laps, inclusive ? &n->shown : &n->self);
        else if (jr_is(j, "stats"))
            read_stats(j, inclusive ? n : &other);
        else
            jr_skip(j);
    }
}

/* The node itself; `depth` counts from 0 below the root, which stands for nothing. */
static void read_node(struct measure *m, int64_t depth)
{
    struct jread *j = m->j;
    struct node n = {.count = {.n = 0}};
    struct tally_line l = {.file = m->path, .rank = m->rank, .thread = -1, .depth = depth};
    int64_t indent;
    size_t len;
    bool named = false;
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "prefix")) {
            const char *text = jr_str(j, &len);
            struct tally_line ignored;
            named = text && !str_starts(text, "unknown-hash=");
            if (named)
                l.label = tally_label(text, len, &ignored, &indent, m->t->arena);
        } else if (jr_is(j, "tid")) {
            l.thread = first_of_list(j);
        } else if (jr_is(j, "inclusive")) {
            read_side(m, &n, true);
        } else if (jr_is(j, "exclusive")) {
            read_side(m, &n, false);
        } else {
            jr_skip(j);
        }
    }
    if (named && depth >= 0)
        add_rows(m, &l, &n);
}

static void read_tree(struct measure *m, int64_t depth)
{
    struct jread *j = m->j;
    if (jr_type(j) == J_ARRAY) {
        if (jr_array(j))
            while (jr_item(j))
                read_tree(m, depth);
        return;
    }
    if (depth > DEEPEST || !jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "node"))
            read_node(m, depth);
        else if (jr_is(j, "children"))
            read_tree(m, depth + 1);
        else
            jr_skip(j);
    }
}

static void read_measure(struct measure *m)
{
    struct jread *j = m->j;
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "type")) {
            m->n_types = read_words(m, m->types);
        } else if (jr_is(j, "unit_repr")) {
            m->n_units = read_words(m, m->units);
        } else if (jr_is(j, "ranks")) {
            read_ranks(m);
        } else if ((jr_is(j, "graph") || jr_is(j, "mpi")) && !m->has_list) {
            m->rank = -1;
            tally_root(m->t);
            read_tree(m, -1);
        } else {
            jr_skip(j);
        }
    }
}

static bool read(struct tally *t, const char *path, struct gs_error *err)
{
    struct arena *temporary = arena_scratch();
    struct input *in = input_new(temporary, path, err);
    struct jread *j = in ? jr_new(temporary, input_read, in) : NULL;
    if (j && jr_object(j))
        while (jr_key(j)) {
            if (!jr_is(j, "timemory")) {
                jr_skip(j);
                continue;
            }
            if (!jr_object(j))
                continue;
            while (jr_key(j)) {
                struct measure *m = arena_new(temporary, struct measure);
                *m = (struct measure){.t = t, .j = j, .path = path, .rank = -1};
                m->name = arena_strndup(t->arena, j->text, j->text_len);
                read_measure(m);
            }
        }
    bool ok = j && jr_end(j, err);
    if (in && !input_error(in, err))
        ok = false;
    arena_release(temporary);
    return ok;
}

const struct tally_kind tally_profile_json = {"a profile of rocprof-sys as JSON", detect, read};
