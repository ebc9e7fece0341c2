/* Power, clocks and load in the window. */
#include <math.h>

#include "analyze/analysis.h"

struct sum {
    uint64_t points;
    double min, mean, max;
};

static bool selected(const struct analysis *a, const struct series *s)
{
    const struct view_opts *o = &a->opts.view;
    if (o->gpu >= 0 && s->gpu != NO_INDEX && s->gpu != (uint32_t)o->gpu)
        return false;
    return o->process < 0 || s->process >= a->trace->processes.n ||
           a->trace->processes.v[s->process].pid == o->process;
}

static void add_point(struct sum *s, double value)
{
    s->min = !s->points || value < s->min ? value : s->min;
    s->max = !s->points || value > s->max ? value : s->max;
    s->points++;
    s->mean += (value - s->mean) / (double)s->points; /* a sum could overflow */
}

static void run(struct analysis *a, struct arena *arena)
{
    const struct trace *t = a->trace;
    struct arena *temporary = arena_scratch();
    struct sum *sums = arena_array(temporary, struct sum, t->series.n);
    for (size_t i = 0; i < t->telemetry.n; i++) {
        int64_t time = t->telemetry.time_ns[i];
        if (time >= a->view.start_ns && time <= a->view.end_ns &&
            t->telemetry.series[i] < t->series.n && isfinite(t->telemetry.value[i]))
            add_point(&sums[t->telemetry.series[i]], t->telemetry.value[i]);
    }
    for (size_t i = 0; i < t->series.n; i++) {
        const struct series *s = &t->series.v[i];
        if (sums[i].points && selected(a, s))
            vec_push(&a->telemetry, arena,
                     ((struct telemetry_row){
                         .series = trace_str(t, s->name),
                         .units = trace_str(t, s->units),
                         .gpu = s->gpu < t->gpus.n ? t->gpus.v[s->gpu].index : -1,
                         .points = sums[i].points,
                         .min = sums[i].min,
                         .mean = sums[i].mean,
                         .max = sums[i].max,
                     }));
    }
    arena_release(temporary);
}

#define R struct telemetry_row
static const struct field row_fields[] = {
    FIELD(R, series, FIELD_TEXT, "series", NO_UNIT, "what is measured"),
    FIELD(R, units, FIELD_TEXT, "units", NO_UNIT,
          "units of the values, as the profiler gives them"),
    FIELD(R, gpu, FIELD_I32, "GPU", NO_UNIT, "number of the GPU; -1 for the host or a process"),
    FIELD(R, points, FIELD_U64, "points", NO_UNIT, "number of finite readings in the window"),
    FIELD(R, min, FIELD_NUM, "min", NO_UNIT, "smallest reading in the window"),
    FIELD(R, mean, FIELD_NUM, "mean", NO_UNIT, "mean of the readings, each counted alike"),
    FIELD(R, max, FIELD_NUM, "max", NO_UNIT, "largest reading in the window"),
};
#undef R

const struct fields telemetry_fields =
    FIELDS("telemetry", "readings over time, by series", struct telemetry_row, row_fields);

const struct analysis_kind analysis_telemetry = {
    .name = "telemetry",
    .doc = "Power, clocks, temperature and load as far as they were recorded in the window.",
    .run = run,
    .tables = ANALYSIS_TABLES(ANALYSIS_ROWS(telemetry_fields, telemetry)),
};
