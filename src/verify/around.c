/*
 * Which words are said around a figure, and how near.
 */
#include "verify/around.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

enum { SENTENCE = 400 };

/* Commas and other figures stand between a figure and words that are not its own; the name of a
 * thing is said once and then meant for a while. */
static double by_distance(const struct context *x, uint32_t word, size_t lo, size_t hi)
{
    const char *t = x->c->r->text.buf;
    bool name = x->c->facts->words.names.v[word];
    double weight = 1;
    for (size_t i = lo; i < hi && weight > 0.15; i++) {
        char before = i ? t[i - 1] : ' ';
        if ((t[i] == ',' || t[i] == ';') && isspace((unsigned char)t[i + 1]))
            weight *= name ? 0.9 : 0.55;
        else if (isdigit((unsigned char)t[i]) && !isalnum((unsigned char)before) && before != '.' &&
                 before != ',' && before != '_')
            weight *= name ? 0.9 : 0.75;
    }
    return weight;
}

static void say(void *ctx, uint32_t word, size_t at)
{
    struct context *x = ctx;
    double weight = x->weight;
    size_t where = x->by_distance ? x->from + at : NO_PASSAGE;
    if (word == NO_INDEX)
        return;
    if (x->by_distance) {
        size_t place = x->from + at, f = x->figure->at, end = f + x->figure->n;
        if (place < x->anchor)
            f = x->anchor;
        size_t lo = place < f ? place : end, hi = place < f ? f : place;
        if (place >= f && place < end)
            return;
        weight = by_distance(x, word, lo, hi);
        x->c->work += (hi - lo) / 2;
    }
    const struct words *words = &x->c->facts->words;
    bool name = words->names.v[word] && words->subjects.v[word];
    x->names_one |= weight > 0.5 && name;
    if (name && where != NO_PASSAGE && x->n_names < NAMES_MAX)
        x->names[x->n_names++] = where;
    for (size_t i = 0; i < x->n; i++)
        if (x->words[i].word == word) {
            if (weight > x->words[i].weight)
                x->words[i] = (struct said){word, weight, where};
            return;
        }
    if (x->n < SAID_MAX)
        x->words[x->n++] = (struct said){word, weight, where};
}

static void add_text(struct context *x, const char *text, size_t n, double weight)
{
    x->weight = weight;
    x->by_distance = false;
    x->c->work += n;
    words_each(&x->c->facts->words, text, n, false, say, x);
}

static void add_passage(struct context *x, size_t passage, double weight)
{
    if (passage == NO_PASSAGE)
        return;
    const struct passage *p = &x->c->r->passages.v[passage];
    add_text(x, x->c->r->text.buf + p->at, p->n < SENTENCE ? p->n : SENTENCE, weight);
}

/* ---- what stands around ---- */

static bool ends_sentence(const char *t, size_t i)
{
    return (t[i] == '.' || t[i] == '!' || t[i] == '?') && isspace((unsigned char)t[i + 1]);
}

/* "(145 ms vs 36.5 ms)": the first of two figures that are set against each other. */
static bool set_against(const struct context *x)
{
    static const char *const words[] = {" vs ",      " vs. ",         " versus ",
                                        " against ", " compared to ", " compared with "};
    const char *p = x->c->r->text.buf + x->figure->at + x->figure->n;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (!strncmp(p, words[i], strlen(words[i])) && isdigit((unsigned char)p[strlen(words[i])]))
            return true;
    return false;
}

/* Whether a comma stands between the figure and what is said behind it. */
static bool new_clause(const struct context *x, size_t at)
{
    const char *t = x->c->r->text.buf;
    for (size_t i = x->figure->at + x->figure->n; i < at; i++)
        if (t[i] == ',' || t[i] == ';')
            return true;
    return false;
}

/* Of several names in a sentence a figure belongs to the last one before it, or to one close
 * behind it; the words of the others are hardly meant. Of two things and two figures the first
 * belongs to the first. */
