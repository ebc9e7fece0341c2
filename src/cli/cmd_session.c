/*
 * gpusight session: tune a program in steps that can be taken back.
 */
#define _GNU_SOURCE /* realpath */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs_out.h"
#include "base/human.h"
#include "base/log.h"
#include "base/str.h"
#include "base/utf8.h"
#include "cli/output.h"
#include "cli/prompt.h"
#include "cli/session_menu.h"
#include "cli/session_model.h"
#include "launch/child.h"
#include "session/session_doc.h"

enum session_action {
    ACTION_NEW,
    ACTION_LIST,
    ACTION_SHOW,
    ACTION_RESUME,
    ACTION_ROLLBACK,
    ACTION_EXPORT,
    ACTION_DELETE,
    ACTION_PRUNE,
};
static const char *const action_words[] = {"new",    "list",   "show",  "resume", "rollback",
                                           "export", "delete", "prune", NULL};

struct session_settings {
    const char *source, *build, *test, *tolerance, *budget, *goal, *patches, *propose, *trace;
    int64_t repeat, plateau;
    double timeout_s;
    uint64_t most_bytes;
    bool automatic, dry_run, quiet_app;
    struct output_opts out;
    struct llm_settings llm;
    /* From before() to run(): */
    enum session_action action;
    const char *root;
    struct words names, app;
    struct session *session; /* to be shown; NULL: none */
};

static const struct opt opts[] = {
    OPT_GROUP("The program"),
    OPT_TEXT(struct session_settings, source, 0, "source", "DIR",
             "the folder that may be edited; nothing outside of it is"),
    OPT_TEXT(struct session_settings, build, 0, "build", "COMMAND",
             "builds the program; an edit that breaks it is taken back"),
    OPT_TEXT(struct session_settings, test, 0, "test", "COMMAND",
             "tests it; an edit that breaks it is taken back"),
    OPT_TEXT(
        struct session_settings, tolerance, 0, "check-output", "TOLERANCE",
        "the program must print the same, numbers within this relative tolerance, such as 1e-6"),
    OPT_TEXT(struct session_settings, trace, 0, "trace", "TRACE",
             "a trace of it as it is, instead of a first capture; the program may then come later"),
    OPT_GROUP("Edits"),
    OPT_TEXT(struct session_settings, patches, 0, "patches", "PATH",
             "a folder of edits, or one: unified diffs or SEARCH/REPLACE blocks"),
    OPT_TEXT(struct session_settings, propose, 0, "propose", "COMMAND",
             "prints an edit, given the files of the analysis and of the session; nothing ends it"),
    OPT_GROUP("The loop"),
    OPT_FLAG(struct session_settings, automatic, 0, "auto", "try all edits and ask nothing"),
    OPT_TEXT(struct session_settings, budget, 0, "budget", "TIME", "stop after 30m, 45s, 1h30m"),
    OPT_TEXT(struct session_settings, goal, 0, "goal", "PERCENT", "stop at so much less time"),
    OPT_INT(struct session_settings, repeat, 0, "repeat", 1, 1000, "N",
            "runs of each state, in turns (3)"),
    OPT_INT(struct session_settings, plateau, 0, "plateau", 0, 1000, "N",
            "stop after so many edits in a row that change less than 2 % (2; 0: never)"),
    OPT_NUM(struct session_settings, timeout_s, 0, "timeout", 0, 1e9, "SECONDS",
            "end each program after this time, and what it has started"),
    OPT_BYTES(struct session_settings, most_bytes, 0, "max-size", "SIZE",
              "end a program when the session's folder grows beyond this (50G)"),
    OPT_FLAG(struct session_settings, quiet_app, 0, "quiet-app",
             "keep the output of programs in the session's logs only"),
    OPT_FLAG(struct session_settings, dry_run, 0, "dry-run", "show each action, do nothing"),
    OPT_GROUP("Output"),
    OUTPUT_OPTS(struct session_settings, out, RENDERER_CHOICES),
    LLM_OPTS(struct session_settings, llm),
    OPT_END,
};

static void defaults(void *settings)
{
    struct session_settings *s = settings;
    *s = (struct session_settings){.repeat = 3,
                                   .plateau = 2,
                                   .most_bytes = CHILD_MOST_BYTES,
                                   .out.adds_extension = true,
                                   .llm = LLM_DEFAULTS};
}

