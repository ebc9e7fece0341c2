#include "render/plan_json.h"

#include "base/jwrite.h"
#include "field/field.h"

static void goal_list(struct jwrite *w, const char *key, unsigned which)
{
    jw_open(w, key, '[');
    for (size_t i = 0; i < GOALS; i++)
        if (which & (1u << i))
            jw_str(w, NULL, plan_goals[i].name);
    jw_close(w);
}

static void texts(struct jwrite *w, const char *key, const char *const *v, size_t n)
{
    jw_open(w, key, '[');
    for (size_t i = 0; i < n; i++)
        jw_str(w, NULL, v[i]);
    jw_close(w);
}

static void one_capture(struct jwrite *w, const struct capture *c)
{
    jw_open(w, NULL, '{');
    jw_str(w, "tool", c->command.tool);
    goal_list(w, "goal", c->goals);
    jw_str(w, "command", c->command.text);
    texts(w, "argv", c->command.argv.v, c->command.argv.n);
    jw_open(w, "passes", '[');
    if (c->pass.counters.n) {
        jw_open(w, NULL, '{');
        texts(w, "counters", c->pass.counters.v, c->pass.counters.n);
        jw_close(w);
    }
    jw_close(w);
    fields_write_members(w, &capture_fields, c);
    texts(w, "answers", c->answers.v, c->answers.n);
    jw_close(w);
}

void plan_json(struct str *out, const struct plan *p)
{
    struct jwrite w;
    jw_init(&w, out, 2);
    jw_open(&w, NULL, '{');
    jw_str(&w, "schema_version", "1.0");
    jw_open(&w, "gpu", '{');
    jw_str(&w, "vendor", vendor_name(p->vendor));
    jw_str(&w, "arch", p->arch);
    jw_str(&w, "product", p->product);
    jw_str(&w, "source", p->gpu_source);
    jw_close(&w);
    goal_list(&w, "goals", p->goals);
    goal_list(&w, "open", p->open);
    texts(&w, "launcher", p->form.launcher.v, p->form.launcher.n);
    texts(&w, "app", p->form.app.v, p->form.app.n);
    jw_open(&w, "have", '[');
    for (size_t i = 0; i < p->have.n; i++) {
        jw_open(&w, NULL, '{');
        jw_str(&w, "what", p->have.v[i].what);
        jw_uint(&w, "count", p->have.v[i].count);
        goal_list(&w, "goals", p->have.v[i].goals);
        jw_close(&w);
    }
    jw_close(&w);
    jw_open(&w, "captures", '[');
    for (size_t i = 0; i < p->captures.n; i++)
        one_capture(&w, &p->captures.v[i]);
    jw_close(&w);
    jw_uint(&w, "runs", p->runs);
    texts(&w, "notes", p->notes.v, p->notes.n);
    jw_close(&w);
    str_putc(out, '\n');
}
