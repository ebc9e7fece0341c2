/* What the filters mean for a trace: which symbols, streams, threads, processes and times. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/window.h"
#include "base/human.h"
#include "base/sort.h"
#include "base/str.h"
#include "run/filter_in.h"

bool filter_any(const struct filter_opts *f)
{
    return f->kernels.n || f->markers.n || f->streams.n || f->threads.n || f->categories.n ||
           f->start || f->end || f->start_marker || f->end_marker || f->inclusive;
}

/* ", only ..." in the words of the options. */
static void say(struct filtering *x, const char *what, const struct opt_list *list)
{
    str_printf(&x->only, "%s%s ", x->only.len ? ", " : "", what);
    for (size_t i = 0; i < list->n; i++)
        str_printf(&x->only, "%s'%s'", i ? " or " : "", list->v[i]);
}

/* Words divided by commas, of options that may be repeated. */
static struct opt_list words_of(const struct opt_list *list, struct arena *a)
{
    struct opt_list out = {0};
    for (size_t i = 0; i < list->n; i++)
        for (const char *p = list->v[i]; *p; p += *p == ',') {
            size_t n = strcspn(p, ",");
            if (n)
                vec_push(&out, a, arena_strndup(a, p, n));
            p += n;
        }
    return out;
}

/* ---- names ---- */

static bool understand_kernels(struct filtering *x)
{
    const struct trace *t = x->t;
    bool any = false;
    if (!(x->by_kernel = x->f->kernels.n))
        return true;
    if (!patterns_parse(&x->kernels, &x->f->kernels, "kernel", x->temporary, x->err))
        return false;
    x->symbol = arena_array(x->temporary, uint8_t, t->symbols.n);
    for (size_t i = 0; i < t->symbols.n; i++) {
        x->symbol[i] = patterns_match_any(&x->kernels, trace_str(t, t->symbols.v[i].name),
                                          trace_str(t, t->symbols.v[i].short_name));
        any |= x->symbol[i];
    }
    say(x, "kernels matching", &x->f->kernels);
    return any || fail(x->err, GS_E_USAGE,
                       "no kernel matches '%s'; 'gpusight query TRACE \"select name from "
                       "top_kernels\"' lists them",
                       x->f->kernels.v[0]);
}

/* An id, or a pattern of the name. */
static bool is_meant(const char *word, int64_t id, const char *name, struct filtering *x)
{
    char *end;
    errno = 0;
    long long n = strtoll(word, &end, 0);
    if (end != word && !*end && !errno)
        return n == id;
    struct patterns p = {0};
    const char *one[] = {word};
    struct opt_list list = {one, 1, 1};
    return patterns_parse(&p, &list, "stream", x->temporary, x->err) && patterns_match(&p, name);
}

struct named {
    int64_t id;
    uint32_t name;
};

/* Marks those that words mean; *meant stays NULL where none is given. */
static bool understand_named(struct filtering *x, const struct opt_list *given,
                             const struct named *all, size_t n, const char *noun,
                             const char *lists_them, uint8_t **meant)
{
    struct opt_list words = words_of(given, x->temporary);
    if (!words.n)
        return true;
    *meant = arena_array(x->temporary, uint8_t, n + 1);
    for (size_t k = 0; k < words.n; k++) {
        bool any = false;
        for (size_t i = 0; i < n; i++)
            if (is_meant(words.v[k], all[i].id, trace_str(x->t, all[i].name), x))
                any = ((*meant)[i] = true);
        if (!any)
            return fail(x->err, GS_E_USAGE,
                        "no %s '%s' in the trace; 'gpusight query TRACE \"%s\"' lists them", noun,
                        words.v[k], lists_them);
    }
    say(x, noun, &words);
    return true;
}

static bool understand_streams(struct filtering *x)
{
    size_t n = x->t->streams.n;
    struct named *all = arena_array(x->temporary, struct named, n);
    for (size_t i = 0; i < n; i++)
        all[i] = (struct named){x->t->streams.v[i].id, x->t->streams.v[i].name};
    return understand_named(x, &x->f->streams, all, n, "stream",
                            "select id, name from rocpd_info_stream", &x->stream);
}

