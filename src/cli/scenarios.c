#include "cli/scenarios.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/jread.h"
#include "base/jwrite.h"
#include "evaluate/shipped.h"
#include "synth/rocpd.h"
#include "synth/synth.h"
#include "synth/truth.h"

struct writing {
    struct cli *cli;
    const char *dir;
    struct sink *writer; /* has files to clean up */
    struct gs_error *err;
};

static void clean_up(void *what)
{
    struct writing *w = what;
    if (w->writer)
        rocpdw_finish(w->writer, false, NULL, NULL);
}

/* What was planted, as a share of the time in which the GPU could have worked. */
static double share_of(const struct truth *t, const char *measure, struct arena *a)
{
    struct str json;
    struct jread j;
    double lost = -1, window = 0;
    str_init(&json, a);
    truth_json(t, &json);
    jr_memory(&j, json.buf, json.len);
    if (jr_object(&j))
        while (jr_key(&j)) {
            if (!jr_is(&j, "total") || !jr_object(&j)) {
                if (!jr_is(&j, "total"))
                    jr_skip(&j);
                continue;
            }
            while (jr_key(&j)) {
                if (jr_is(&j, measure))
                    lost = jr_num(&j, -1);
                else if (jr_is(&j, "span_ns"))
                    window = jr_num(&j, 0);
                else
                    jr_skip(&j);
            }
        }
    jr_release(&j);
    return *measure && lost >= 0 && window > 0 ? 100 * lost / window : -1;
}

static void put_list(struct jwrite *w, const char *key, const char *list)
{
    jw_open(w, key, '[');
    while (*list) {
        size_t n = strcspn(list, "|");
        jw_strn(w, NULL, list, n);
        list += n + (list[n] == '|');
    }
    jw_close(w);
}

static bool write_truth(struct writing *w, const struct eval_shipped *s, double share)
{
    struct str out;
    struct jwrite j;
    str_init(&out, w->cli->arena);
    jw_init(&j, &out, 2);
    jw_open(&j, NULL, '{');
    jw_str(&j, "scenario", s->scenario);
    jw_str(&j, "expected_bottleneck", s->expected);
    put_list(&j, "also_true", s->also_true);
    put_list(&j, "suggestions", s->suggestions);
    if (share >= 0)
        jw_num(&j, "share_pct", share);
    else
        jw_null(&j, "share_pct");
    jw_close(&j);
    str_putc(&out, '\n');
    return fs_write(arena_printf(w->cli->arena, "%s/%s.truth.json", w->dir, s->scenario), out.buf,
                    out.len, w->err);
}

static bool write_one(struct writing *w, const struct eval_shipped *s)
{
    const struct scenario *text = scenario_find(s->scenario);
    struct arena *a = w->cli->arena;
    struct program *p;
    bool job = s->is_job;
    if (!text || !synth_parse(&p, text->text, strlen(text->text), a, w->err))
        return fail(w->err, GS_E_FORMAT, "no scenario '%s'", s->scenario);
    struct synth_options o = {.seed = 1, .mpi_as_markers = !job, .no_telemetry = !job};
    struct truth *t = truth_new(a);
    const char *path = arena_printf(a, "%s/%s%s", w->dir, s->scenario, job ? "/" : ".db");
    if (job && mkdir(path, 0777) != 0 && errno != EEXIST)
        return fail(w->err, GS_E_IO, "cannot make '%s': %s", path, strerror(errno));
    struct rocpd_options r = {.flavor = job ? ROCPD_SYS : ROCPD_V3, .path = path, .args = -1};
    if (!synth_run(p, &o, truth_sink(t), w->err))
        return wrap(w->err, "scenario '%s'", s->scenario);
    w->writer = rocpdw_new(&r, a);
    if (!synth_run(p, &o, w->writer, w->err))
        return wrap(w->err, "scenario '%s'", s->scenario);
    struct opt_list files = {0};
    struct sink *done = w->writer;
    w->writer = NULL;
    return rocpdw_finish(done, true, &files, w->err) &&
           write_truth(w, s, share_of(t, s->measure, a));
}

bool scenarios_write(struct cli *cli, const char *dir, struct gs_error *err)
{
    struct writing *w = arena_new(cli->arena, struct writing);
    *w = (struct writing){.cli = cli, .dir = dir, .err = err};
    arena_defer(cli->arena, clean_up, w);
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return fail(err, GS_E_IO, "cannot make '%s': %s", dir, strerror(errno));
    for (const struct eval_shipped *s = eval_shipped; s->scenario; s++)
        if (!write_one(w, s))
            return false;
    return true;
}
