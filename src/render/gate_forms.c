#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "render/compare_json.h"

static void put_xml(struct str *out, const char *s)
{
    struct str visible;
    str_init(&visible, out->arena);
    utf8_escape(&visible, s, strlen(s));
    for (const char *p = visible.buf; *p; p++) {
        const char *as = *p == '<'   ? "&lt;"
                         : *p == '>' ? "&gt;"
                         : *p == '&' ? "&amp;"
                         : *p == '"' ? "&quot;"
                                     : NULL;
        if (as)
            str_puts(out, as);
        else
            str_putc(out, *p);
    }
}

static void put_case(struct str *out, const char *name, const char *failure, const char *details)
{
    str_puts(out, "  <testcase classname=\"gpusight.compare\" name=\"");
    put_xml(out, name);
    if (!failure) {
        str_puts(out, "\"/>\n");
        return;
    }
    str_puts(out, "\">\n    <failure message=\"");
    put_xml(out, failure);
    str_puts(out, "\">");
    put_xml(out, details);
    str_puts(out, "</failure>\n  </testcase>\n");
}

void gate_junit(struct str *out, const struct gate *gate, const struct comparison *c)
{
    size_t refused = !c->comparable;
    str_puts(out,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"gpusight compare\"");
    str_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n", gate->conditions.n + 1,
               gate->failed + refused);
    put_case(out, "runs are comparable", refused ? c->headline : NULL, c->headline);
    for (size_t i = 0; i < gate->conditions.n; i++) {
        const struct gate_condition *g = &gate->conditions.v[i];
        put_case(out, g->text, g->failed ? g->message : NULL, c->headline);
    }
    str_puts(out, "</testsuite>\n");
}

/* In messages of workflow commands % and line ends must be escaped. */
static void put_github(struct str *out, const char *level, const char *title, const char *s)
{
    struct str visible;
    str_init(&visible, out->arena);
    utf8_escape(&visible, s, strlen(s));
    str_printf(out, "::%s title=%s::", level, title);
    for (const char *p = visible.buf; *p; p++) {
        if (*p == '%')
            str_puts(out, "%25");
        else
            str_putc(out, *p);
    }
    str_putc(out, '\n');
}

void gate_github(struct str *out, const struct gate *gate, const struct comparison *c)
{
    const char *level = !c->comparable ? "warning" : "notice";
    put_github(out, level, "gpusight compare", c->headline);
    for (size_t i = 0; i < gate->conditions.n; i++)
        if (gate->conditions.v[i].failed)
            put_github(out, "error", "gpusight gate", gate->conditions.v[i].message);
}

static void put_quality(struct jwrite *w, const struct comparison *c, const char *check,
                        const char *severity, const char *text)
{
    char print[32];
    uint64_t hash = hash_fixed_bytes(text, strlen(text)) ^ hash_fixed_bytes(check, strlen(check));
    snprintf(print, sizeof(print), "%016" PRIx64, hash);
    jw_open(w, NULL, '{');
    jw_str(w, "description", text);
    jw_str(w, "check_name", check);
    jw_str(w, "fingerprint", print);
    jw_str(w, "severity", severity);
    jw_open(w, "location", '{');
    jw_str(w, "path", c->b->files.n ? c->b->files.v[0] : c->b->label);
    jw_open(w, "lines", '{');
    jw_int(w, "begin", 1);
    jw_close(w);
    jw_close(w);
    jw_close(w);
}

void gate_gitlab(struct str *out, const struct gate *gate, const struct comparison *c)
{
    struct jwrite w;
    jw_init(&w, out, 2);
    jw_open(&w, NULL, '[');
    for (size_t i = 0; i < gate->conditions.n; i++)
        if (gate->conditions.v[i].failed)
            put_quality(&w, c, gate->conditions.v[i].text, "major", gate->conditions.v[i].message);
    if (!c->comparable)
        put_quality(&w, c, "comparable", "major", c->headline);
    jw_close(&w);
}
