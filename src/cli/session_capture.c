/* Captures from the menu of a session: which are worth while, the command, what to do when one fails. */
#include <stdlib.h>
#include <string.h>

#include "advise/rule.h"
#include "base/str.h"
#include "cli/session_menu.h"
#include "plan/goals.h"

bool session_captured(const struct menu *m, const char *goal)
{
    const struct session *s = m->l->s;
    struct arena *a = m->cli->arena;
    const char *head =
        *goal ? arena_printf(a, "gpusight run --goal %s -- ", goal) : "gpusight run -- ";
    for (size_t i = 0; i < s->events.n; i++) {
        const struct session_event *e = &s->events.v[i];
        if (e->kind == EVENT_PROFILE && e->well && e->checkpoint == s->current && e->command &&
            str_starts(e->command, head))
            return true;
    }
    return false;
}

/* What the findings ask for and this state was not captured for. */
static unsigned offered(const struct menu *m)
{
    unsigned goals = 0;
    for (size_t i = 0; i < m->l->findings.n; i++) {
        const struct rule *rule = rule_named(m->l->findings.v[i].rule);
        goals |= rule ? rule->goals : 0;
    }
    goals &= ~ON(timeline);
    for (size_t i = 0; i < GOALS; i++)
        if ((goals & (1u << i)) && session_captured(m, goal_names[i]))
            goals &= ~(1u << i);
    return goals;
}

/* The goal that was chosen, by number or name; "": a timeline; NULL: none. */
static const char *choose_goal(struct menu *m)
{
    unsigned goals = offered(m);
    struct arena *a = m->cli->arena;
    const char *by_number[GOALS];
    size_t n = 0;
    for (size_t i = 0; i < GOALS; i++)
        if (goals & (1u << i)) {
            by_number[n++] = goal_names[i];
            session_say(
                m, arena_printf(a, "%3zu  %-12s  %s\n", n, goal_names[i], plan_goals[i].answers));
        }
    const char *line =
        prompt_line(m->prompt, n ? "a number, or a goal (return: timeline): "
                                 : "goal (return: timeline; roofline, memory, occupancy, latency, "
                                   "sampling, instructions ...): ");
    if (!line || *line < '0' || *line > '9')
        return line;
    size_t k = strtoul(line, NULL, 10);
    if (k && k <= n)
        return by_number[k - 1];
    session_say(m, "there is no such capture\n");
    return NULL;
}

static bool edit_program(struct menu *m, struct gs_error *err)
{
    struct arena *a = m->l->s->arena;
    struct words w = {0};
    const char *line = prompt_line(
        m->prompt, arena_printf(a, "program (return: %s): ", shell_line(a, &m->l->app)));
    if (!line || !*line)
        return true;
    if (!loop_split(&w, arena_strdup(a, line), a, err))
        return false;
    loop_take_app(m->l, &w);
    session_event(m->l->s, EVENT_PROGRAM, "%s", session_hidden(m->l->s, shell_line(a, &m->l->app)));
    return session_save(m->l->s, err);
}

/* Shows what would be run; true: it shall be. */
static bool agreed(struct menu *m, struct gs_error *err)
{
    for (;;) {
        struct arena *a = m->cli->arena;
        const char *goal = m->l->goal;
        const char *line = arena_printf(a, "gpusight run%s%s -- %s", goal ? " --goal " : "",
                                        goal ? goal : "", shell_line(a, &m->l->app));
        char answer = session_ask(
            m, arena_printf(a, "%s\n[r] run it  [e] another program or arguments  [n] skip", line),
            "ren");
        if (answer != 'e')
            return answer == 'r';
        if (!edit_program(m, err))
            return false;
    }
}

/* The capture failed: true to try once more. */
static bool again(struct menu *m, const char *why, struct gs_error *err)
{
    struct session *s = m->l->s;
    const struct checkpoint *now = session_checkpoint(s, s->current);
    bool can_revert = now && now->parent >= 0;
    const char *question =
        arena_printf(m->cli->arena, "%s\n[r] retry  [e] another program or arguments%s  [a] abort",
                     why, can_revert ? "  [v] back to the state before" : "");
    switch (session_ask(m, question, can_revert ? "reva" : "rea")) {
    case 'r':
        return true;
    case 'e':
        return edit_program(m, err);
    case 'v':
        return tree_roll_back(s, now->parent, err) && session_save(s, err);
    default:
        return false;
    }
}

