/* code.json: the same rows as the stats file, with the line numbers that wave files use. */
#include <string.h>

#include "att/att_in.h"
#include "base/fs.h"
#include "base/str.h"

enum { MOST_ROWS = 8 * 1024 * 1024, SLOTS = 16 };
enum column { ISA, LINE, SOURCE, CODE_OBJECT, ADDRESS, HIT, LATENCY, STALL, IDLE, COLUMNS };

static const char *const names[COLUMNS] = {"ISA", "LineNumber", "Source", "Codeobj", "Vaddr",
                                           "Hit", "Latency",    "Stall",  "Idle"};

struct layout {
    int of[SLOTS]; /* column at each position, or -1 */
    bool has_stall, has_idle;
};

static const char usual[] = "ISA, _, LineNumber, Source, Codeobj, Vaddr, Hit, Latency, Stall, Idle";

static void parse_header(struct layout *l, const char *text)
{
    memset(l, 0, sizeof(*l));
    for (int i = 0; i < SLOTS; i++)
        l->of[i] = -1;
    for (int i = 0; i < SLOTS && *text; i++) {
        text += strspn(text, " \t");
        size_t n = strcspn(text, ", \t");
        for (int c = 0; c < COLUMNS; c++)
            if (n == strlen(names[c]) && !strncmp(text, names[c], n))
                l->of[i] = c;
        l->has_stall |= l->of[i] == STALL;
        l->has_idle |= l->of[i] == IDLE;
        text += strcspn(text, ",");
        text += *text == ',';
    }
}

/* What the file says of its rows; they are as usual where it says nothing. */
static void read_header(struct att *t, struct layout *l)
{
    const char *text = jr_str(&t->json, NULL);
    if (text && strstr(text, "ISA"))
        parse_header(l, text);
}

static bool read_cell(struct att *t, struct att_row *row, int column)
{
    struct jread *j = &t->json;
    const char *text;
    uint64_t *const numbers[COLUMNS] = {
        [CODE_OBJECT] = &row->code_object, [ADDRESS] = &row->address, [HIT] = &row->hits,
        [LATENCY] = &row->latency,         [STALL] = &row->stall,     [IDLE] = &row->idle};
    switch (column) {
    case ISA:
    case SOURCE:
        text = jr_str(j, NULL);
        if (text && *text)
            *(column == ISA ? &row->text : &row->source) = arena_strdup(&t->arena, text);
        return true;
    case LINE:
        row->line = (uint32_t)jr_uint(j, ATT_NO_LINE);
        return true;
    case -1:
        jr_skip(j);
        return true;
    default:
        if (jr_type(j) != J_NUMBER)
            return jr_skip(j), false;
        *numbers[column] = jr_uint(j, UINT64_MAX);
        return *numbers[column] != UINT64_MAX;
    }
}

static void read_rows(struct att *t, const struct layout *l, struct att_rows *out, size_t *bad)
{
    struct jread *j = &t->json;
    if (!jr_array(j))
        return;
    while (jr_item(j)) {
        struct att_row row = {.line = ATT_NO_LINE};
        bool good = true;
        int i = 0;
        if (!jr_array(j)) {
            ++*bad;
            continue;
        }
        for (; jr_item(j); i++)
            good &= read_cell(t, &row, i < SLOTS ? l->of[i] : -1);
        if (jr_failed(j))
            return;
        if (good && row.text && out->n < MOST_ROWS)
            vec_push(out, &t->arena, row);
        else
            ++*bad;
    }
}

static void read_keys(struct att *t, const struct layout *l, struct layout *said,
                      struct att_rows *out, size_t *bad)
{
    struct jread *j = &t->json;
    if (jr_object(j))
        while (jr_key(j)) {
            if (jr_is(j, "code"))
                read_rows(t, l, out, bad);
            else if (jr_is(j, "header"))
                read_header(t, said);
            else
                jr_skip(j);
        }
}

/*
 * The header stands behind the rows: they are taken to be as usual, and read again where it says
 * otherwise.
 */
bool att_read_code(struct att *t, const char *dir, struct att_rows *out)
{
    const char *path = arena_printf(&t->arena, "%s/code.json", dir);
    struct layout l, said;
    size_t bad = 0;
    if (!fs_exists(path)) {
        att_note(t, "'%s' has no code.json", fs_basename(dir));
        return false;
    }
    if (!att_json_open(t, path))
        return false;
    parse_header(&l, usual);
    said = l;
    read_keys(t, &l, &said, out, &bad);
    if (memcmp(said.of, l.of, sizeof(l.of)) != 0) {
        jr_release(&t->json);
        input_close(&t->input);
        if (!att_json_open(t, path))
            return false;
        l = said;
        bad = out->n = 0;
        read_keys(t, &l, &said, out, &bad);
    }
    out->has_stall = l.has_stall;
    out->has_idle = l.has_idle;
    att_json_close(t, path);
    if (bad)
        att_note(t, "'%s/code.json': %zu row%s not understood, left out", fs_basename(dir), bad,
                 bad == 1 ? " is" : "s are");
    return out->n > 0;
}
