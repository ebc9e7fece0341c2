/* What tools take and give: schemas, and docs/tools.md. */
#include "base/str.h"
#include "tool/ask.h"

#define T struct tool_head
static const struct field head_list[] = {
    ALWAYS(T, trace, FIELD_TEXT, "trace", "id of the trace, for further questions"),
    ALWAYS(T, start_ns, FIELD_I64, "start_ns", "start of what was looked at, in the trace's clock"),
    ALWAYS(T, end_ns, FIELD_I64, "end_ns", "its end"),
    ALWAYS(T, total, FIELD_U64, "total", "rows of the first list, on all pages"),
    OR_NULL(T, next_cursor, FIELD_TEXT, "next_cursor", "cursor of the next page; null: no more"),
};
const struct fields tool_head_fields = FIELDS("", "", T, head_list);
#undef T

#define T struct tool_tables
static const struct field tables_list[] = {
    TOOL_HEAD(T),
    ALWAYS(T, tables, FIELD_TABLES, "tables",
           "as 'gpusight analyze' has them, see docs/metrics.md"),
};
const struct fields tool_tables_fields = FIELDS("", "", T, tables_list);
#undef T

static const struct field part_list[] = {P_TRACE, P_PART, P_PAGE};
static const struct field whole_list[] = {P_TRACE, P_PAGE};
static const struct field trace_list[] = {P_TRACE};
const struct fields tool_params_part = FIELDS("", "", struct tool_args, part_list),
                    tool_params_whole = FIELDS("", "", struct tool_args, whole_list),
                    tool_params_trace = FIELDS("", "", struct tool_args, trace_list);

void tool_input_schema(struct jwrite *w, const struct tool *t)
{
    jw_str(w, "type", "object");
    fields_schema(w, t->params, NULL);
}

void tool_output_schema(struct jwrite *w, const struct tool *t)
{
    struct arena *arena = w->out->arena;
    struct tool_tables *example = NULL;
    if (t->tables) {
        const struct analysis *none = arena_new(arena, struct analysis);
        example = arena_new(arena, struct tool_tables);
        tool_tables_take(example, t->tables, none, arena);
    }
    jw_str(w, "type", "object");
    fields_schema(w, t->result, example);
}

/* ---- docs/tools.md ---- */

static void write_params(struct str *out, const struct fields *f)
{
    for (size_t i = 0; i < f->n; i++) {
        const struct field *v = &f->v[i];
        if (!v->key) {
            write_params(out, v->of);
            continue;
        }
        const char *type = v->type == FIELD_BOOL                          ? "true or false"
                           : v->type == FIELD_LIST                        ? "list of texts"
                           : v->type == FIELD_I64 || v->type == FIELD_U64 ? "integer"
                                                                          : "text";
        fields_doc_row(
            out, v->key,
            arena_printf(out->arena, "%s%s", type, v->null == NULL_NEVER ? ", needed" : ""),
            v->doc);
    }
}

static void write_results(struct str *out, const struct tool *t, const struct fields *f)
{
    for (size_t i = 0; i < f->n; i++) {
        const struct field *v = &f->v[i];
        if (!v->key)
            write_results(out, t, v->of);
        else if (v->type != FIELD_TABLES || !t->tables)
            fields_doc_row(out, v->key, unit_word(v->unit), v->doc);
        else
            for (const char *const *k = t->tables; k && *k; k++)
                fields_doc_row(out, arena_printf(out->arena, "tables.%s", *k), "",
                               "see docs/metrics.md");
    }
}

static void write_tool(struct str *out, const struct tool *t)
{
    str_printf(out, "\n### %s\n\n%s. ", t->name, t->title);
    fields_doc_text(out, t->description);
    str_puts(out, "\n");
    if (t->params->n) {
        str_puts(out, "\n| argument | type | meaning |\n|---|---|---|\n");
        write_params(out, t->params);
    }
    str_puts(out, "\n| answer | unit | meaning |\n|---|---|---|\n");
    write_results(out, t, t->result);
}

void tools_reference(struct str *out)
{
    str_puts(out,
             "# Tools\n\n<!-- Made by 'gpusight --generate tools'. -->\n\n"
             "Questions that programs ask about traces: the MCP server (docs/mcp.md) offers them, "
             "and 'gpusight ask' and 'analyze --llm' let a model use them. All are read-only. "
             "Times are integers in nanoseconds of the trace's own clock where nothing else is "
             "said; null means that it cannot be said.\n\n"
             "Lists come in pages: 'limit' rows from 'cursor' on, and 'next_cursor' leads to the "
             "next page. An answer has 100,000 bytes at most; where rows are longer, a page "
             "has fewer of them. Errors are answers, too: `{\"error\": TEXT, \"code\": "
             "\"usage\"|\"io\"|\"format\"|\"empty\"}`.\n\n"
             "A trace is loaded at the first question about it and kept; it is read again only "
             "when its files have changed. The part of a run between two moments is cut out of "
             "what is in memory: there, idle time at both ends counts as a gap like any other.\n\n"
             "## gpusight's own\n");
    for (const struct tool *const *t = tools; *t; t++)
        if ((*t)->group == TOOL_OWN)
            write_tool(out, *t);
    str_puts(out, "\n## With the names and keys of PerfAdvisor\n\n"
                  "For prompts and programs written for it. Times are in seconds, milliseconds and "
                  "microseconds, as the keys say; numbers mean what 'gpusight summary' says.\n");
    for (const struct tool *const *t = tools; *t; t++)
        if ((*t)->group == TOOL_PERFADVISOR)
            write_tool(out, *t);
}
