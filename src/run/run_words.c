#include "run/run_words.h"

#include "base/sat.h"
#include "base/str.h"

struct run_opts run_opts_of(const struct analyzed_opts *o)
{
    struct run_opts r = RUN_DEFAULTS;
    r.reader = o->reader;
    r.window = o->window;
    r.iteration = o->iteration;
    r.phase = o->phase;
    r.gpu = o->gpu;
    r.process = o->process;
    r.rank = o->rank;
    r.short_ns = ns_from(o->short_us * 1000);
    r.max_phases = (uint32_t)o->max_phases;
    r.replay = !o->no_replay;
    r.filter = o->filter;
    return r;
}

bool run_split_by(struct run_opts *out, const struct opt_list *by, const char *option,
                  struct gs_error *err)
{
    for (size_t i = 0; i < by->n; i++) {
        bool *to = str_eq(by->v[i], "gpu")       ? &out->by_gpu
                   : str_eq(by->v[i], "process") ? &out->by_process
                   : str_eq(by->v[i], "stream")  ? &out->by_stream
                                                 : NULL;
        if (!to)
            return fail(err, GS_E_USAGE, "option '%s' must be one of gpu|process|stream, not '%s'",
                        option, by->v[i]);
        *to = true;
    }
    return true;
}
