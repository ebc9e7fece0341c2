#include "analyze/window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static const struct {
    const char *unit;
    double ns;
} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}};

static bool is_marker(const char *text)
{
    return str_starts(text, "marker:");
}

/* First start of a marker at or after a time, and last end; false when there is none. */
static bool find_marker(const struct trace *t, const char *name, int64_t after, int64_t *first,
                        int64_t *last)
{
    *first = INT64_MAX;
    *last = INT64_MIN;
    uint32_t id = strings_find(&t->strings, name);
    for (size_t i = 0; id != NO_INDEX && i < t->markers.n; i++) {
        if (t->markers.name[i] != id || t->markers.start_ns[i] < after)
            continue;
        if (t->markers.start_ns[i] < *first)
            *first = t->markers.start_ns[i];
        if (t->markers.end_ns[i] > *last)
            *last = t->markers.end_ns[i];
    }
    return *first != INT64_MAX;
}

static bool no_marker(const char *name, const struct trace *t, struct gs_error *err)
{
    return fail(err, GS_E_USAGE, "no marker is called '%s'%s", name,
                t->markers.n ? "" : "; the trace has no markers");
}

/* One side of the window; false with an error when it makes no sense. */
static bool parse_side(const char *text, const struct trace *t, int64_t start, int64_t end,
                       int64_t *out, struct gs_error *err)
{
    char *rest;
    double v = strtod(text, &rest);
    if (rest == text || !isfinite(v))
        return fail(err, GS_E_USAGE,
                    "bad window '%s'; write 10%%..90%%, 1s..2s, ns..ns or marker:NAME", text);
    (void)t;
    if (str_eq(rest, "%")) {
        if (v < 0 || v > 100)
            return fail(err, GS_E_USAGE, "bad window '%s'; a share is between 0%% and 100%%", text);
        *out = add_ns(start, ns_from((double)(end - start) * v / 100));
        return true;
    }
    if (!*rest) { /* absolute, exact to the nanosecond */
        *out = strtoll(text, &rest, 10);
        return !*rest || fail(err, GS_E_USAGE, "bad window '%s'; nanoseconds are whole", text);
    }
    for (size_t i = 0; i < ARRAY_LEN(units); i++) {
        if (!str_eq(rest, units[i].unit))
            continue;
        double ns = v * units[i].ns;
        if (fabs(ns) > 9e18)
            return fail(err, GS_E_USAGE, "bad window '%s'; too large", text);
        *out = add_ns(start, ns_from(round(ns)));
        return true;
    }
    return fail(err, GS_E_USAGE, "bad window '%s'; unknown unit '%s'", text, rest);
}

static bool from_markers(struct view_opts *o, const struct trace *t, const char *from,
                         const char *to, struct gs_error *err)
{
    int64_t ignored;
    from += strlen("marker:");
    if (!find_marker(t, from, INT64_MIN, &o->start_ns, &o->end_ns))
        return no_marker(from, t, err);
    if (!to)
        return true;
    to += strlen("marker:");
    if (!find_marker(t, to, add_ns(o->start_ns, 1), &o->end_ns, &ignored))
        return no_marker(to, t, err);
    return true;
}

static bool parse_sides(struct view_opts *o, const struct trace *t, char *from, char *to,
                        struct gs_error *err)
{
    int64_t start, end;
    if (!trace_span(t, o->threads, &start, &end))
        return fail(err, GS_E_EMPTY, "the trace holds no event");
    o->start_ns = start;
    o->end_ns = end;
    if (is_marker(from) && (!to || is_marker(to)))
        return from_markers(o, t, from, to, err);
    if (!to)
        return fail(err, GS_E_USAGE, "bad window '%s'; write START..END", from);
    if (is_marker(from) || is_marker(to))
        return fail(err, GS_E_USAGE, "bad window; a marker on one side needs one on the other");
    return (!*from || parse_side(from, t, start, end, &o->start_ns, err)) &&
           (!*to || parse_side(to, t, start, end, &o->end_ns, err));
}

bool window_parse(struct view_opts *o, const struct trace *t, const char *text,
                  struct gs_error *err)
{
    char copy[512];
    if (strlen(text) >= sizeof(copy))
        return fail(err, GS_E_USAGE, "bad window: too long");
    strcpy(copy, text);
    char *to = strstr(copy, "..");
    if (to) {
        *to = 0;
        to += 2;
    } else if (!is_marker(copy) && (to = strchr(copy, ':'))) {
        *to++ = 0;
    }
    if (!parse_sides(o, t, copy, to, err))
        return false;
    if (o->end_ns <= o->start_ns)
        return fail(err, GS_E_USAGE, "bad window '%s'; it ends before it starts", text);
    return o->has_window = true;
}