/* ---- words ---- */

static bool read_words(struct cli *cli, struct session_settings *s, struct gs_error *err)
{
    size_t front = cli->operands.n - cli->behind;
    for (size_t i = 1; i < front; i++)
        vec_push(&s->names, cli->arena, cli->operands.v[i]);
    for (size_t i = front; i < cli->operands.n; i++)
        vec_push(&s->app, cli->arena, cli->operands.v[i]);
    const char *word = front ? cli->operands.v[0] : action_words[ACTION_LIST];
    int found = str_word(word, action_words);
    if (found >= 0) {
        s->action = (enum session_action)found;
        return true;
    }
    const char *near = opt_nearest(word, action_words);
    return fail(err, GS_E_USAGE, "unknown action '%s'%s%s%s", word,
                near ? "; did you mean '" : "; see 'gpusight session --help'", near ? near : "",
                near ? "'?" : "");
}

static bool find_root(struct cli *cli, struct session_settings *s, struct gs_error *err)
{
    const char *state = state_folder(cli->arena);
    if (!state)
        return fail(err, GS_E_IO, "no folder for sessions; set XDG_STATE_HOME or HOME");
    s->root = fs_join(state, "sessions", cli->arena);
    return true;
}

static const char *absolute(const char *path, struct arena *a)
{
    char *real = path ? realpath(path, NULL) : NULL;
    const char *kept = real ? arena_strdup(a, real) : path;
    free(real);
    return kept;
}

static bool take_settings(struct session *x, const struct session_settings *s, struct gs_error *err)
{
    struct arena *a = x->arena;
    if ((s->budget && !loop_read_time(&x->budget_s, s->budget, err)) ||
        (s->goal && !loop_read_percent(&x->goal_pct, s->goal, err)))
        return false;
    char *end;
    if (s->tolerance && (!(strtod(s->tolerance, &end) >= 0) || *end || !*s->tolerance))
        return fail(err, GS_E_USAGE, "'%s' is no tolerance; give a number such as 1e-6",
                    s->tolerance);
    if (s->patches && !fs_exists(s->patches))
        return fail(err, GS_E_IO, "there is no '%s'", s->patches);
    x->build = s->build ? s->build : x->build;
    x->test = s->test ? s->test : x->test;
    x->tolerance = s->tolerance ? s->tolerance : x->tolerance;
    x->patches = s->patches ? absolute(s->patches, a) : x->patches;
    x->propose = s->propose ? s->propose : x->propose;
    return true;
}

static bool check_commands(const struct session *x, struct gs_error *err)
{
    const char *all[] = {x->build, x->test, x->propose};
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        struct words w = {0};
        if (all[i] && !loop_split(&w, all[i], x->arena, err))
            return false;
    }
    return true;
}

/* ---- actions ---- */

static bool go_on(struct cli *cli, struct session_settings *s, struct loop *l, struct gs_error *err)
{
    l->automatic = s->automatic;
    l->quiet_app = s->quiet_app;
    l->timeout_s = s->timeout_s;
    l->most_bytes = s->most_bytes;
    struct session_model model = {cli, &s->llm, false};
    if (s->llm.session) {
        l->propose = session_propose;
        l->propose_ctx = &model;
    } else if (cli_llm_asked(&s->llm))
        log_warn("no language model: %s", s->llm.problem.text);
    s->session = l->s;
    if (s->automatic)
        return loop_run(l, err);
    if (!prompt_is_possible())
        return fail(err, GS_E_USAGE,
                    "no terminal to ask at; give '--auto' (the session is saved as '%s')",
                    l->s->id);
    s->session = NULL;
    return session_menu(cli, l, err);
}

static bool show_dry(struct loop *l, struct gs_error *err)
{
    struct str out;
    str_init(&out, l->s->arena);
    return loop_show(l, &out, err) && output_say(&out, err);
}

/* Others of the same source, so that nobody begins again by mistake. */
static void name_others(const struct session_settings *s, const struct session *x)
{
    struct fs_list ids = {0};
    struct gs_error none = {0};
    session_ids(s->root, &ids, x->arena, &none);
    for (size_t i = ids.n; i-- > 0;) {
        const struct session *other = session_open(s->root, ids.v[i], false, x->arena, &none);
        if (!other || str_eq(other->id, x->id) || !str_eq(other->source, x->source))
            continue;
        log_say("there is an earlier one of this source: 'gpusight session resume %s'", other->id);
        return;
    }
}

