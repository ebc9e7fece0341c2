#include "cli/session_menu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/str.h"
#include "cli/output.h"
#include "session/session_doc.h"
#include "session/store.h"

void session_say(struct menu *m, const char *text)
{
    struct str out;
    struct gs_error none = {0};
    str_init(&out, m->cli->arena);
    str_puts(&out, text);
    output_say(&out, &none);
}

char session_ask(void *prompt, const char *question, const char *letters)
{
    struct menu *m = prompt;
    session_say(m, arena_printf(m->cli->arena, "%s\n", question));
    for (;;) {
        const char *line = prompt_line(m->prompt, "? ");
        if (!line)
            return letters[strlen(letters) - 1];
        if (*line && strchr(letters, *line))
            return *line;
    }
}

static bool is_aside(const struct menu *m, const struct loop_finding *f)
{
    for (size_t i = 0; i < m->aside.n; i++)
        if (str_eq(m->aside.v[i], f->rule))
            return true;
    return false;
}

/* The last edit that was for this finding. */
static const struct checkpoint *tried_for(const struct session *s, const struct loop_finding *f)
{
    for (size_t i = s->checkpoints.n; i-- > 1;)
        if (str_eq(s->checkpoints.v[i].finding, f->rule) ||
            str_eq(s->checkpoints.v[i].finding, f->id))
            return &s->checkpoints.v[i];
    return NULL;
}

void session_show_findings(struct menu *m)
{
    struct str out;
    struct gs_error none = {0};
    const struct loop *l = m->l;
    str_init(&out, m->cli->arena);
    if (!l->findings.n)
        str_puts(&out, "no findings\n");
    for (size_t i = 0; i < l->findings.n; i++) {
        const struct loop_finding *f = &l->findings.v[i];
        str_printf(&out, "%3zu  %-6s  %s", i + 1, priority_name(f->priority), f->issue);
        if (isfinite(f->predicted_pct))
            str_printf(&out, " (predicted: %.1f %% less time)", f->predicted_pct);
        if (is_aside(m, f))
            str_puts(&out, " (left aside)");
        const struct checkpoint *tried = tried_for(l->s, f);
        if (tried)
            str_printf(&out, " (%s: %s)", tried->summary, outcome_words[tried->result]);
        str_putc(&out, '\n');
    }
    output_say(&out, &none);
}

/* Whether something is worth a change, and not left aside. */
static const struct loop_finding *first_open(const struct menu *m)
{
    for (size_t i = 0; i < m->l->findings.n; i++) {
        const struct loop_finding *f = &m->l->findings.v[i];
        if (f->priority != PRIORITY_INFO && !is_aside(m, f))
            return f;
    }
    return NULL;
}

/* Keys that lead nowhere in this state are not shown, though they work. */
static void show_status(struct menu *m)
{
    const struct session *s = m->l->s;
    struct str t;
    bool todo = first_open(m);
    str_init(&t, m->cli->arena);
    str_printf(&t, "\nsession %s, checkpoint %lld, %.1f %% less time than at first\n", s->id,
               (long long)s->current, session_gain_pct(s));
    str_puts(&t, "[p] profile  [a] analyze again");
    if (todo)
        str_puts(&t, "  number: a finding  [n] leave the first aside  [o] optimise all");
    else
        str_puts(&t, "  [r] profile again");
    str_puts(&t, "  [e] edit a file\n[f] try an edit from a file");
    if (!session_captured(m, "sampling"))
        str_puts(&t, "  [d] sample program counters");
    if (!session_captured(m, "instructions"))
        str_puts(&t, "  [t] thread trace");
    str_puts(&t, s->checkpoints.n > 1 ? "  [b] roll back" : "");
    str_puts(&t, "  [l] list  [s] save  [q] quit\n");
    session_say(m, t.buf);
}

static void leave_aside(struct menu *m)
{
    const struct loop_finding *f = first_open(m);
    if (f)
        vec_push(&m->aside, m->cli->arena, f->rule);
    session_show_findings(m);
}

