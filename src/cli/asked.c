#include "cli/asked.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

enum { KERNELS_MAX = 64, FLAT_BYTES = 1 << 20 };

static bool is_space(char c)
{
    return isspace((unsigned char)c) != 0;
}

/* Lines end where there was no room: the text without its lines. Values of JSON are left out. */
static const char *flat(const struct reading *r, struct arena *a)
{
    struct str out;
    str_init(&out, a);
    for (size_t i = 0; i < r->passages.n && out.len < FLAT_BYTES; i++) {
        const struct passage *p = &r->passages.v[i];
        for (size_t k = p->at; !p->path && k < p->at + p->n; k++) {
            char c = r->text.buf[k];
            if (!is_space(c) || (out.len && out.buf[out.len - 1] != ' '))
                str_putc(&out, is_space(c) ? ' ' : c);
        }
        str_putc(&out, ' ');
    }
    str_putc(&out, ' ');
    return out.buf;
}

/* From behind `from` to the next `to`; NULL: one of them is not there. */
static const char *between(const char *text, const char *from, const char *to, struct arena *a)
{
    const char *start = strstr(text, from), *end = start ? strstr(start + strlen(from), to) : NULL;
    if (!end)
        return NULL;
    start += strlen(from);
    return arena_strndup(a, start, (size_t)(end - start));
}

/* A text of JSON; NULL: there is none at this path. */
static const char *json_text(const struct reading *r, const char *path, struct arena *a)
{
    for (size_t i = 0; i < r->passages.n; i++) {
        const struct passage *p = &r->passages.v[i];
        if (p->path && str_eq(p->path, path))
            return arena_strndup(a, r->text.buf + p->at, p->n);
    }
    return NULL;
}

/* All texts of a list of JSON, each with `mark` behind it; "" where there is none. */
static const char *json_texts(const struct reading *r, const char *list, const char *mark,
                              struct arena *a)
{
    struct str out;
    str_init(&out, a);
    for (size_t i = 0; i < r->passages.n; i++) {
        const struct passage *p = &r->passages.v[i];
        if (!p->path || !str_starts(p->path, list) || p->path[strlen(list)] != '[')
            continue;
        str_put(&out, r->text.buf + p->at, p->n);
        str_puts(&out, mark);
    }
    return out.len ? out.buf : "";
}

/* The text at before[0]behind, before[1]behind and so on, as far as they are there in this order. */
static void json_each(struct words *out, const struct reading *r, const char *before,
                      const char *behind, struct arena *a)
{
    const char *wanted = arena_printf(a, "%s[0]%s", before, behind);
    for (size_t i = 0; i < r->passages.n; i++) {
        const struct passage *p = &r->passages.v[i];
        if (!p->path || !str_eq(p->path, wanted))
            continue;
        vec_push(out, a, arena_strndup(a, r->text.buf + p->at, p->n));
        wanted = arena_printf(a, "%s[%zu]%s", before, out->n, behind);
    }
}

/* ---- what if ---- */

static void read_kernels(struct change_words *w, const char *said, struct arena *a)
{
    const char **v = arena_array(a, const char *, KERNELS_MAX);
    w->kernels.v = v;
    for (const char *p = said; (p = strstr(p, "kernels '")) && w->kernels.n < KERNELS_MAX;) {
        const char *name = p + strlen("kernels '"), *end = strstr(name, "' take ");
        p = name;
        if (!end)
            return;
        char *stop;
        strtod(end + strlen("' take "), &stop);
        if (!str_starts(stop, " of their time"))
            continue;
        v[w->kernels.n++] =
            arena_printf(a, "%.*s=%.*s", (int)(end - name), name,
                         (int)(stop - end - (ptrdiff_t)strlen("' take ")), end + strlen("' take "));
        p = stop;
    }
}

static void read_removals(struct change_words *w, const char *said, struct arena *a)
{
    const char **v = arena_array(a, const char *, REMOVALS);
    w->remove.v = v;
    for (int i = 0; i < REMOVALS; i++)
        if (strstr(said, removal_said((enum removal)i)))
            v[w->remove.n++] = removal_name((enum removal)i);
}

