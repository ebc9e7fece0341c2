#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "render/xlsx_in.h"

/* Whether the rows reached their temporary files, and how many bytes they took. */
static bool pages_written(struct xlsx *x)
{
    lxw_sheet *sheet;
    bool whole = true;
    STAILQ_FOREACH(sheet, x->book->sheets, list_pointers)
    {
        FILE *rows = sheet->is_chartsheet ? NULL : sheet->u.worksheet->optimize_tmpfile;
        whole = whole && rows && fflush(rows) == 0 && !ferror(rows);
        vec_push(&x->bytes, x->arena, rows ? (int64_t)ftello(rows) : 0);
    }
    return whole;
}

static void write_sheet(struct xlsx *x, const struct sheet *s, size_t *split)
{
    size_t most = SHEET_ROWS - 1;
    for (size_t first = 0, part = 1; first < s->n || part == 1; first += most, part++) {
        if (x->error != LXW_NO_ERROR)
            return;
        size_t n = s->n - first < most ? s->n - first : most;
        const char *name = part == 1 ? s->name : arena_printf(x->arena, "%s_%zu", s->name, part);
        lxw_worksheet *page = xlsx_page(x, s, name, first, n);
        if (page && part == 1)
            xlsx_chart(x, s, page, name, n);
        *split += part > 1;
    }
}

/* The library prints its errors, too, but ours are told once. Leaves errno as it left it. */
static lxw_error close_quietly(lxw_workbook *book)
{
    fflush(stderr);
    int kept = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (kept >= 0 && nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
    errno = 0;
    lxw_error closed = workbook_close(book);
    int saved = errno;
    if (kept >= 0 && nowhere >= 0)
        dup2(kept, STDERR_FILENO);
    if (kept >= 0)
        close(kept);
    if (nowhere >= 0)
        close(nowhere);
    errno = saved;
    return closed;
}

/* The library leaves the files open in which rows wait. */
static void free_book(void *xlsx)
{
    struct xlsx *x = xlsx;
    lxw_sheet *sheet;
    if (!x->book)
        return;
    STAILQ_FOREACH(sheet, x->book->sheets, list_pointers)
    {
        lxw_worksheet *page = sheet->is_chartsheet ? NULL : sheet->u.worksheet;
        if (page && page->optimize_tmpfile)
            fclose(page->optimize_tmpfile);
    }
    lxw_workbook_free(x->book);
    x->book = NULL;
}

static bool write_book(struct xlsx *x, const struct workbook *w, size_t *split)
{
    /* The same trace gives the same bytes: no date of today. */
    lxw_doc_properties properties = {.title = "gpusight report", .created = 946684800};
    workbook_set_properties(x->book, &properties);
    xlsx_formats(x);
    for (size_t i = 0; i < w->sheets.n && x->error == LXW_NO_ERROR; i++)
        write_sheet(x, &w->sheets.v[i], split);
    bool whole = pages_written(x);
    errno = 0;
    if (x->error != LXW_NO_ERROR ||
        !mem_has(MEM_LIBRARY)) { /* closing supposes that all is there */
        free_book(x);
        if (x->error == LXW_NO_ERROR)
            x->error = LXW_ERROR_MEMORY_MALLOC_FAILED;
        return false;
    }
    lxw_error closed = close_quietly(x->book);
    x->book = NULL;
    if (x->error == LXW_NO_ERROR)
        x->error = whole ? closed : LXW_ERROR_CREATING_TMPFILE;
    return x->error == LXW_NO_ERROR;
}

/* Rows wait in files without a name: beside the workbook, where there must be room anyway. */
static const char *folder_of(const struct fs_out *out, struct arena *a)
{
    const char *slash = strrchr(out->path, '/'), *dir = getenv("TMPDIR");
    if (out->direct)
        return dir && *dir ? dir : "/tmp";
    return slash ? arena_strndup(a, out->path, (size_t)(slash - out->path) + (slash == out->path))
                 : ".";
}

bool render_xlsx(const struct workbook *w, const char *path, size_t *split, struct fs_set *set,
                 struct gs_error *err)
{
    struct xlsx *x = arena_new(w->arena, struct xlsx);
    uint64_t rows = 0;
    *split = 0;
    x->arena = w->arena;
    str_init(&x->text, w->arena);
    str_init(&x->literal, w->arena);
    arena_defer(w->arena, free_book, x);
    for (size_t i = 0; i < w->sheets.n; i++)
        rows += w->sheets.v[i].n;
    struct fs_out *out = fs_set_name(set, path, err);
    if (!out)
        return false;
    lxw_workbook_options options = {.constant_memory = LXW_TRUE, .use_zip64 = rows > 4000000};
    options.tmpdir = arena_strdup(w->arena, folder_of(out, w->arena));
    x->book = mem_has(MEM_LIBRARY) ? workbook_new_opt(out->temp, &options) : NULL;
    if (!x->book)
        return fail(err, GS_E_IO, "cannot write '%s': out of memory", path);
    bool ok = write_book(x, w, split);
    int saved = errno;
    if (ok && !xlsx_is_whole(out->temp, x->bytes.v, x->bytes.n)) {
        ok = false;
        saved = ENOSPC;
    }
    if (!ok)
        return fail(err, GS_E_IO, "cannot write '%s': %s", path,
                    x->error == LXW_ERROR_MEMORY_MALLOC_FAILED ? "out of memory"
                    : saved                                    ? strerror(saved)
                                                               : lxw_strerror(x->error));
    return fs_set_done(set, out, err);
}