static bool understand_threads(struct filtering *x)
{
    size_t n = x->t->threads.n;
    struct named *all = arena_array(x->temporary, struct named, n);
    for (size_t i = 0; i < n; i++)
        all[i] = (struct named){x->t->threads.v[i].tid, x->t->threads.v[i].name};
    return understand_named(x, &x->f->threads, all, n, "thread", "select tid, name from threads",
                            &x->thread);
}

/* ---- categories ---- */

/* Several words may mean the same kinds; the first of a kind is its own. */
static const struct {
    const char *word;
    int first, last;
} categories[] = {
    {"kernel", ROW_KERNEL, ROW_KERNEL},
    {"kernel_dispatch", ROW_KERNEL, ROW_KERNEL},
    {"copy", ROW_COPY, ROW_COPY},
    {"memory_copy", ROW_COPY, ROW_COPY},
    {"allocation", ROW_ALLOCATION, ROW_ALLOCATION},
    {"memory_allocation", ROW_ALLOCATION, ROW_ALLOCATION},
    {"scratch", ROW_SCRATCH, ROW_SCRATCH},
    {"scratch_memory", ROW_SCRATCH, ROW_SCRATCH},
    {"counter", ROW_COUNTER, ROW_COUNTER},
    {"pc_sample", ROW_PC_SAMPLE, ROW_PC_SAMPLE},
    {"sample", ROW_SAMPLE, ROW_SAMPLE},
    {"telemetry", ROW_TELEMETRY, ROW_TELEMETRY},
    {"marker", ROW_MARKER, ROW_MARKER},
    {"hip", ROW_CALL + REGION_HIP, ROW_CALL + REGION_HIP_COMPILER},
    {"cuda", ROW_CALL + REGION_HIP, ROW_CALL + REGION_HIP_COMPILER},
    {"runtime", ROW_CALL + REGION_HIP, ROW_CALL + REGION_HIP},
    {"compiler", ROW_CALL + REGION_HIP_COMPILER, ROW_CALL + REGION_HIP_COMPILER},
    {"hsa", ROW_CALL + REGION_HSA, ROW_CALL + REGION_HSA},
    {"driver", ROW_CALL + REGION_HSA, ROW_CALL + REGION_HSA},
    {"rccl", ROW_CALL + REGION_COLLECTIVE, ROW_CALL + REGION_COLLECTIVE},
    {"nccl", ROW_CALL + REGION_COLLECTIVE, ROW_CALL + REGION_COLLECTIVE},
    {"collective", ROW_CALL + REGION_COLLECTIVE, ROW_CALL + REGION_COLLECTIVE},
    {"mpi", ROW_CALL + REGION_MPI, ROW_CALL + REGION_MPI},
    {"openmp", ROW_CALL + REGION_OPENMP, ROW_CALL + REGION_OPENMP},
    {"ompt", ROW_CALL + REGION_OPENMP, ROW_CALL + REGION_OPENMP},
    {"os", ROW_CALL + REGION_OS, ROW_CALL + REGION_OS},
    {"media", ROW_CALL + REGION_MEDIA, ROW_CALL + REGION_MEDIA},
    {"rocdecode", ROW_CALL + REGION_MEDIA, ROW_CALL + REGION_MEDIA},
    {"rocjpeg", ROW_CALL + REGION_MEDIA, ROW_CALL + REGION_MEDIA},
    {"kfd", ROW_CALL + REGION_DRIVER, ROW_CALL + REGION_DRIVER},
    {"user", ROW_CALL + REGION_USER, ROW_CALL + REGION_USER},
    {"python", ROW_CALL + REGION_PYTHON, ROW_CALL + REGION_PYTHON},
    {"other", ROW_CALL + REGION_OTHER, ROW_CALL + REGION_OTHER},
    {"call", ROW_CALL, ROW_KINDS - 1},
    {"api", ROW_CALL, ROW_KINDS - 1},
    {"gpu", ROW_KERNEL, ROW_COPY},
};

/* "kernel, copy, allocation, ...": for help and errors. */
static const char *filter_categories(struct arena *a)
{
    struct str s;
    str_init(&s, a);
    for (size_t i = 0; i < ARRAY_LEN(categories); i++)
        str_printf(&s, "%s%s", i ? ", " : "", categories[i].word);
    return s.buf;
}