static void keep_nearest_name(struct context *x)
{
    size_t best = NO_PASSAGE, least = SIZE_MAX, at = x->figure->at, before = NO_PASSAGE,
           second = NO_PASSAGE;
    for (size_t i = 0; i < x->n_names; i++)
        if (x->names[i] < at && x->names[i] != before) {
            second = before;
            before = x->names[i];
        }
    if (second != NO_PASSAGE && set_against(x))
        at = second + 1;
    for (size_t i = 0; i < x->n_names; i++) {
        size_t far = x->names[i] < at ? at - x->names[i]
                                      : (x->names[i] - at) * (new_clause(x, x->names[i]) ? 20 : 3);
        if (far < least)
            least = far, best = x->names[i];
    }
    for (size_t i = 0; i < x->n; i++)
        for (size_t k = 0; k < x->n_names; k++)
            if (x->words[i].place == x->names[k] && x->names[k] != best) {
                x->words[i].weight *= 0.35;
                break;
            }
}

/* Whether nothing but signs and words for "the same" stand between. */
static bool same_again(const char *t, size_t from, size_t to, bool other_dimension)
{
    static const char *const words[] = {"or",    "i.e.",    "ie",    "that is",
                                        "about", "roughly", "around"};
    bool said = other_dimension;
    if (to - from > 24)
        return false;
    for (size_t i = from; i < to;) {
        size_t n = 0;
        for (size_t k = 0; k < ARRAY_LEN(words) && !n; k++)
            if (to - i >= strlen(words[k]) && !memcmp(t + i, words[k], strlen(words[k])))
                n = strlen(words[k]), said |= k < 4;
        if (!n && !strchr(" ,;(=~:", t[i]))
            return false;
        i += n ? n : 1;
    }
    return said;
}

/* "idle for 112 ms, or 18.4 %": the second figure stands, as far as words go, where the first does. */
static size_t anchor_of(const struct context *x, size_t passage, size_t i)
{
    const struct checking *c = x->c;
    const struct figure *v = c->figures.v;
    size_t at = i;
    while (at > c->first[passage] && i - at < 8 && v[at - 1].dim != DIM_NAME &&
           same_again(c->r->text.buf, v[at - 1].at + v[at - 1].n, v[at].at,
                      v[at - 1].dim != v[at].dim && v[at].dim != DIM_NUMBER &&
                          v[at - 1].dim != DIM_NUMBER))
        at--;
    return v[at].at;
}

static void add_sentence(struct context *x, size_t passage)
{
    const struct reading *r = x->c->r;
    const char *t = r->text.buf;
    size_t first = passage, last = passage;
    while (first && r->passages.v[first - 1].goes_on == first && passage - first < 4)
        first--;
    while (r->passages.v[last].goes_on == last + 1 && last - passage < 4)
        last++;
    size_t from = x->figure->at, to = from + x->figure->n;
    size_t least = r->passages.v[first].at, most = r->passages.v[last].at + r->passages.v[last].n;
    while (from > least && x->figure->at - from < SENTENCE && !ends_sentence(t, from - 1))
        from--;
    while (to < most && to - x->figure->at < SENTENCE && !ends_sentence(t, to))
        to++;
    x->weight = 1;
    x->by_distance = true;
    x->from = from;
    x->c->work += 4 * (to - from); /* as long as four of other kinds take */
    words_each(&x->c->facts->words, t + from, to - from, false, say, x);
    keep_nearest_name(x);
}

static const struct place *cell_of(const struct checking *c, const struct passage *p, size_t at,
                                   size_t *column)
{
    if (!p->n_cells)
        return NULL;
    const struct place *cells = &c->r->cells.v[p->cells];
    size_t i = 0;
    BISECT(i, p->n_cells, mid, cells[mid].at + cells[mid].n <= at);
    if (i == p->n_cells || at < cells[i].at)
        return NULL;
    *column = i;
    return &cells[i];
}

