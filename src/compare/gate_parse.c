/* Conditions of a gate: what they may say, and reading them. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/opt.h"
#include "base/str.h"
#include "compare/gate.h"

static const struct gate_metric plain[] = {
    {"wall", "the clock on the wall for the same work, without the profiler's own start", IN_NS,
     GATE_WALL},
    {"window", "length of the window, as it is", IN_NS, GATE_WINDOW},
    {"kernel_time", "summed durations of kernels", IN_NS, GATE_KERNEL_TIME},
    {"busy", "time in which the GPUs run anything", IN_NS, GATE_BUSY},
    {"busy_pct", "the same in percent of window x GPUs", IN_PERCENT, GATE_BUSY_PCT},
    {"idle", "idle time between pieces of work", IN_NS, GATE_IDLE},
    {"idle_pct", "all idle time in percent of window x GPUs", IN_PERCENT, GATE_IDLE_PCT},
    {"copy", "exposed copies", IN_NS, GATE_COPY},
    {"copy_bytes", "bytes copied", IN_BYTES, GATE_COPY_BYTES},
    {"communication", "exposed communication", IN_NS, GATE_CAUSE},
    {"launches", "number of kernels", NO_UNIT, GATE_LAUNCHES},
    {"launch_latency", "median time from a launch to its kernel", IN_NS, GATE_LAUNCH_LATENCY},
    {"allocations", "number of allocations", NO_UNIT, GATE_ALLOCATIONS},
    {"peak_memory", "most device memory held at once", IN_BYTES, GATE_PEAK_MEMORY},
    {"kernel", "kernel:NAME: kernels whose name has NAME in it", IN_NS, GATE_KERNEL},
};
enum { PLAIN = ARRAY_LEN(plain) };

/* All metrics, for help: key at the end is NULL. */
static const struct gate_metric *gate_metrics(struct arena *arena)
{
    struct gate_metric *all = arena_array(arena, struct gate_metric, PLAIN + CAUSES + 1);
    size_t n = PLAIN;
    memcpy(all, plain, sizeof(plain));
    for (enum cause c = 0; c < CAUSES; c++)
        if (c != CAUSE_COMM)
            all[n++] =
                (struct gate_metric){cause_info(c)->key, cause_info(c)->doc, IN_NS, GATE_CAUSE};
    return all;
}

static bool unknown_metric(const char *word, const struct gate_metric *all, struct arena *arena,
                           struct gs_error *err)
{
    VEC(const char *) words = {0};
    for (; all->key; all++)
        vec_push(&words, arena, all->key);
    vec_push(&words, arena, NULL);
    const char *near = opt_nearest(word, words.v);
    if (near)
        return fail(err, GS_E_USAGE, "unknown metric '%s' in '--fail-on'; did you mean '%s'?", word,
                    near);
    return fail(err, GS_E_USAGE,
                "unknown metric '%s' in '--fail-on'; 'gpusight compare --help' lists them", word);
}

struct spelling {
    const char *word;
    enum unit kind;
    double factor;
};

static const struct spelling units[] = {
    {"ns", IN_NS, 1},
    {"us", IN_NS, 1e3},
    {"ms", IN_NS, 1e6},
    {"s", IN_NS, 1e9},
    {"B", IN_BYTES, 1},
    {"kB", IN_BYTES, 1e3},
    {"MB", IN_BYTES, 1e6},
    {"GB", IN_BYTES, 1e9},
    {"KiB", IN_BYTES, 1024},
    {"MiB", IN_BYTES, 1048576},
    {"GiB", IN_BYTES, 1073741824},
};

static bool read_limit(struct gate_condition *c, const char *p, struct gs_error *err)
{
    char *end;
    while (*p == ' ')
        p++;
    c->limit = strtod(p, &end);
    if (end == p || !isfinite(c->limit))
        return fail(err, GS_E_USAGE, "'%s' has no number; write it like 'wall>5%%'", c->text);
    while (*end == ' ')
        end++;
    size_t n = strlen(end);
    while (n && end[n - 1] == ' ')
        n--;
    if (n == 1 && *end == '%') {
        c->relative = c->unit != IN_PERCENT;
        return true;
    }
    for (size_t i = 0; n && i < ARRAY_LEN(units); i++)
        if (strlen(units[i].word) == n && !strncmp(units[i].word, end, n) &&
            units[i].kind == c->unit) {
            c->limit *= units[i].factor;
            return true;
        }
    if (n)
        return fail(err, GS_E_USAGE, "unit '%.*s' in '%s' does not fit '%s'", (int)n, end, c->text,
                    c->metric);
    return true;
}

static bool is_limit(const char *p)
{
    while (*p == ' ')
        p++;
    return isdigit((unsigned char)*p) || *p == '-' || *p == '.';
}

static bool read_condition(struct gate_condition *c, struct arena *arena, struct gs_error *err)
{
    const struct gate_metric *all = gate_metrics(arena);
    /* Names of kernels may hold '<' and '>': the last one that a number follows divides. */
    const char *at = NULL;
    for (const char *p = c->text; *p; p++) {
        if ((*p == '<' || *p == '>') && is_limit(p + 1 + (p[1] == '=')))
            at = p;
    }
    if (!at)
        return fail(err, GS_E_USAGE, "'%s' is no condition; write it like 'wall>5%%'", c->text);
    size_t n = (size_t)(at - c->text);
    while (n && c->text[n - 1] == ' ')
        n--;
    c->metric = arena_strndup(arena, c->text, n);
    if (str_starts(c->metric, "kernel:")) {
        c->kernel = c->metric + strlen("kernel:");
        c->metric = "kernel";
        if (!*c->kernel)
            return fail(err, GS_E_USAGE, "'%s' names no kernel", c->text);
    } else if (str_eq(c->metric, "kernel")) {
        return fail(err, GS_E_USAGE, "'%s' names no kernel; write it like 'kernel:NAME>5%%'",
                    c->text);
    }
    while (all->key && !str_eq(all->key, c->metric))
        all++;
    if (!all->key)
        return unknown_metric(c->metric, gate_metrics(arena), arena, err);
    c->unit = all->unit;
    c->subject = all->subject;
    bool equal = at[1] == '=';
    c->op = *at == '>' ? (equal ? ">=" : ">") : (equal ? "<=" : "<");
    return read_limit(c, at + 1 + equal, err);
}

/* Commas stand in names of kernels, too: one divides when a condition follows, or nothing. */
static bool divides(const char *comma)
{
    const char *p = comma + 1;
    while (*p == ' ')
        p++;
    if (!*p || str_starts(p, "kernel:"))
        return true;
    while (isalpha((unsigned char)*p) || *p == '_')
        p++;
    while (*p == ' ')
        p++;
    return (*p == '<' || *p == '>') && is_limit(p + 1 + (p[1] == '='));
}

bool gate_parse(struct gate *g, const char *text, struct arena *arena, struct gs_error *err)
{
    const char *p = text;
    do {
        struct gate_condition c = {.op = ">"};
        size_t n = 0;
        while (*p == ' ')
            p++;
        while (p[n] && (p[n] != ',' || !divides(p + n)))
            n++;
        c.text = arena_strndup(arena, p, n);
        p += n + (p[n] == ',');
        if (!read_condition(&c, arena, err))
            return false;
        vec_push(&g->conditions, arena, c);
    } while (p[strspn(p, " ")]);
    return true;
}