static bool capture(struct menu *m, struct gs_error *err)
{
    struct loop *l = m->l;
    for (;;) {
        struct gs_error why = {0};
        if (loop_profile(l, &why))
            return loop_analyze(l, err);
        if (why.code == GS_E_CANCELLED) {
            *err = why;
            return false;
        }
        if (!again(m, why.text, err))
            return false;
    }
}

bool session_capture(struct menu *m, const char *goal, struct gs_error *err)
{
    struct loop *l = m->l;
    if (!goal && !(goal = choose_goal(m)))
        return true;
    goal = arena_strdup(l->s->arena, goal); /* the line is the prompt's */
    if (session_captured(m, goal) &&
        session_ask(m, "that was captured in this state and adds nothing; again? [y] [n]", "yn") !=
            'y')
        return true;
    l->goal = *goal && !str_eq(goal, goal_names[GOAL_timeline]) ? goal : NULL;
    bool ok = agreed(m, err) && capture(m, err);
    l->goal = NULL;
    if (ok)
        session_show_findings(m);
    return !err->code;
}

/* ---- command lines that a model has named ---- */

/* How many words say where results go: "-d DIR" two, "--output=X" one; 0: it is no such word. */
static size_t output_words(const char *word)
{
    static const char *const names[] = {"-d",       "--output-directory", "-o",
                                        "--output", "--output-file",      "--export"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        size_t n = strlen(names[i]);
        if (str_starts(word, names[i]) && (!word[n] || word[n] == '='))
            return word[n] ? 1 : 2;
    }
    return 0;
}

/* The same command, its results in this folder. False: it is more than one. */
static bool put_into(struct words *out, const char *line, const char *folder, struct arena *a,
                     struct gs_error *err)
{
    struct words given = {0};
    if (line[strcspn(line, ";|&<>$`()")])
        return fail(err, GS_E_USAGE, "that is no plain command; it is not run");
    if (!loop_split(&given, line, a, err))
        return false;
    bool nsys = str_eq(given.v[0], "nsys"), ncu = str_eq(given.v[0], "ncu");
    size_t head = nsys ? 2 : 1;
    for (size_t i = 0; i < head && i < given.n; i++)
        vec_push(out, a, given.v[i]);
    if (nsys || ncu) {
        vec_push(out, a, nsys ? "--output" : "--export");
        vec_push(out, a, (const char *)fs_join(folder, "trace", a));
    } else {
        vec_push(out, a, "--output-directory");
        vec_push(out, a, folder);
        vec_push(out, a, "--output-file");
        vec_push(out, a, "trace_%pid%");
    }
    if (nsys)
        vec_push(out, a, "--export=sqlite");
    bool options = true;
    for (size_t i = head; i < given.n; i++) {
        const char *word = given.v[i];
        options &= *word == '-' && !str_eq(word, "--");
        size_t n = options ? output_words(word) : 0;
        if (n)
            i += n - 1;
        else
            vec_push(out, a, word);
    }
    return true;
}

static bool run_named(struct menu *m, const char *line, struct gs_error *err)
{
    struct loop *l = m->l;
    struct session *s = l->s;
    struct words argv = {0};
    const char *failure = NULL, *folder = loop_folder(l, "profile", err);
    if (!folder || !put_into(&argv, line, folder, s->arena, err) ||
        !loop_step(l, EVENT_PROFILE, &argv, loop_log(l, "profile"), &failure, err))
        return false;
    if (failure)
        return fail(err, GS_E_IO, "'%s' %s", argv.v[0], failure);
    s->trace = folder;
    return session_save(s, err) && loop_analyze(l, err) && (session_show_findings(m), true);
}

bool session_run_named(struct menu *m, struct gs_error *err)
{
    struct words named = m->l->named;
    m->l->named.n = 0;
    for (size_t i = 0; i < named.n; i++)
        session_say(m, arena_printf(m->cli->arena, "%3zu  %s\n", i + 1, named.v[i]));
    const char *text = named.n ? prompt_line(m->prompt, "run one of them (return: none): ") : NULL;
    size_t k = text ? strtoul(text, NULL, 10) : 0;
    return !k || k > named.n || run_named(m, named.v[k - 1], err);
}