static void use_unit(struct figure *f, const char *words, size_t n)
{
    enum dimension dim;
    double scale;
    if (f->dim != DIM_NUMBER || f->scale != 1 || !unit_of_words(words, n, &dim, &scale))
        return;
    f->dim = dim;
    f->scale = scale;
    f->value *= scale;
    f->tolerance *= scale;
}

enum { TITLE_MAX = 200 };

/* "TotalDurationNs" as "Total Duration (ns)": words of titles that are written as one. */
static size_t divided(char *out, const char *title, size_t n)
{
    size_t used = 0, last = 0;
    if (n > TITLE_MAX / 3 || memchr(title, ' ', n) || memchr(title, '_', n))
        return 0;
    for (size_t i = 0; i < n; i++) {
        if (i && isupper((unsigned char)title[i]) && islower((unsigned char)title[i - 1])) {
            out[used++] = ' ';
            last = used;
        }
        out[used++] = title[i];
    }
    if (last && used - last == 2 && out[last + 1] == 's' && strchr("NUM", out[last])) {
        char unit = (char)tolower((unsigned char)out[last]);
        const char in_brackets[] = {'(', unit, 's', ')'};
        memcpy(out + last, in_brackets, sizeof(in_brackets));
        used = last + sizeof(in_brackets);
    }
    return last ? used : 0;
}

/* What a column or a member is called. */
static void add_title(struct context *x, const char *title, size_t n, struct figure *f)
{
    char words[TITLE_MAX + 8];
    size_t more = divided(words, title, n);
    x->titled = true;
    use_unit(f, title, n);
    use_unit(f, words, more);
    if (f->dim == DIM_NUMBER && f->scale == 1 && n >= 7 && !strncasecmp(title, "percent", 7))
        f->dim = DIM_PCT;
    add_text(x, title, n, 1);
    add_text(x, words, more, 1);
}

/* "gpu_utilization_pct = 81.6", "total_s 0.145": a key of a program in a sentence. */
static void add_key(struct context *x, const struct passage *p, struct figure *f)
{
    const char *t = x->c->r->text.buf;
    size_t end = f->at, start;
    while (end > p->at && strchr(" =:", t[end - 1]))
        end--;
    for (start = end;
         start > p->at && (isalnum((unsigned char)t[start - 1]) || t[start - 1] == '_');)
        start--;
    if (end == f->at || f->at - end > 4 || !memchr(t + start, '_', end - start))
        return;
    enum dimension dim;
    double scale;
    bool unit = unit_of_words(t + start, end - start, &dim, &scale);
    if (!unit && !memchr(t + end, '=', f->at - end) && !memchr(t + end, ':', f->at - end))
        return; /* the name of something, with a number behind it */
    add_title(x, t + start, end - start, f);
    x->counted = true;
}

/* A name that stands alone, and that facts are called by. */
static void add_name(struct context *x, const char *text, size_t n)
{
    uint64_t whole = fact_name(text, n);
    x->c->work += n / 4;
    if (!x->whole && whole && idmap_get(&x->c->facts->wholes, whole) != NO_INDEX)
        x->whole = whole;
}

/* Cells at the start of a row, and beside a cell, that say what it is about: a row of more is none. */
enum { CELLS_NEAR = 48 };

/* The title of its column, and what the other cells of the row say. */
static void add_row(struct context *x, const struct passage *p, struct figure *f)
{
    const struct reading *r = x->c->r;
    size_t column = 0;
    x->c->work += p->n_cells < 3 * CELLS_NEAR ? p->n_cells : 3 * CELLS_NEAR;
    if (!cell_of(x->c, p, f->at, &column))
        return;
    if (p->titles != NO_PASSAGE && column < r->passages.v[p->titles].n_cells) {
        const struct place *title = &r->cells.v[r->passages.v[p->titles].cells + column];
        add_title(x, r->text.buf + title->at, title->n, f);
        x->counted = true;
    }
    for (size_t i = 0; i < p->n_cells && i < column + CELLS_NEAR; i++) {
        const struct place *cell = &r->cells.v[p->cells + i];
        if (i == CELLS_NEAR && column > 2 * CELLS_NEAR)
            i = column - CELLS_NEAR;
        if (i == column || isdigit((unsigned char)r->text.buf[cell->at]))
            continue;
        add_text(x, r->text.buf + cell->at, cell->n, 1);
        add_name(x, r->text.buf + cell->at, cell->n);
    }
    x->counted |= column > 0;
}