static bool begin(struct cli *cli, struct session_settings *s, struct gs_error *err)
{
    struct arena *a = cli->arena;
    struct loop l;
    if (!s->source || (!s->app.n && !s->trace))
        return fail(err, GS_E_USAGE, "%s; see 'gpusight session --help'",
                    s->source ? "give the program behind '--'" : "give the source with '--source'");
    if (!tree_check(s->source, err))
        return false;
    const char *source = absolute(s->source, a);
    if (!utf8_valid(source, strlen(source)))
        return fail(err, GS_E_USAGE, "'%s' has a name that is no UTF-8", s->source);
    struct session draft = {.arena = a, .source = source, .repeat = s->repeat};
    draft.goal_pct = draft.budget_s = NAN;
    if (!take_settings(&draft, s, err) || !check_commands(&draft, err))
        return false;
    loop_init(&l, &draft);
    loop_take_app(&l, &s->app);
    if (!l.app.n && !s->trace)
        return fail(err, GS_E_USAGE, "give the program behind '--'");
    if (s->trace && !fs_exists(s->trace))
        return fail(err, GS_E_IO, "there is no '%s'", s->trace);
    if (s->dry_run)
        return show_dry(&l, err);
    if (!fs_make_folders(s->root, a, err))
        return false;
    struct session *x = session_new(s->root, source, a, err);
    if (!x || !take_settings(x, s, err))
        return false;
    x->here = absolute(".", a);
    x->trace = absolute(s->trace, a);
    x->repeat = s->repeat;
    x->plateau = s->plateau;
    loop_init(&l, x);
    loop_take_app(&l, &s->app);
    session_event(x, EVENT_NEW, "%s", source);
    log_say("session %s", x->id);
    name_others(s, x);
    return session_save(x, err) && go_on(cli, s, &l, err);
}

static bool check_variables(const struct session *x, struct gs_error *err)
{
    for (size_t i = 0; i < x->variables.n; i++)
        if (!getenv(x->variables.v[i]))
            return fail(err, GS_E_USAGE,
                        "variable '%s' of the program is not kept; set it, or give the program "
                        "again behind '--'",
                        x->variables.v[i]);
    return !x->hidden || fail(err, GS_E_USAGE,
                              "a secret of the program's options is not kept; give "
                              "the program again behind '--'");
}

static bool resume(struct cli *cli, struct session_settings *s, struct session *x,
                   struct gs_error *err)
{
    struct loop l;
    bool did;
    if (!tree_check(x->source, err) || !take_settings(x, s, err) || !check_commands(x, err))
        return false;
    if (s->dry_run) {
        loop_init(&l, x);
        return show_dry(&l, err);
    }
    if (!tree_recover(x, &did, err))
        return false;
    if (did)
        log_say("it had been interrupted: the files are those of checkpoint %lld again",
                (long long)x->current);
    loop_init(&l, x);
    if (s->app.n)
        loop_take_app(&l, &s->app);
    else if (!check_variables(x, err))
        return false;
    session_event(x, EVENT_RESUME, "at checkpoint %lld", (long long)x->current);
    if (!session_save(x, err))
        return false;
    if (!s->automatic && !prompt_is_possible()) {
        s->session = x;
        return true;
    }
    return go_on(cli, s, &l, err);
}

static bool roll_back(struct session_settings *s, struct session *x, struct gs_error *err)
{
    char *end;
    const char *word = s->names.v[s->names.n - 1];
    long long to = strtoll(word, &end, 10);
    bool did;
    if (*end || end == word)
        return fail(err, GS_E_USAGE, "'%s' is no number of a checkpoint", word);
    if (s->dry_run) {
        log_say("would put the files into the state of checkpoint %lld", to);
        return true;
    }
    s->session = x;
    return tree_check(x->source, err) && tree_recover(x, &did, err) && tree_roll_back(x, to, err);
}

/*
 * The file of a session says which files are written and which programs run. One that lies
 * elsewhere may come from anybody: the folder it edits is named by the user, too.
 */