static bool add_category(struct filtering *x, const char *word)
{
    bool negated = *word == '!', found = false;
    for (size_t i = 0; i < ARRAY_LEN(categories); i++) {
        if (!str_has_fold(categories[i].word, word + negated) ||
            strlen(categories[i].word) != strlen(word + negated))
            continue;
        for (int k = categories[i].first; k <= categories[i].last; k++)
            x->kinds[k] = !negated;
        found = true;
    }
    return found || fail(x->err, GS_E_USAGE, "no category is called '%s'; there are %s", word,
                         filter_categories(x->temporary));
}

static bool understand_categories(struct filtering *x)
{
    struct opt_list words = words_of(&x->f->categories, x->temporary);
    if (!(x->by_category = words.n))
        return true;
    for (size_t i = 0; i < ROW_KINDS; i++) /* "!hsa" alone: all others */
        x->kinds[i] = *words.v[0] == '!';
    for (size_t i = 0; i < words.n; i++)
        if (!add_category(x, words.v[i]))
            return false;
    say(x, "category", &words);
    return true;
}

/* ---- markers ---- */

static void cover(struct filtering *x, uint32_t row, struct spans *to)
{
    const struct markers *m = &x->t->markers;
    spans_append(to, x->temporary, m->start_ns[row], m->end_ns[row]);
}

static bool understand_markers(struct filtering *x)
{
    const struct trace *t = x->t;
    const struct markers *m = &t->markers;
    if (!(x->by_marker = x->f->markers.n))
        return true;
    if (!patterns_parse(&x->markers, &x->f->markers, "marker", x->temporary, x->err))
        return false;
    uint8_t *meant = arena_array(x->temporary, uint8_t, t->strings.n + 1); /* 1 no, 2 yes */
    uint32_t *rows = arena_array(x->temporary, uint32_t, m->n);
    size_t n = 0;
    for (size_t i = 0; i < m->n; i++) {
        uint8_t *known = &meant[m->name[i]];
        if (!*known)
            *known = patterns_match(&x->markers, trace_str(t, m->name[i])) ? 2 : 1;
        x->keep.markers[i] = *known == 2;
        if (*known == 2)
            rows[n++] = (uint32_t)i;
    }
    if (!n)
        return fail(x->err, GS_E_USAGE, "no marker matches '%s'%s", x->f->markers.v[0],
                    m->n ? "" : "; the trace has no markers");
    sort_rows(rows, n, m->start_ns, x->temporary);
    struct covered *c = &x->covered;
    c->by_thread = arena_array(x->temporary, struct spans, t->threads.n + 1);
    c->by_process = arena_array(x->temporary, struct spans, t->processes.n + 1);
    for (size_t i = 0; i < n; i++) {
        uint32_t thread = m->thread[rows[i]] < t->threads.n ? m->thread[rows[i]] : NO_INDEX;
        bool wide = m->kind[rows[i]] == MARKER_PROCESS_RANGE;
        cover(x, rows[i], &c->all);
        if (thread != NO_INDEX && !wide)
            cover(x, rows[i], &c->by_thread[thread]);
        else if (thread != NO_INDEX)
            cover(x, rows[i], &c->by_process[t->threads.v[thread].process]);
        else
            cover(x, rows[i], &c->by_process[t->processes.n]);
    }
    say(x, "inside markers", &x->f->markers);
    return true;
}

/* ---- windows ---- */

/* The one marker of this name. */
static bool find_marker(const struct trace *t, const char *name, int64_t *start, int64_t *end,
                        struct gs_error *err)
{
    const struct markers *m = &t->markers;
    uint32_t id = strings_find(&t->strings, name);
    size_t found = 0;
    for (size_t i = 0; id != NO_INDEX && i < m->n; i++) {
        if (m->name[i] != id)
            continue;
        *start = m->start_ns[i];
        *end = m->end_ns[i];
        found++;
    }
    if (!found)
        return fail(err, GS_E_USAGE, "no marker is called '%s'%s", name,
                    t->markers.n ? "" : "; the trace has no markers");
    return found == 1 ||
           fail(err, GS_E_USAGE,
                "%zu markers are called '%s'; '--window marker:%s' is from the first to the last",
                found, name, name);
}

