#include "llm/transcript.h"

#include <string.h>
#include <time.h>

#include "llm/journal.h"

enum { RULE = 72 };

static void put_now(struct str *out)
{
    char text[40];
    time_t now = time(NULL);
    struct tm t;
    gmtime_r(&now, &t);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &t);
    str_puts(out, text);
}

static void put_header(struct llm *l, struct str *out)
{
    str_fill(out, '=', RULE);
    str_printf(out, "\nProvider: %s\nModel: %s\nStarted: ", l->target.provider->name,
               l->target.model);
    put_now(out);
    str_putc(out, '\n');
    str_fill(out, '=', RULE);
    str_puts(out, "\n");
}

static void put(struct journal *to, const struct str *text)
{
    journal_put(to, text);
}

static bool open_one(struct llm *l, struct journal **to, const char *path, struct gs_error *err)
{
    struct str head;
    if (!path || *to)
        return true;
    if (!(*to = journal_open(path, false, l->arena, err)))
        return false;
    str_init(&head, l->arena);
    put_header(l, &head);
    put(*to, &head);
    return true;
}

bool transcript_open(struct llm *l, struct gs_error *err)
{
    return open_one(l, &l->log, l->o->log_file, err) &&
           open_one(l, &l->transcript, l->o->transcript_file, err);
}

void transcript_request(struct llm *l, const char *body, size_t n)
{
    struct arena *scratch = arena_scratch();
    struct str out;
    str_init(&out, scratch);
    str_printf(&out, "\nREQUEST %zu TO THE MODEL (", l->requests);
    put_now(&out);
    str_puts(&out, ")\n");
    str_put(&out, body, n);
    str_putc(&out, '\n');
    put(l->log, &out);
    arena_release(scratch);
}

void transcript_answer(struct llm *l, const struct llm_answer *a, const char *raw)
{
    struct arena *scratch = arena_scratch();
    struct str out;
    str_init(&out, scratch);
    str_printf(&out, "\nANSWER %zu OF THE MODEL (", l->requests);
    put_now(&out);
    str_printf(&out, ")\n%s\n", raw);
    if (a->calls)
        str_printf(&out, "(and %zu calls of tools)\n", a->calls);
    if (a->fault_text)
        str_printf(&out, "(fault: %s)\n", a->fault_text);
    put(l->log, &out);
    str_clear(&out);
    if (a->text && *a->text)
        str_printf(&out, "\n[model]\n%s\n", a->text);
    if (a->fault_text)
        str_printf(&out, "\n[no answer] %s\n", a->fault_text);
    put(l->transcript, &out);
    arena_release(scratch);
}

void transcript_question(struct llm *l, const char *text)
{
    struct arena *scratch = arena_scratch();
    struct str out;
    str_init(&out, scratch);
    str_printf(&out, "\n[user]\n%s\n", text);
    put(l->transcript, &out);
    arena_release(scratch);
}

void transcript_call(struct llm *l, const char *name, const char *arguments, const char *answer)
{
    struct arena *scratch = arena_scratch();
    struct str out;
    str_init(&out, scratch);
    str_printf(&out, "\n[tool] %s(%s) -> %s\n", name, arguments, answer);
    put(l->log, &out);
    str_clear(&out);
    str_printf(&out, "\n[tool] %s(%s) -> %.400s%s\n", name, arguments, answer,
               strlen(answer) > 400 ? " ..." : "");
    put(l->transcript, &out);
    arena_release(scratch);
}
