#include "made_rocpd.h"

#include <string.h>

#include "synth/rocpd.h"
#include "synth/synth.h"

const char *made_rocpd(const char *text, const struct made_rocpd *o)
{
    static struct gs_error err;
    struct arena a;
    struct program *p;
    struct synth_options s = {.seed = 3, .mpi_as_markers = true, .no_telemetry = true};
    struct rocpd_options r = {.path = o->path, .page_size = 512};
    r.journal = o->log_left ? JOURNAL_WAL_LEFT : JOURNAL_NONE;
    if (o->scenario)
        text = scenario_find(text)->text;
    err = (struct gs_error){0};
    arena_init(&a);
    if (synth_parse(&p, text, strlen(text), &a, &err) && (!o->set || synth_set(p, o->set, &err))) {
        struct sink *w = rocpdw_new(&r, &a);
        bool ok = synth_run(p, &s, w, &err);
        rocpdw_finish(w, ok, NULL, &err);
    }
    arena_release(&a);
    return err.text;
}
