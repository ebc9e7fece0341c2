/* stats_*.csv: one row an instruction, "; name" before the rows of a kernel. */
#include <ctype.h>
#include <string.h>

#include "att/att_in.h"
#include "base/fs.h"
#include "base/sat.h"
#include "base/str.h"

enum column { INSTRUCTION, HITS, LATENCY, STALL, IDLE, ADDRESS, CODE_OBJECT, SOURCE, COLUMNS };
enum { MOST_ROWS = 8 * 1024 * 1024, NO_COLUMN = -1 };

/* Names of columns, ours first, then those that other versions used. */
static const char *const names[COLUMNS][4] = {
    [INSTRUCTION] = {"instruction", "isa"},
    [HITS] = {"hitcount", "hit count", "hits", "hit"},
    [LATENCY] = {"latency", "latency (cycles)", "total latency"},
    [STALL] = {"stall", "stall cycles", "stalls"},
    [IDLE] = {"idle", "idle cycles"},
    [ADDRESS] = {"vaddr", "pc_offset", "pc offset", "offset"},
    [CODE_OBJECT] = {"codeobj", "code object", "code_object"},
    [SOURCE] = {"source", "source line", "file:line"},
};

struct header {
    int at[COLUMNS];
};

static bool same_word(const char *text, size_t n, const char *word)
{
    for (; n && isspace((unsigned char)*text); n--)
        text++;
    while (n && isspace((unsigned char)text[n - 1]))
        n--;
    if (n != strlen(word))
        return false;
    for (size_t i = 0; i < n; i++)
        if (tolower((unsigned char)text[i]) != word[i])
            return false;
    return true;
}

static int column_of(const char *text, size_t n)
{
    for (int c = 0; c < COLUMNS; c++)
        for (int k = 0; k < 4 && names[c][k]; k++)
            if (same_word(text, n, names[c][k]))
                return c;
    return NO_COLUMN;
}

/* The header; the first of two columns with one meaning counts. */
static bool read_header(struct att *t, const char *file, struct header *h)
{
    size_t unknown = 0;
    for (int c = 0; c < COLUMNS; c++)
        h->at[c] = NO_COLUMN;
    for (size_t i = 0; i < t->csv.n && i < INT32_MAX; i++) {
        size_t n;
        const char *text = csv_text(&t->csv, i, &n);
        int c = column_of(text, n);
        if (c == NO_COLUMN)
            unknown++;
        else if (h->at[c] == NO_COLUMN)
            h->at[c] = (int)i;
        else
            att_note(t, "'%s': two columns '%s'; the first counts", file, names[c][0]);
    }
    for (int c = 0; c <= LATENCY; c++)
        if (h->at[c] == NO_COLUMN) {
            att_note(t, "'%s' is left out: no column '%s'", file, names[c][0]);
            return false;
        }
    if (unknown)
        att_note(t, "'%s': %zu column%s not known and ignored", file, unknown,
                 unknown == 1 ? " is" : "s are");
    for (int c = STALL; c <= ADDRESS; c++)
        if (h->at[c] == NO_COLUMN)
            att_note(t, "'%s' has no column '%s'", file, names[c][0]);
    return true;
}

/* A count of cycles or hits: no sign, no fraction. */
static bool number(const struct csv *c, int column, uint64_t *v)
{
    double d;
    *v = 0;
    if (column == NO_COLUMN || csv_uint(c, (size_t)column, v))
        return true;
    if (!csv_num(c, (size_t)column, &d) || !(d >= 0 && d < 9e15) || d != floor(d))
        return false;
    *v = count_from(d);
    return true;
}

static const char *text_of(struct att *t, int column)
{
    size_t n;
    if (column == NO_COLUMN)
        return NULL;
    const char *text = csv_text(&t->csv, (size_t)column, &n);
    return n ? arena_strndup(&t->arena, text, n) : NULL;
}

static bool read_row(struct att *t, const struct header *h, struct att_row *row)
{
    const struct csv *c = &t->csv;
    *row = (struct att_row){.line = ATT_NO_LINE};
    if (!number(c, h->at[HITS], &row->hits) || !number(c, h->at[LATENCY], &row->latency) ||
        !number(c, h->at[STALL], &row->stall) || !number(c, h->at[IDLE], &row->idle) ||
        !number(c, h->at[ADDRESS], &row->address) ||
        !number(c, h->at[CODE_OBJECT], &row->code_object))
        return false;
    row->text = text_of(t, h->at[INSTRUCTION]);
    row->source = text_of(t, h->at[SOURCE]);
    return row->text != NULL;
}

static bool is_comment(struct att *t)
{
    size_t n;
    const char *text = csv_text(&t->csv, 0, &n);
    while (n && isspace((unsigned char)*text))
        text++, n--;
    return n && *text == '#';
}

static bool next_row(struct att *t)
{
    while (csv_row(&t->csv))
        if (!is_comment(t))
            return true;
    return false;
}

static void read_rows(struct att *t, const char *file, const struct header *h, struct att_rows *out)
{
    size_t bad = 0, odd = 0;
    while (next_row(t) && out->n < MOST_ROWS) {
        struct att_row row;
        if (t->csv.n < t->csv.columns || !read_row(t, h, &row)) {
            bad++;
            continue;
        }
        odd += row.stall > row.latency;
        vec_push(out, &t->arena, row);
    }
    if (bad)
        att_note(t, "'%s': %zu row%s cut off or without proper numbers, left out", file, bad,
                 bad == 1 ? " is" : "s are");
    if (odd)
        att_note(t, "'%s': %zu instruction%s more stall than latency", file, odd,
                 odd == 1 ? " has" : "s have");
    if (out->n >= MOST_ROWS)
        att_note(t, "'%s': only the first %d rows are read", file, (int)MOST_ROWS);
}

bool att_read_stats(struct att *t, const char *path, struct att_rows *out)
{
    const char *file = fs_basename(path);
    struct gs_error err;
    struct header h;
    if (!input_open_within(&t->input, t->root, path, &err)) {
        att_note(t, "%s", err.text);
        return false;
    }
    csv_open(&t->csv, input_read, &t->input);
    bool ok = next_row(t);
    if (!ok)
        att_note(t, "'%s' is empty", file);
    else if ((ok = read_header(t, file, &h))) {
        out->has_stall = h.at[STALL] != NO_COLUMN;
        out->has_idle = h.at[IDLE] != NO_COLUMN;
        read_rows(t, file, &h, out);
    }
    if (!csv_end(&t->csv, &err) || !input_error(&t->input, &err))
        att_note(t, "'%s': %s; what was read before is used", file, err.text);
    csv_release(&t->csv);
    input_close(&t->input);
    if (ok && !out->n)
        att_note(t, "'%s' has no instruction", file);
    return ok && out->n;
}
