/* Documents: the guide, schemas of what programs get, the pages of docs/, and single terms. */
#include <string.h>

#include "base/str.h"
#include "depend/whatif.h"
#include "mcp/server.h"
#include "render/analysis_json.h"
#include "render/compare_json.h"
#include "render/plan_json.h"
#include "render/render.h"
#include "report/inventory.h"
#include "report/summary_json.h"
#include "report/terms.h"

static const struct {
    const char *name, *title;
    void (*make)(struct str *out);
} schemas[] = {
    {"analysis", "JSON Schema of 'gpusight analyze'", analysis_json_schema},
    {"compare", "JSON Schema of 'gpusight compare'", compare_json_schema},
    {"info", "JSON Schema of 'gpusight info'", inventory_json_schema},
    {"plan", "JSON Schema of 'gpusight plan'", plan_json_schema},
    {"summary", "JSON Schema of 'gpusight summary'", summary_json_schema},
    {"whatif", "JSON Schema of 'gpusight whatif'", whatif_json_schema},
};

#define SCHEME "gpusight://"

/* ---- what there is: the guide, then schemas, then docs ---- */

static size_t count_docs(void)
{
    size_t n = 0;
    while (mcp_docs[n].name)
        n++;
    return n;
}

static size_t count_resources(void)
{
    return 1 + ARRAY_LEN(schemas) + count_docs();
}

struct resource {
    const char *uri, *name, *title, *type;
};

/* The first heading of a page. */
static const char *title_of(const char *text, struct arena *arena)
{
    return str_starts(text, "# ") ? arena_strndup(arena, text + 2, strcspn(text + 2, "\n")) : "";
}

static struct resource resource_at(size_t i, struct arena *arena)
{
    if (!i)
        return (struct resource){SCHEME "guide", "guide", "How to read a GPU trace: the guide",
                                 "text/markdown"};
    if (--i < ARRAY_LEN(schemas))
        return (struct resource){arena_printf(arena, SCHEME "schema/%s", schemas[i].name),
                                 arena_printf(arena, "%s.schema.json", schemas[i].name),
                                 schemas[i].title, "application/schema+json"};
    const struct mcp_doc *d = &mcp_docs[i - ARRAY_LEN(schemas)];
    return (struct resource){arena_printf(arena, SCHEME "docs/%s", d->name),
                             arena_printf(arena, "%s.md", d->name), title_of(d->text, arena),
                             "text/markdown"};
}

/* Which one it is: users edit it, and several places are looked at. */
static const char *about_guide(struct request *q)
{
    const struct guide *g = q->s->o.guide;
    return arena_printf(q->arena, "What a model should know before it speaks: version %s, %s",
                        *g->version ? g->version : "unknown", g->path);
}

bool list_resources(struct request *q, struct jwrite *w, struct gs_error *err)
{
    size_t n = count_resources(), from, to;
    if (!page_of(q, n, &from, &to, err))
        return false;
    jw_open(w, "resources", '[');
    for (size_t i = from; i < to; i++) {
        struct resource r = resource_at(i, q->arena);
        jw_open(w, NULL, '{');
        jw_str(w, "uri", r.uri);
        jw_str(w, "name", r.name);
        jw_str(w, "title", r.title);
        jw_str(w, "description", i ? r.title : about_guide(q));
        jw_str(w, "mimeType", r.type);
        jw_close(w);
    }
    jw_close(w);
    page_end(q, w, n, to);
    return true;
}

static void write_template(struct jwrite *w, const char *uri, const char *name, const char *about,
                           const char *type)
{
    jw_open(w, NULL, '{');
    jw_str(w, "uriTemplate", uri);
    jw_str(w, "name", name);
    jw_str(w, "title", about);
    jw_str(w, "description", about);
    jw_str(w, "mimeType", type);
    jw_close(w);
}

bool list_templates(struct request *q, struct jwrite *w, struct gs_error *err)
{
    size_t from, to;
    if (!page_of(q, 3, &from, &to, err))
        return false;
    jw_open(w, "resourceTemplates", '[');
    write_template(w, SCHEME "docs/{name}", "docs", "A page of the documentation", "text/markdown");
    write_template(w, SCHEME "schema/{name}", "schema", "A JSON Schema", "application/schema+json");
    write_template(w, SCHEME "explain/{term}", "explain",
                   "What a metric, cause, rule or counter means", "text/plain");
    jw_close(w);
    return true;
}

/* ---- reading one ---- */

/* "%20" and its like; false where that is malformed. */
static bool unescape(const char *in, char *out, size_t room)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    size_t n = 0;
    for (; *in && n + 1 < room; in++) {
        if (*in != '%') {
            out[n++] = *in;
            continue;
        }
        const char *high = in[1] ? strchr(digits, in[1]) : NULL;
        const char *low = high && in[2] ? strchr(digits, in[2]) : NULL;
        if (!low)
            return false;
        out[n++] = (char)((high - digits) % 16 * 16 + (low - digits) % 16);
        in += 2;
    }
    out[n] = 0;
    return !*in;
}

static const char *explain(const char *term, struct arena *arena)
{
    struct terms terms;
    struct str out;
    terms_list(&terms, arena);
    struct doc *d = term_doc(&terms, term, arena);
    if (!d)
        return NULL;
    str_init(&out, arena);
    render_text(&out, d, &(struct render_opts){.columns = 100});
    return out.buf;
}

static const char *text_of(struct request *q, const char *uri, const char **type)
{
    char name[256];
    *type = "text/markdown";
    if (str_eq(uri, SCHEME "guide"))
        return q->s->o.guide->text;
    const char *slash = str_starts(uri, SCHEME) ? strchr(uri + strlen(SCHEME), '/') : NULL;
    if (!slash || !unescape(slash + 1, name, sizeof(name)))
        return NULL;
    if (str_starts(uri, SCHEME "docs/"))
        for (const struct mcp_doc *d = mcp_docs; d->name; d++)
            if (str_eq(d->name, name))
                return d->text;
    if (str_starts(uri, SCHEME "schema/"))
        for (size_t i = 0; i < ARRAY_LEN(schemas); i++)
            if (str_eq(schemas[i].name, name)) {
                struct str out;
                str_init(&out, q->arena);
                schemas[i].make(&out);
                *type = "application/schema+json";
                return out.buf;
            }
    if (!str_starts(uri, SCHEME "explain/"))
        return NULL;
    *type = "text/plain";
    return explain(name, q->arena);
}

bool read_resource(struct request *q, struct jwrite *w, struct gs_error *err)
{
    const char *uri = raw_text(raw_member(q->params, "uri", q->arena), q->arena), *type;
    if (!uri)
        return refuse(err, RPC_PARAMS, "the uri is missing");
    const char *text = text_of(q, uri, &type);
    if (!text)
        return refuse(err, RPC_NO_RESOURCE, "no resource '%.200s'; resources/list has all", uri);
    jw_open(w, "contents", '[');
    jw_open(w, NULL, '{');
    jw_str(w, "uri", uri);
    jw_str(w, "mimeType", type);
    jw_str(w, "text", text);
    jw_close(w);
    jw_close(w);
    return true;
}

const char *resource_name(size_t i)
{
    return i < count_docs() ? mcp_docs[i].name : NULL;
}

const char *schema_name(size_t i)
{
    return i < ARRAY_LEN(schemas) ? schemas[i].name : NULL;
}