static void show_finding(struct menu *m, size_t number)
{
    if (!number || number > m->l->findings.n) {
        session_say(m, "there is no such finding\n");
        return;
    }
    const struct loop_finding *f = &m->l->findings.v[number - 1];
    session_say(m,
                arena_printf(m->cli->arena, "%s (%s, %s)\nto do: %s\n%s%s%s", f->issue, f->rule,
                             priority_name(f->priority), f->suggestion, f->where ? "where: " : "",
                             f->where ? f->where : "", f->where ? "\n" : ""));
}

static bool try_text(struct menu *m, const char *text, size_t n, const char *name,
                     struct gs_error *err)
{
    struct loop *l = m->l;
    bool kept;
    if (!loop_try(l, text, n, name, &kept, err))
        return false;
    if (kept)
        return loop_analyze(l, err);
    const struct checkpoint *last = &l->s->checkpoints.v[l->s->checkpoints.n - 1];
    if (!l->propose || !checkpoint_failed(last) ||
        session_ask(m, "[f] let the model see why, and propose another  [q] leave it", "fq") != 'f')
        return true;
    text = l->propose(l->propose_ctx, l, err);
    return !text ? !err->code : try_text(m, text, strlen(text), "proposal", err);
}

static bool try_file(struct menu *m, struct gs_error *err)
{
    const char *path = prompt_line(m->prompt, "file with a diff or SEARCH/REPLACE blocks: ");
    const struct mapping *t = path && *path ? fs_read_in(m->cli->arena, path, 16 << 20, err) : NULL;
    if (!t)
        return !err->code;
    return try_text(m, (const char *)t->data, t->size, fs_basename(path), err);
}

/* A copy is edited, so the file itself changes only as every other edit does. */
static bool edit_copy(struct menu *m, struct gs_error *err)
{
    struct session *s = m->l->s;
    struct arena *a = s->arena;
    const char *path = prompt_line(m->prompt, "file, in the source folder: ");
    const struct mapping *now = path && *path ? tree_content(s, path, err) : NULL;
    if (!now)
        return err->code ? false : (session_say(m, "there is no such file\n"), true);
    const char *folder = fs_join(s->folder, "edit", a);
    const char *copy = fs_join(folder, fs_basename(path), a);
    mkdir(folder, 0700);
    if (!store_put(copy, (const char *)now->data, now->size, a, err))
        return false;
    session_say(m, arena_printf(a, "edit this copy: %s\n", copy));
    if (session_ask(m, "[d] done, [n] leave it", "dn") != 'd')
        return true;
    const struct mapping *new = fs_read_in(a, copy, 16 << 20, err);
    if (!new)
        return false;
    struct str block;
    str_init(&block, a);
    str_printf(&block, "Summary: %s edited by hand\n%s\n<<<<<<< SEARCH\n", path, path);
    str_put(&block, (const char *)now->data, now->size);
    str_puts(&block, "=======\n");
    str_put(&block, (const char *)new->data, new->size);
    str_puts(&block, ">>>>>>> REPLACE\n");
    return try_text(m, block.buf, block.len, path, err);
}

static bool show_table(struct menu *m)
{
    struct str out;
    struct gs_error none = {0};
    str_init(&out, m->cli->arena);
    struct render_opts o = output_layout(m->cli, "-");
    render_text(&out, session_doc(m->l->s, false, m->cli->arena), &o);
    return output_print(&out, &none);
}

static bool roll_back(struct menu *m, struct gs_error *err)
{
    struct session *s = m->l->s;
    int64_t from = s->current;
    show_table(m);
    const char *line = prompt_line(m->prompt, "back to checkpoint: ");
    if (!line || !*line)
        return true;
    char *end;
    long long to = strtoll(line, &end, 10);
    if (*end || !tree_roll_back(s, to, err))
        return !err->code;
    struct checkpoint *c = session_checkpoint(s, from);
    if (from != to &&
        session_ask(m, "never propose what was there before again? [y] [n]", "yn") == 'y')
        c->blacklisted = true;
    m->l->findings.n = 0;
    return session_save(s, err) && loop_analyze(m->l, err);
}