/* "the link is 2 times as fast": the number, as it is written; NULL: not said. */
static const char *read_number(const char *said, const char *before, const char *behind,
                               struct arena *a)
{
    const char *p = strstr(said, before);
    char *end;
    if (!p)
        return NULL;
    p += strlen(before);
    strtod(p, &end);
    return end != p && str_starts(end, behind) ? arena_strndup(a, p, (size_t)(end - p)) : NULL;
}

/* The longest name of the table that the text begins with; NULL: none. */
static const char *product_at(const char *said)
{
    const char *best = NULL;
    size_t n;
    const struct hardware *all = hardware_table(&n);
    for (size_t i = 0; i < n; i++)
        if (*all[i].product && str_starts(said, all[i].product) &&
            (!best || strlen(all[i].product) > strlen(best)))
            best = all[i].product;
    return best;
}

static void read_words(struct change_words *w, const char *said, struct arena *a)
{
    const struct {
        enum change_said says;
        bool *yes;
    } flags[] = {
        {SAID_GRAPH, &w->graph},
        {SAID_STAY, &w->stay},
        {SAID_PINNED, &w->pinned},
        {SAID_PREFETCH, &w->prefetch},
    };
    const struct {
        enum change_said says;
        const char **word, *is;
    } choices[] = {
        {SAID_MERGE, &w->merge, "copies"},
        {SAID_OPTIMIZER, &w->fuse, "optimizer"},
        {SAID_CHAINS, &w->fuse, "chains"},
        {SAID_OVERLAP, &w->overlap, "copies"},
    };
    read_kernels(w, said, a);
    read_removals(w, said, a);
    for (size_t i = 0; i < ARRAY_LEN(flags); i++)
        *flags[i].yes = strstr(said, change_said(flags[i].says)) != NULL;
    for (size_t i = 0; i < ARRAY_LEN(choices); i++)
        if (strstr(said, change_said(choices[i].says)))
            *choices[i].word = choices[i].is;
    const char *streams = read_number(said, "leave room on the device run ", " at once", a);
    w->streams = streams ? strtol(streams, NULL, 10) : 0;
    w->link = read_number(said, "the link is ", " times as fast", a);
    w->host = read_number(said, "the host takes ", " of its time", a);
    const char *gpu = strstr(said, "the GPU is an ");
    w->gpu = gpu ? product_at(gpu + strlen("the GPU is an ")) : NULL;
}

bool asked_change(struct change *out, const struct reading *r, struct arena *a)
{
    struct change_words w = {.noun = "'"};
    struct gs_error err = {0};
    int64_t rank;
    const char *said =
        json_text(r, "result.predicted_ns", a) ? json_texts(r, "changes", " ", a) : NULL;
    if (!said)
        said = between(flat(r, a), "What if ", " instead of ", a);
    if (!said)
        return false;
    read_words(&w, said, a);
    *out = (struct change){0};
    if (!change_read(out, &w, &rank, a, &err))
        return false;
    out->rank_typical = strstr(said, change_said(SAID_TYPICAL)) != NULL;
    const char *from = read_number(said, "become one graph, from ", " ns", a),
               *to = read_number(said, " ns to ", " ns of the run", a);
    if (from && to) {
        out->graph_from_ns = strtoll(from, NULL, 10);
        out->graph_to_ns = strtoll(to, NULL, 10);
    }
    return true;
}

/* ---- plans ---- */

static unsigned goals_of(const char *said)
{
    unsigned goals = 0;
    for (size_t i = 0; i < GOALS; i++) {
        const char *name = plan_goals[i].name;
        for (const char *p = said; (p = strstr(p, name)); p++)
            if ((p == said || !isalpha((unsigned char)p[-1])) &&
                !isalpha((unsigned char)p[strlen(name)]))
                goals |= 1u << i;
    }
    return goals;
}

