/*
 * Profiler commands: only tools and options that exist, nothing the trace already holds, names
 * quoted so that a shell takes them as data, counters split into passes the hardware can do.
 */
#include <ctype.h>
#include <string.h>

#include "advise/finding.h"
#include "base/str.h"
#include "metric/passes.h"

struct builder {
    struct finding *f;
    struct profiler_command c;
    struct str full;
};

static void begin(struct builder *b, struct finding *f, const char *tool, const char *why)
{
    *b = (struct builder){.f = f, .c = {.tool = tool, .description = why}};
    str_init(&b->full, f->arena);
    str_puts(&b->full, tool);
}

static void flag(struct builder *b, const char *name)
{
    vec_push(&b->c.flags, b->f->arena, name);
    str_printf(&b->full, " %s", name);
}

static void arg(struct builder *b, const char *name, const char *value)
{
    vec_push(&b->c.args, b->f->arena, ((struct command_arg){name, value}));
    str_printf(&b->full, " %s", name);
    if (value)
        str_printf(&b->full, " %s", value);
}

static void end(struct builder *b)
{
    str_printf(&b->full, " -- %s", trace_command(b->f->analysis->trace, b->f->arena));
    b->c.full_command = b->full.buf;
    vec_push(&b->f->commands, b->f->arena, b->c);
}

/* In single quotes; a quote inside ends them, adds an escaped one and starts again. */
static const char *quoted(struct arena *a, const char *s)
{
    struct str q;
    str_init(&q, a);
    str_putc(&q, '\'');
    for (; *s; s++) {
        if (*s == '\'')
            str_puts(&q, "'\\''");
        else if ((unsigned char)*s >= 0x20 && *s != 0x7f)
            str_putc(&q, *s);
    }
    str_putc(&q, '\'');
    return q.buf;
}

/* A regular expression that matches the short name literally. */
static const char *literal_regex(struct arena *a, const char *name)
{
    enum { MOST = 80 };
    struct str r;
    str_init(&r, a);
    for (size_t n = 0; *name && n < MOST && *name != '<' && *name != '('; name++, n++) {
        if (isalnum((unsigned char)*name) || *name == '_' || *name == ':')
            str_putc(&r, *name);
        else
            str_putc(&r, '.');
    }
    return r.buf;
}

static bool has(const struct finding *f, const char *key)
{
    return capability_has(&f->analysis->capabilities, key);
}

static void trace_amd(struct finding *f, const char *why)
{
    static const struct {
        const char *key, *flag;
    } wanted[] = {
        {"kernels", "--kernel-trace"},     {"api", "--hip-trace"},
        {"copies", "--memory-copy-trace"}, {"allocations", "--memory-allocation-trace"},
        {"markers", "--marker-trace"},
    };
    struct builder b;
    begin(&b, f, "rocprofv3", why);
    bool any = false;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
        if (has(f, wanted[i].key))
            continue;
        flag(&b, wanted[i].flag);
        any = true;
    }
    if (any)
        end(&b);
}

void finding_capture_trace(struct finding *f, const char *why)
{
    if (!trace_is_nvidia(f->analysis->trace)) {
        trace_amd(f, why);
        return;
    }
    if (has(f, "api") && has(f, "kernels") && has(f, "markers"))
        return;
    struct builder b;
    begin(&b, f, "nsys profile", why);
    flag(&b, "--trace=cuda,nvtx,osrt");
    end(&b);
}

void finding_capture_host(struct finding *f, const char *why)
{
    struct builder b;
    if (trace_is_nvidia(f->analysis->trace)) {
        begin(&b, f, "nsys profile", why);
        flag(&b, "--trace=cuda,nvtx,osrt");
        flag(&b, "--sample=process-tree");
        flag(&b, "--cudabacktrace=all");
    } else {
        begin(&b, f, "rocprof-sys-sample", why);
        flag(&b, "--trace");
    }
    end(&b);
}

void finding_capture_kernel(struct finding *f, const char *kernel, const char *why)
{
    struct builder b;
    struct arena *a = f->arena;
    if (trace_is_nvidia(f->analysis->trace)) {
        begin(&b, f, "ncu", why);
        arg(&b, "--set", "full");
        arg(&b, "--kernel-name", quoted(a, arena_printf(a, "regex:%s", literal_regex(a, kernel))));
        arg(&b, "--launch-count", "5");
    } else {
        begin(&b, f, "rocprof-compute", why);
        flag(&b, "profile");
        arg(&b, "--name", "gpusight");
        arg(&b, "--kernel", quoted(a, kernel));
    }
    end(&b);
}

static bool collected(const struct trace *t, const char *counter)
{
    for (size_t i = 0; t->counters.n && i < t->counter_infos.n; i++)
        if (str_eq(trace_str(t, t->counter_infos.v[i].name), counter))
            return true;
    return false;
}

void finding_capture_counters(struct finding *f, const char *const *counters, const char *kernel,
                              const char *why)
{
    enum { MOST = 64 };
    const struct trace *t = f->analysis->trace;
    if (trace_is_nvidia(t))
        return;
    const char *left[MOST];
    size_t n_left = 0;
    for (; *counters && n_left < MOST; counters++)
        if (!collected(t, *counters))
            left[n_left++] = *counters;
    struct counter_passes passes;
    passes_make(&passes, left, n_left, f->arena);
    for (size_t i = 0; i < passes.list.n; i++) {
        struct builder b;
        begin(&b, f, "rocprofv3", why);
        arg(&b, "--pmc", pass_text(&passes.list.v[i], f->arena));
        if (kernel)
            arg(&b, "--kernel-include-regex", quoted(f->arena, literal_regex(f->arena, kernel)));
        end(&b);
    }
}