/* False with an error: the step failed; the menu goes on, except after Ctrl-C. */
static bool step(struct menu *m, const char *line, struct gs_error *err)
{
    struct loop *l = m->l;
    if (*line >= '0' && *line <= '9') {
        show_finding(m, (size_t)strtoul(line, NULL, 10));
        return true;
    }
    switch (*line) {
    case 'p':
        return session_capture(m, NULL, err);
    case 'r':
        return session_capture(m, "", err);
    case 'd':
        return session_capture(m, "sampling", err);
    case 't':
        return session_capture(m, "instructions", err);
    case 'n':
        leave_aside(m);
        return true;
    case 'a':
        return loop_analyze(l, err) && (session_show_findings(m), true);
    case 'o':
        if (!l->s->patches && !l->s->propose && !l->propose) {
            session_show_findings(m);
            session_say(
                m, "give edits with [e] or [f], or start with --patches, --propose or --llm\n");
            return true;
        }
        return loop_run(l, err) && session_run_named(m, err);
    case 'e':
        return edit_copy(m, err);
    case 'f':
        return try_file(m, err);
    case 'b':
        return roll_back(m, err);
    case 'l':
        return show_table(m);
    case 's':
        return session_save(l->s, err) && (session_say(m, "saved\n"), true);
    case 0:
        return true;
    default:
        session_say(m, "no such key\n");
        return true;
    }
}

/* Built, tested and profiled, the last if the person agrees. */
static bool begin(struct menu *m, struct gs_error *err)
{
    if (!loop_first_gates(m->l, err))
        return false;
    if (!loop_has_trace(m->l))
        return session_capture(m, "", err);
    if (!loop_analyze(m->l, err))
        return false;
    session_show_findings(m);
    return true;
}

/* What came of it, in a few lines. */
static void say_end(const struct session *s, struct arena *a)
{
    size_t tried = s->checkpoints.n - 1, kept = 0;
    struct str files;
    str_init(&files, a);
    for (size_t i = 1; i <= tried; i++)
        kept += s->checkpoints.v[i].result == OUTCOME_KEPT;
    const struct checkpoint *now = session_checkpoint(s, s->current);
    for (size_t i = 0; now && i < now->files.n; i++)
        str_printf(&files, "%s%s", i ? ", " : "", now->files.v[i].path);
    log_say("%zu edits tried, %zu kept, %.1f %% less time than at first%s%s", tried, kept,
            session_gain_pct(s), files.len ? "; files: " : "", files.buf);
    log_say("saved; go on with 'gpusight session resume %s'", s->id);
}

bool session_menu(struct cli *cli, struct loop *l, struct gs_error *err)
{
    static const char *const words[] = {"profile", "analyze", "next", "optimise", "edit", "file",
                                        "back",    "list",    "save", "quit",     NULL};
    struct menu m = {.cli = cli, .l = l};
    m.prompt = prompt_new("session_history", words, cli->arena);
    l->ask = session_ask;
    l->ctx = &m;
    if (!begin(&m, err))
        return false;
    for (;;) {
        struct gs_error problem = {0};
        show_status(&m);
        const char *line = prompt_line(m.prompt, "session> ");
        if (!line || *line == 'q')
            break;
        prompt_keep(m.prompt, line);
        if (!step(&m, line, &problem) && problem.code == GS_E_CANCELLED) {
            *err = problem;
            return false;
        }
        if (problem.code)
            session_say(&m, arena_printf(cli->arena, "%s\n", problem.text));
    }
    session_event(l->s, EVENT_QUIT, "%.1f %% less time than at first", session_gain_pct(l->s));
    if (!session_save(l->s, err))
        return false;
    say_end(l->s, cli->arena);
    return true;
}
