/*
 * Fuzzing command lines of plans: any words as program, arguments and kernel. What a shell makes of
 * the text is what was meant, the profiler would take it, and names of kernels become expressions
 * without a special character.
 *
 *     clang -fsanitize=fuzzer,address,undefined ... tests/fuzz/fuzz_plan.c
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/argv_fault.h"
#include "base/str.h"
#include "plan/plan.h"
#include "plan/quote.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool what)
{
    if (!what)
        abort();
}

static void check_name(struct arena *a, const char *name)
{
    const char *regex = kernel_regex(a, name, true), *piece = kernel_identifier(a, name);
    expect(strlen(regex) <= 96 && strlen(piece) <= 96);
    for (const char *p = regex; *p; p++)
        expect(strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.", *p));
    expect(!*piece || (strstr(name, piece) && *piece != '-'));
}

/* The words a shell reads: plain ones, single quotes, and quotes behind a backslash. */
static void check_line(const char *p, const struct words *argv, struct arena *a)
{
    for (size_t i = 0; i < argv->n; i++) {
        struct str word;
        str_init(&word, a);
        str_puts(&word, "");
        for (; *p && *p != ' '; p++) {
            if (*p == '\\') {
                str_putc(&word, *++p);
            } else if (*p == '\'') {
                for (p++; *p != '\''; p++) {
                    expect(*p);
                    str_putc(&word, *p);
                }
            } else {
                expect(!strchr("\"$`;&|<>()*?[]#~!{}\n\t", *p));
                str_putc(&word, *p);
            }
        }
        expect(str_eq(word.buf ? word.buf : "", argv->v[i]));
        p += *p == ' ';
    }
    expect(!*p);
}

static void check_plan(struct words *command, const char *kernel, bool nvidia, struct arena *a)
{
    struct plan_request q = {.goals = ALL_GOALS, .out = "out", .kernel = kernel};
    struct plan p;
    q.gpu = hardware_find(nvidia ? "sm_90" : "gfx942", NULL, 0);
    q.form.rank = -1;
    bool found = launch_form_find(&q.form, command, a);
    expect(q.form.environment.n + q.form.launcher.n + q.form.app.n == command->n);
    if (!found || !q.form.app.n)
        return;
    plan_make(&p, &q, a);
    for (size_t i = 0; i < p.captures.n; i++) {
        const struct tool_command *c = &p.captures.v[i].command;
        check_line(c->text, &c->argv, a);
        if (!q.form.launcher.n && !q.form.environment.n) /* of the profiler alone */
            expect(!tool_argv_fault(&c->argv, a));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct words words = {0};
    arena_init(&a);
    char *text = arena_strndup(&a, (const char *)data, size);
    for (size_t at = 0; at <= size; at += strlen(text + at) + 1)
        vec_push(&words, &a, text + at);
    check_name(&a, words.v[0]);
    struct words command = {words.v + 1, words.n - 1, words.n - 1};
    check_plan(&command, words.v[0], size & 1, &a);
    arena_release(&a);
    return 0;
}