static void add_names(struct context *x, const struct str *names, double weight)
{
    add_text(x, names->buf, names->len, weight);
    for (size_t i = 0; i < names->len;) {
        size_t n = strcspn(names->buf + i, "\n");
        add_name(x, names->buf + i, n);
        i += n + 1;
    }
}

static void add_member(struct context *x, const struct passage *p, struct figure *f)
{
    const struct reading *r = x->c->r;
    add_text(x, p->path, strlen(p->path), 0.6);
    add_title(x, p->key, strlen(p->key), f);
    x->counted = p->is_number;
    double weight = 1;
    for (uint32_t o = p->object; o != NO_INDEX && weight > 0.3;
         o = r->objects.v[o].parent, weight *= 0.6)
        if (r->objects.v[o].names.buf)
            add_names(x, &r->objects.v[o].names, weight);
}

/* Ends of a range are the least and the most. */
static void add_side(struct context *x)
{
    if (x->figure->side)
        add_text(x, x->figure->side == SIDE_LOW ? "min" : "max", 3, 0.8);
}

static void add_dimension(struct context *x)
{
    static const char *const words[] = {[DIM_TIME] = "time duration total",
                                        [DIM_BYTES] = "bytes",
                                        [DIM_RATE] = "bandwidth",
                                        [DIM_PCT] = "share pct",
                                        [DIM_RATIO] = "times faster"};
    const char *w = x->figure->dim < ARRAY_LEN(words) ? words[x->figure->dim] : NULL;
    if (w)
        add_text(x, w, strlen(w), 0.5);
}

/* "the first 3 findings", "top 5 kernels": how many are looked at, not how many there are. */
static bool behind_a_choice(const struct checking *c, const struct passage *p,
                            const struct figure *f)
{
    static const char *const words[] = {"first ", "top ",   "last ", "next ",
                                        "other ", "these ", "those "};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        size_t n = strlen(words[i]);
        if (f->at - p->at >= n && !strncasecmp(c->r->text.buf + f->at - n, words[i], n))
            return true;
    }
    return false;
}

/* "1,800 kernels", "kernels: 1,800", "calls 120" */
static bool beside_a_count(const struct checking *c, const struct passage *p,
                           const struct figure *f)
{
    static const char counted[] =
        " kernel kernels call calls launch launches dispatch dispatches copy copies gpu gpus "
        "process processes rank ranks thread threads stream streams transfers transfer gaps gap sync syncs "
        "synchronizations allocations iterations steps phases findings events markers ranges waits times waves "
        "workgroups blocks names queues cus sms registers instances count number memcpys ";
    const char *t = c->r->text.buf;
    size_t i = f->at + f->n, end = p->at + p->n;
    for (int words = 0; words < 3 && i < end; words++) {
        char word[40] = " ";
        size_t n = 1;
        while (i < end && t[i] == ' ')
            i++;
        while (i < end && isalpha((unsigned char)t[i]) && n < 36)
            word[n++] = (char)tolower((unsigned char)t[i++]);
        if (n == 1)
            break;
        word[n++] = ' ';
        word[n] = 0;
        if (strstr(counted, word))
            return true;
        if (i < end && t[i] != ' ')
            break;
    }
    /* "calls: 120", "kernels 1,800" */
    size_t stop = f->at;
    while (stop > p->at && strchr(" :=", t[stop - 1]))
        stop--;
    size_t start = stop;
    while (start > p->at && isalpha((unsigned char)t[start - 1]))
        start--;
    char before[40] = " ";
    if (stop == start || stop - start > 30 || f->at - stop > 3 || stop == f->at)
        return false;
    for (size_t k = 0; k < stop - start; k++)
        before[k + 1] = (char)tolower((unsigned char)t[start + k]);
    strcat(before, " ");
    /* "GPU 0" and "rank 3" name one */
    bool plural = before[stop - start] == 's' || t[stop] == ':' || t[stop] == '=';
    return plural && strstr(counted, before);
}

