/*
 * Fuzzing what a session reads: its own file, which somebody may have changed, edits of models and
 * patches, which must not reach outside of the source, and words of options.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "harness.h"
#include "session/loop.h"
#include "session/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *source; /* a folder with one file */

static void remove_source(void)
{
    unlink("a.c");
    rmdir(source);
}

static void make_source(void)
{
    static char folder[] = "/tmp/fuzz-session-XXXXXX";
    source = mkdtemp(folder);
    must(source && chdir(source) == 0, "a folder to work in");
    atexit(remove_source);
    FILE *f = fopen("a.c", "w");
    must(f != NULL, "a file to edit");
    fputs("int a;\nint b;\nint c;\nint d;\nint e;\n", f);
    fclose(f);
}

struct text {
    const char *at;
    size_t n;
};

/* What was read is written, and that reads as the same. */
static void as_store(struct arena *a, const struct text *t)
{
    struct session s = {.arena = a, .source = source, .moving = NOT_MOVING}, again = s;
    struct gs_error err = {0};
    struct str out, twice;
    if (!session_read(&s, t->at, t->n, &err))
        return;
    str_init(&out, a);
    session_write(&s, &out);
    must(session_read(&again, out.buf, out.len, &err), err.text);
    str_init(&twice, a);
    session_write(&again, &twice);
    must(str_eq(out.buf, twice.buf), "written and read, it is the same");
}

static bool leads_up(const char *path)
{
    for (const char *p = path; p; p = strchr(p, '/')) {
        p += *p == '/';
        if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || !p[2]))
            return true;
    }
    return false;
}

static void as_edit(struct arena *a, const struct text *t)
{
    struct session s = {.arena = a, .source = source};
    struct edit e = {0};
    struct gs_error err = {0};
    if (!edit_read(&e, &s, t->at, t->n, &err))
        return;
    for (size_t i = 0; i < e.files.n; i++) {
        const char *path = e.files.v[i].path;
        must(*path && *path != '/' && !leads_up(path), "a file of the source");
    }
    struct str out;
    str_init(&out, a);
    edit_diff(&out, &s, &e);
}

static void one(void *ctx)
{
    const struct text *t = ctx;
    struct arena *a = arena_scratch();
    struct words words = {0};
    struct gs_error err = {0};
    double value;
    const char *why;
    as_store(a, t);
    as_edit(a, t);
    const char *text = arena_strndup(a, t->at, t->n);
    loop_split(&words, text, a, &err);
    loop_read_time(&value, text, &err);
    loop_read_percent(&value, text, &err);
    outputs_agree(t->at, t->n / 2, t->at + t->n / 2, t->n - t->n / 2, 0.01, &why, a);
    arena_release(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!source)
        make_source();
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    mem_guard(one, &(struct text){text, size}, NULL);
    free(text);
    return 0;
}