/* The value of an option, as a shell reads it; NULL: not there. */
static const char *shell_value(const char *text, const char *option, struct arena *a)
{
    const char *p = strstr(text, option);
    if (!p)
        return NULL;
    p += strlen(option);
    const char *quote = *p == '\'' ? strchr(p + 1, '\'') : NULL;
    return quote ? arena_strndup(a, p + 1, (size_t)(quote - p - 1))
                 : arena_strndup(a, p, strcspn(p, " "));
}

/* Kernels that were given stand in the commands; those that were chosen are said to be. */
static void read_commands(struct plan_request *q, const char *text, struct arena *a)
{
    static const struct {
        const char *name;
        unsigned tool;
    } tools[] = {{"rocprofv3", TOOL_ROCPROFV3},
                 {"rocprof-sys-", TOOL_ROCPROF_SYS},
                 {"rocprof-compute", TOOL_ROCPROF_COMPUTE},
                 {"nsys", TOOL_NSYS},
                 {"ncu", TOOL_NCU}};
    for (size_t i = 0; i < ARRAY_LEN(tools); i++)
        if (strstr(text, arena_printf(a, " %s%s", tools[i].name,
                                      tools[i].tool == TOOL_ROCPROF_SYS ? "" : " ")))
            q->tools |= tools[i].tool;
    const char *folder = shell_value(text, "--output-directory ", a);
    q->out = folder ? folder : "gpusight-plan";
    if (strstr(text, "kernels chosen: "))
        return;
    q->kernel = shell_value(text, "--kernel-include-regex ", a);
    if (!q->kernel) {
        const char *ncu = shell_value(text, "--kernel-name ", a);
        q->kernel = ncu && str_starts(ncu, "regex:") ? ncu + strlen("regex:") : NULL;
    }
}

static bool read_plan(struct plan_request *q, const char *goals, const char *gpu,
                      const char *program, struct arena *a)
{
    struct gs_error err = {0};
    struct words command = {0};
    q->goals = goals_of(goals);
    q->form.rank = -1;
    words_split(&command, program, a);
    if (!command.n)
        vec_push(&command, a, "./app");
    return q->goals && plan_request_gpu(q, gpu, &err) &&
           plan_request_app(q, NULL, &command, a, &err);
}

static bool plan_of_json(struct plan_request *q, const struct reading *r, struct arena *a)
{
    struct str commands;
    const char *source = json_text(r, "gpu.source", a);
    struct gs_error err = {0};
    struct words command = {0}, captures = {0};
    str_init(&commands, a);
    str_puts(&commands, json_texts(r, "notes", " ", a));
    json_each(&captures, r, "captures", ".command", a);
    for (size_t i = 0; i < captures.n; i++)
        str_printf(&commands, " %s ", captures.v[i]);
    read_commands(q, commands.buf ? commands.buf : "", a);
    q->goals = goals_of(json_texts(r, "goals", ", ", a));
    q->form.rank = -1;
    static const char *const parts[] = {"environment", "launcher", "app"};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        struct words one = {0};
        json_each(&one, r, parts[i], "", a);
        for (size_t k = 0; k < one.n; k++)
            vec_push(&command, a, one.v[k]);
    }
    return source && q->goals && command.n &&
           plan_request_gpu(q,
                            str_word(source, plan_gpu_sources) == GPU_AS_GIVEN
                                ? json_text(r, "gpu.product", a)
                                : NULL,
                            &err) &&
           plan_request_app(q, NULL, &command, a, &err);
}

bool asked_plan(struct plan_request *q, const struct reading *r, struct arena *a)
{
    *q = (struct plan_request){0};
    if (json_text(r, "gpu.source", a) && json_text(r, "runs", a))
        return plan_of_json(q, r, a);
    const char *text = flat(r, a), *plan = strstr(text, "Capture plan ");
    const char *gpu = plan ? between(plan, "GPU", " goals", a) : NULL;
    const char *goals = gpu ? between(plan, " goals", " program", a) : NULL;
    const char *program = goals ? between(plan, " program", " captures", a) : NULL;
    if (!program)
        return false;
    if (strstr(program, " left open"))
        program = arena_strndup(a, program, (size_t)(strstr(program, " left open") - program));
    program += strspn(program, ": -*");
    bool given = strstr(gpu, ", as given") != NULL;
    read_commands(q, plan, a);
    return read_plan(q, goals, given ? product_at(gpu + strspn(gpu, ": -*")) : NULL, program, a);
}