static bool rocpd_window(struct view_opts *view, const struct trace *t, const struct filter_opts *f,
                         struct arena *a, struct gs_error *err)
{
    int64_t ignored;
    if (f->start && f->start_marker)
        return fail(err, GS_E_USAGE, "options '--start' and '--start-marker' exclude each other");
    if (f->end && f->end_marker)
        return fail(err, GS_E_USAGE, "options '--end' and '--end-marker' exclude each other");
    const char *text = arena_printf(a, "%s..%s", f->start ? f->start : "", f->end ? f->end : "");
    if (!window_parse(view, t, text, err))
        return false;
    if (f->start_marker && !find_marker(t, f->start_marker, &view->start_ns, &ignored, err))
        return false;
    if (f->end_marker && !find_marker(t, f->end_marker, &ignored, &view->end_ns, err))
        return false;
    return view->end_ns > view->start_ns ||
           fail(err, GS_E_USAGE, "bad window: it ends before it starts");
}

bool filter_window(struct view_opts *view, const struct trace *t, const struct run_opts *o,
                   struct gs_error *err)
{
    const struct filter_opts *f = &o->filter;
    bool rocpd = f->start || f->end || f->start_marker || f->end_marker;
    if (rocpd && o->window)
        return fail(err, GS_E_USAGE,
                    "option '--window' and rocpd's '--start', '--end' exclude each other");
    struct arena *temporary = arena_scratch();
    bool ok = rocpd       ? rocpd_window(view, t, f, temporary, err)
              : o->window ? window_parse(view, t, o->window, err)
                          : true;
    arena_release(temporary);
    return ok && (!f->inclusive || view->has_window ||
                  fail(err, GS_E_USAGE, "option '--inclusive' needs a window"));
}

static bool understand_window(struct filtering *x, bool rows)
{
    struct view_opts view = {.threads = x->o->threads};
    char from[HUMAN_MAX], to[HUMAN_MAX];
    int64_t start, end;
    if (!filter_window(&view, x->t, x->o, x->err))
        return false;
    x->start_ns = view.start_ns;
    x->end_ns = view.end_ns;
    x->inside = x->f->inclusive && str_eq(x->f->inclusive, "false");
    x->ends = x->f->inclusive && !x->inside;
    x->has_window = view.has_window && (rows || x->f->inclusive);
    if (!view.has_window || !trace_span(x->t, x->o->threads, &start, &end))
        return true;
    str_printf(&x->only, "%s%s to %s%s", x->only.len ? ", " : "",
               human_time(from, sub_ns(view.start_ns, start)),
               human_time(to, sub_ns(view.end_ns, start)), x->inside ? ", whole rows" : "");
    return true;
}

/* ---- whose ---- */

static bool understand_owners(struct filtering *x)
{
    const struct trace *t = x->t;
    const struct run_opts *o = x->o;
    bool any = false;
    x->gpu = -1;
    if (o->gpu && !run_find_gpu(&x->gpu, t, o->gpu, x->err))
        return false;
    x->by_gpu = x->gpu >= 0;
    if (o->gpu)
        str_printf(&x->only, "%sGPU %s", x->only.len ? ", " : "", o->gpu);
    if (!(x->by_process = o->process >= 0 || o->rank >= 0))
        return true;
    x->process = arena_array(x->temporary, uint8_t, t->processes.n + 1);
    for (size_t i = 0; i < t->processes.n; i++) {
        const struct process *p = &t->processes.v[i];
        x->process[i] =
            (o->process < 0 || p->pid == o->process) && (o->rank < 0 || p->rank == o->rank);
        any |= x->process[i];
    }
    if (o->rank >= 0)
        str_printf(&x->only, "%srank %lld", x->only.len ? ", " : "", (long long)o->rank);
    if (o->process >= 0)
        str_printf(&x->only, "%sprocess %lld", x->only.len ? ", " : "", (long long)o->process);
    return any || fail(x->err, GS_E_USAGE, "no %s %lld in the traces; see 'gpusight info'",
                       o->rank >= 0 ? "rank" : "process",
                       (long long)(o->rank >= 0 ? o->rank : o->process));
}

bool filter_understand(struct filtering *x, bool rows)
{
    x->gpu = -1;
    return understand_kernels(x) && understand_streams(x) && understand_threads(x) &&
           understand_categories(x) && understand_markers(x) && (!rows || understand_owners(x)) &&
           understand_window(x, rows);
}