static bool is_trusted(struct session_settings *s, const struct session *x, struct gs_error *err)
{
    const char *root = absolute(s->root, x->arena);
    const char *slash = strrchr(x->folder, '/');
    size_t n = slash ? (size_t)(slash - x->folder) : 0;
    if (strlen(root) == n && strncmp(root, x->folder, n) == 0)
        return true;
    if (s->source && str_eq(absolute(s->source, x->arena), x->source))
        return true;
    return fail(err, GS_E_USAGE,
                "session '%s' is not one of yours, and would edit '%s'%s%s%s; give '--source' with "
                "that folder if it may",
                x->folder, x->source, x->build ? " and run '" : "", x->build ? x->build : "",
                x->build ? "'" : "");
}

static bool change(struct cli *cli, struct session_settings *s, struct gs_error *err)
{
    size_t want = s->action == ACTION_ROLLBACK ? 2 : 1;
    const char *id = s->names.n >= want ? s->names.v[0] : "latest";
    if (s->action == ACTION_ROLLBACK && !s->names.n)
        return fail(err, GS_E_USAGE, "give the number of the checkpoint");
    if (s->action == ACTION_DELETE && !s->names.n)
        return fail(err, GS_E_USAGE, "give the session to delete");
    struct session *x = session_open(s->root, id, true, cli->arena, err);
    if (!x)
        return false;
    if ((s->action == ACTION_RESUME || s->action == ACTION_ROLLBACK) && !is_trusted(s, x, err))
        return false;
    if (s->action == ACTION_RESUME)
        return resume(cli, s, x, err);
    if (s->action == ACTION_ROLLBACK)
        return roll_back(s, x, err);
    if (s->dry_run) {
        log_say("would %s session %s", action_words[s->action], x->id);
        return true;
    }
    if (s->action == ACTION_DELETE) {
        if (x->moving != NOT_MOVING)
            return fail(err, GS_E_USAGE,
                        "session '%s' was interrupted; resume it first, so that "
                        "its files are put right",
                        x->id);
        if (!session_delete(x, err))
            return false;
        log_say("deleted session %s", x->id);
        return true;
    }
    size_t dropped;
    if (!tree_prune(x, &dropped, err))
        return false;
    log_say("%zu checkpoint%s pruned", dropped, human_s(dropped));
    return true;
}

/* Programs are run and sources edited outside of the box; no trace is read there. */
static bool before(struct cli *cli, void *settings, struct gs_error *err)
{
    struct session_settings *s = settings;
    if (!read_words(cli, s, err) || !find_root(cli, s, err))
        return false;
    if ((s->action == ACTION_NEW || s->action == ACTION_RESUME) &&
        !cli_llm_before(cli, &s->llm, err))
        return false;
    if (s->action == ACTION_NEW)
        return begin(cli, s, err);
    if (s->action == ACTION_LIST || s->action == ACTION_SHOW || s->action == ACTION_EXPORT)
        return true;
    return change(cli, s, err);
}

/* ---- showing ---- */

struct shown {
    struct session_settings *s;
    struct arena *arena;
};

static struct doc *one_doc(const struct report *r)
{
    const struct shown *k = r->ctx;
    return session_doc(k->s->session, k->s->action == ACTION_EXPORT || k->s->action == ACTION_SHOW,
                       k->arena);
}

static void one_json(const struct report *r, struct jwrite *w, bool in_page)
{
    const struct shown *k = r->ctx;
    (void)in_page;
    session_write(k->s->session, w->out);
}

struct listed {
    const char *id, *source, *updated;
    int64_t current, edits;
    double gain_pct;
};

#define T struct listed
PART(listed_fields, T, FIELD(T, id, FIELD_TEXT, "Session", NO_UNIT, "its name", UNCUT),
     FIELD(T, source, FIELD_TEXT, "Source", NO_UNIT, "the folder that is edited"),
     FIELD(T, updated, FIELD_TEXT, "Last step", NO_UNIT, "when it was", UNCUT),
     FIELD(T, current, FIELD_I64, "State", NO_UNIT, "of the files"),
     FIELD(T, edits, FIELD_I64, "Edits", NO_UNIT, "that were tried"),
     FIELD(T, gain_pct, FIELD_NUM, "Gain", IN_PERCENT, "less time than at first"));