/* ---- answers, tables of sums ---- */

const char *asked_question(const struct reading *r, struct arena *a)
{
    const char *json = json_text(r, "answered_by", a) ? json_text(r, "question", a) : NULL;
    if (json)
        return json;
    for (size_t i = 1; i < r->passages.n && i < 400; i++) {
        const struct passage *p = &r->passages.v[i];
        const char *line = r->text.buf + p->at;
        if (p->path || !text_find(line, p->n, "Answered from the analysis, without a language"))
            continue;
        while (i-- > 0) { /* its title: the words before it */
            const struct passage *t = &r->passages.v[i];
            if (!t->path && t->is_heading && t->n)
                return arena_strndup(a, r->text.buf + t->at, t->n);
        }
        return NULL;
    }
    return NULL;
}

/* The word of these that is all of a text, or what it begins with; "" otherwise. */
static const char *first_word(const char *text, size_t n, const char *const *words)
{
    while (n && (is_space(*text) || *text == '|'))
        text++, n--;
    for (; *words; words++) {
        size_t len = strlen(*words);
        if (n >= len && !memcmp(text, *words, len) &&
            (n == len || !isalnum((unsigned char)text[len])))
            return *words;
    }
    return "";
}

/* The same for a row of CSV: the domain stands behind the name of the table. */
static const char *domain_at(const struct reading *r, const struct passage *p,
                             const char *const *words)
{
    const char *word = first_word(r->text.buf + p->at, p->n, words);
    bool sums = p->n_cells && text_find(r->text.buf + p->at, p->n, "domain_summary");
    for (size_t c = 0; sums && !*word && c < p->n_cells; c++) {
        const struct place *cell = &r->cells.v[p->cells + c];
        word = first_word(r->text.buf + cell->at, cell->n, words);
    }
    return word;
}

const char *asked_domains(const struct reading *r, struct arena *a)
{
    static const char *const domains[] = {"HIP",       "HSA",     "RCCL",    "MPI", "OMPT",
                                          "ROCDECODE", "ROCJPEG", "OS",      "KFD", "USER",
                                          "PYTHON",    "OTHER",   "MARKERS", NULL};
    struct str out;
    bool sums = false;
    str_init(&out, a);
    str_puts(&out, "NONE");
    for (size_t i = 0; i < r->passages.n; i++) {
        const struct passage *p = &r->passages.v[i];
        bool json = p->path && str_starts(p->path, "domain_summary");
        sums |= json || (!p->path && text_find(r->text.buf + p->at, p->n, "STD_DEV"));
        const char *word = p->path && !json ? "" : domain_at(r, p, domains);
        if (*word && !p->is_heading && !strstr(out.buf, arena_printf(a, ",%s", word)))
            str_printf(&out, ",%s", word);
    }
    return sums ? out.buf : NULL;
}

static size_t number_at(const char *text, size_t n, size_t *i)
{
    size_t v = 0;
    for (; *i < n && isdigit((unsigned char)text[*i]) && v < 1000000; (*i)++)
        v = v * 10 + (size_t)(text[*i] - '0');
    return v;
}

size_t asked_rows(const char *text, size_t n, bool *sure)
{
    size_t most = 0;
    *sure = false;
    for (size_t i = 0; i < n;) {
        const char *nl = memchr(text + i, '\n', n - i);
        size_t end = nl ? (size_t)(nl - text) : n;
        while (i < end && is_space(text[i]))
            i++;
        size_t rows = number_at(text, end, &i);
        if (rows && end - i > 4 && !memcmp(text + i, " of ", 4)) {
            i += 4;
            size_t all = number_at(text, end, &i);
            bool whole = i == end || text[i] == '\r';
            *sure = all > rows && text_find(text + i, end - i, "; --top-kernels shows more");
            if (*sure)
                return rows;
            most = whole && all > rows && rows > most ? rows : most;
        }
        i = end + 1;
    }
    return most;
}
