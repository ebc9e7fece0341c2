#include "guide/guide.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/str.h"
#include "base/vec.h"
#include "config.h"

#define NAME "llm-reference-guide.md"
enum { GUIDE_BYTES = 1 << 20 };

/* ---- where it is ---- */

struct places {
    struct place {
        const char *path;
        bool must; /* asked for: no other will do */
    } * v;
    size_t n, cap;
};

static void add_place(struct places *p, const char *path, bool must, struct arena *arena)
{
    if (path && *path)
        vec_push(p, arena, ((struct place){path, must}));
}

static void list_places(struct places *p, const char *given, struct arena *arena)
{
    static const char *const variables[] = {"GPUSIGHT_LLM_REFERENCE_GUIDE",
                                            "ROCINSIGHT_LLM_REFERENCE_GUIDE",
                                            "ROCPD_LLM_REFERENCE_GUIDE"};
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    add_place(p, given, true, arena);
    for (size_t i = 0; i < ARRAY_LEN(variables); i++)
        add_place(p, getenv(variables[i]), true, arena);
    if (config && *config == '/')
        add_place(p, arena_printf(arena, "%s/gpusight/" NAME, config), false, arena);
    else if (home && *home == '/')
        add_place(p, arena_printf(arena, "%s/.config/gpusight/" NAME, home), false, arena);
    add_place(p, GPUSIGHT_DATADIR "/" NAME, false, arena);
    add_place(p, "/opt/rocm/share/rocprofiler-sdk/" NAME, false, arena);
}

static const char *read_text(const char *path, struct arena *arena, struct gs_error *err)
{
    const struct mapping *m = fs_read_in(arena, path, GUIDE_BYTES, err);
    if (!m)
        return NULL;
    if (memchr(m->data, 0, m->size)) {
        fail(err, GS_E_FORMAT, "'%s' is no text", path);
        return NULL;
    }
    return arena_strndup(arena, (const char *)m->data, m->size);
}

static bool none_found(const struct places *p, struct arena *arena, struct gs_error *err)
{
    struct str tried;
    struct gs_error why = *err;
    str_init(&tried, arena);
    for (size_t i = 0; i < p->n; i++)
        str_printf(&tried, "%s%s", i ? ", " : "", p->v[i].path);
    return fail(err, why.code, "%s; tried were %s", why.text, tried.buf);
}

static const char *version_of(const char *text, struct arena *arena)
{
    static const char mark[] = "<!-- guide-version:";
    const char *at = strstr(text, mark);
    if (!at)
        return "";
    at += sizeof(mark) - 1;
    at += strspn(at, " ");
    return arena_strndup(arena, at, strcspn(at, " \n-"));
}

bool guide_load(struct guide *g, const char *path, struct arena *arena, struct gs_error *err)
{
    struct places p = {0};
    *g = (struct guide){.path = "built in", .text = guide_built_in[0].text};
    list_places(&p, path, arena);
    for (size_t i = 0; i < p.n; i++) {
        struct gs_error why = {0};
        if (!p.v[i].must && !fs_exists(p.v[i].path))
            continue;
        const char *text = read_text(p.v[i].path, arena, &why);
        if (!text) {
            if (err)
                *err = why;
            return err && none_found(&p, arena, err);
        }
        g->text = text;
        g->path = p.v[i].path;
        break;
    }
    g->version = version_of(g->text, arena);
    return true;
}

/* ---- what of it ---- */

static bool mentions(const char *text, const char *const *words, size_t n)
{
    for (size_t i = 0; text && i < n; i++)
        if (str_has_fold(text, words[i]))
            return true;
    return false;
}

unsigned guide_tags(const struct guide_context *c)
{
    static const char *const building[] = {"compil", "flag", "build", "register", "spill"};
    static const char *const counting[] = {"counter", "roofline", "occupan", "bandwidth", "cache"};
    static const char *const deep[] = {"instruction", "stall",    "thread trace", "att ",
                                       "pc sampl",    "assembly", "isa"};
    static const char *const code[] = {"source", "code", "line", "function"};
    unsigned tags = GUIDE_ALWAYS;
    if (c->tier >= 1)
        tags |= GUIDE_TIER1;
    if (c->tier >= 2 || c->has_counters || mentions(c->prompt, counting, ARRAY_LEN(counting)))
        tags |= GUIDE_TIER1 | GUIDE_TIER2;
    if (c->tier >= 3 || mentions(c->prompt, deep, ARRAY_LEN(deep)))
        tags |= GUIDE_TIER3;
    if (c->tier <= 0 || c->has_source || mentions(c->prompt, code, ARRAY_LEN(code)))
        tags |= GUIDE_SOURCE;
    if (c->tier <= 0 || c->in_kernels || mentions(c->prompt, building, ARRAY_LEN(building)))
        tags |= GUIDE_COMPILER;
    if (c->has_categories)
        tags |= GUIDE_TRACELENS;
    return tags;
}

static unsigned tag_named(const char *name, size_t n)
{
    static const char *const names[] = {
        "always", "tier1", "tier2", "tier3", "compiler", "source", "tracelens_metrics"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strlen(names[i]) == n && !strncmp(names[i], name, n))
            return 1u << i;
    return 0;
}

/* The tags of a section, in its first three lines; none: always. */
static unsigned tags_of(const char *section, size_t n, struct arena *arena)
{
    static const char mark[] = "rocinsight-context:";
    size_t head = 0, lines = 0;
    while (head < n && lines < 3)
        lines += section[head++] == '\n';
    const char *text = arena_strndup(arena, section, head), *at = strstr(text, mark);
    const char *end = at ? strstr(at, "-->") : NULL;
    unsigned tags = 0;
    if (!end)
        return GUIDE_ALWAYS;
    for (at += sizeof(mark) - 1; at < end;) {
        at += strspn(at, " ,");
        size_t word = strcspn(at, " ,-");
        if (!word)
            break;
        tags |= tag_named(at, word);
        at += word;
    }
    return tags;
}

static size_t section_length(const char *text)
{
    const char *next = strstr(text, "\n## ");
    return next ? (size_t)(next - text) + 1 : strlen(text);
}

const char *guide_select(const struct guide *g, unsigned tags, struct arena *arena)
{
    struct str out;
    str_init(&out, arena);
    for (const char *at = g->text; *at;) {
        size_t n = section_length(at);
        bool heads = str_starts(at, "## ");
        assert(n); /* sections follow each other, and the last one ends */
        if (!heads || (tags_of(at, n, arena) & tags))
            str_put(&out, at, n);
        at += n;
    }
    return out.buf;
}