#undef T

typedef VEC(struct listed) listed_rows;

static listed_rows list_rows(const struct shown *k)
{
    listed_rows rows = {0};
    struct fs_list ids = {0};
    struct gs_error none = {0};
    session_ids(k->s->root, &ids, k->arena, &none);
    for (size_t i = 0; i < ids.n; i++) {
        struct gs_error why = {0};
        const struct session *x = session_open(k->s->root, ids.v[i], false, k->arena, &why);
        if (!x)
            log_warn("%s", why.text);
        else
            vec_push(&rows, k->arena,
                     ((struct listed){x->id, x->source, x->updated, x->current,
                                      (int64_t)x->checkpoints.n - 1, session_gain_pct(x)}));
    }
    return rows;
}

static struct doc *list_doc(const struct report *r)
{
    const struct shown *k = r->ctx;
    struct doc *d = doc_new(k->arena);
    listed_rows rows = list_rows(k);
    doc_title(d, "Sessions");
    if (!rows.n)
        doc_text(d, "There are none; 'gpusight session new' begins one.");
    doc_rows(d, RESULT(listed_fields, rows),
             &(struct rows){
                 .key = "sessions", .caption = "", .shown = "id source updated edits gain_pct"});
    return d;
}

static void list_json(const struct report *r, struct jwrite *w, bool in_page)
{
    (void)in_page;
    listed_rows rows = list_rows(r->ctx);
    fields_write_rows(w, NULL, &listed_fields, rows.v, rows.n);
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    struct session_settings *s = settings;
    bool list = s->action == ACTION_LIST;
    if (s->action == ACTION_SHOW || s->action == ACTION_EXPORT) {
        s->session =
            session_open(s->root, s->names.n ? s->names.v[0] : "latest", false, cli->arena, err);
        if (!s->session)
            return false;
        if (s->action == ACTION_EXPORT && !s->out.format && !s->out.name && !s->out.json)
            s->out.format = "markdown";
    }
    if (!list && !s->session)
        return true;
    struct shown k = {s, cli->arena};
    struct report r = {.ctx = &k,
                       .arena = cli->arena,
                       .doc = list ? list_doc : one_doc,
                       .json = list ? list_json : one_json,
                       .kind = "session"};
    struct output *out = output_begin(cli, &s->out, RENDERER_CHOICES, err);
    return out && output_only(out, &r, err);
}

const struct command command_session = {
    .name = "session",
    .summary = "tune a program in steps that are measured and can be taken back",
    .operands = "[ACTION...]",
    .doc =
        "new --source DIR [--build COMMAND] [--test COMMAND] -- APP ARGS begins a session: the "
        "program is built, tested, profiled and analyzed. Edits are then tried one by one: shown, "
        "applied, built, tested, measured in turns with the state before, judged as 'gpusight "
        "compare' does, and kept or taken back. With --auto that goes on without questions, until "
        "--goal, --budget, a plateau, or nothing is left; else there is a menu.\n\n"
        "resume [ID] goes on, after a crash too: files are put right first. rollback [ID] N puts "
        "them into the state of any checkpoint. list, show [ID] and export [ID] tell what happened, "
        "with the speed-up of each step; prune [ID] drops contents that were taken back, delete ID "
        "all of a session, and leaves the source as it is. An ID may be the start of one, a path, "
        "or latest, which is the default.\n\n"
        "Checkpoints are in the session's folder, and where the source is in git, under "
        "refs/gpusight/: your branch, index, stash and hooks are not touched. Commands run without "
        "a shell. Values of variables in front of the program are passed on and not kept.\n\n"
        "docs/session.md has the details.",
    .examples =
        "gpusight session new --source src --build make --test 'make test' -- ./app  # the menu\n"
        "gpusight session new --source . --patches edits --auto --budget 30m -- ./app  # unattended\n"
        "gpusight session resume latest  # go on\n"
        "gpusight session rollback 2  # the files of checkpoint 2\n"
        "gpusight session export -o tuning.html  # the whole story as a page",
    .opts = opts,
    .settings_size = sizeof(struct session_settings),
    .keeps_history = true,
    .defaults = defaults,
    .before = before,
    .run = run,
};