/* "called 60 times" is a count, "1.77 times as fast" is none. */
static void tell_times(const struct checking *c, const struct passage *p, struct figure *f)
{
    static const char *const ratio[] = {" as ",  " fast", " slow",  " more", " long",
                                        " high", " less", " large", " the "};
    const char *t = c->r->text.buf;
    size_t end = f->at + f->n, most = p->at + p->n;
    if (f->dim != DIM_RATIO || t[end - 1] != 's' || f->value != floor(f->value))
        return;
    for (size_t i = 0; i < ARRAY_LEN(ratio); i++)
        if (most - end >= strlen(ratio[i]) && !memcmp(t + end, ratio[i], strlen(ratio[i])))
            return;
    f->dim = DIM_NUMBER;
}

/* gemm<half, 256, 128>, kernel(int, 4), v[10:11]: no figures but parts of a name. */
static bool inside_name(const struct checking *c, const struct passage *p, const struct figure *f)
{
    const char *t = c->r->text.buf;
    int closed = 0;
    for (size_t i = f->at; i > p->at + 1 && f->at - i < 400; i--) {
        char o = t[i - 1];
        if (o == ';' || o == '\n' || (o == ' ' && t[i - 2] == ' '))
            return false;
        if (o == '>' || o == ')' || o == ']')
            closed++;
        if (o != '<' && o != '[' && o != '(')
            continue;
        if (closed)
            closed--;
        else if (isalnum((unsigned char)t[i - 2]) || t[i - 2] == '_')
            return true;
    }
    return false;
}

/* Whether it stands in a cell, or a text of JSON, that is the name of something. */
static bool in_known_name(struct checking *c, const struct passage *p, const struct figure *f)
{
    size_t column;
    const struct place *cell = cell_of(c, p, f->at, &column);
    struct place whole = cell ? *cell : (struct place){p->at, p->path ? p->n : 0};
    if (whole.at == f->at)
        return false;
    if (c->cell.at != whole.at || c->cell.n != whole.n) { /* many figures may stand in it */
        uint64_t name = fact_name(c->r->text.buf + whole.at, whole.n);
        c->cell = whole;
        c->cell_is_name = name && idmap_get(&c->facts->wholes, name) != NO_INDEX;
    }
    return c->cell_is_name;
}

bool around_figure(struct context *x, size_t passage, size_t i)
{
    struct checking *c = x->c;
    const struct passage *p = &c->r->passages.v[passage];
    struct figure *f = &c->figures.v[i];
    if (f->dim == DIM_NAME || p->code || (p->is_heading && f->dim == DIM_NUMBER) ||
        (f->dim == DIM_NUMBER && inside_name(c, p, f)) || in_known_name(c, p, f))
        return false;
    bool was_ratio = f->dim == DIM_RATIO;
    tell_times(c, p, f);
    bool times = was_ratio && f->dim == DIM_NUMBER;
    if (times)
        add_text(x, "calls", 5, 0.8);
    if (p->path)
        add_member(x, p, f);
    else if (p->titles != NO_PASSAGE)
        add_row(x, p, f);
    if (!p->path || !p->is_number) {
        x->anchor = anchor_of(x, passage, i);
        add_sentence(x, passage);
        add_key(x, p, f);
    }
    if (f->dim == DIM_NUMBER && f->scale == 1 && !times && !x->counted &&
        (behind_a_choice(c, p, f) || !beside_a_count(c, p, f)))
        return false;
    add_passage(x, p->heading, 0.4);
    add_dimension(x);
    add_side(x);
    return true;
}
