/* The ranks of a job in the analysis document. */
#include "job/job.h"
#include "render/analysis_json_in.h"

static void write_notes(struct jwrite *w, const struct job *j)
{
    jw_open(w, "notes", '[');
    for (size_t i = 0; i < j->notes.n; i++)
        jw_str(w, NULL, j->notes.v[i]);
    jw_close(w);
}

static void write_causes(struct jwrite *w, const struct job *j)
{
    jw_open(w, "ledger", '{');
    for (enum cause c = 0; c < CAUSES; c++)
        jw_int(w, cause_info(c)->key, j->cause_ns[c]);
    jw_close(w);
}

void write_job(struct analysis_document *d)
{
    struct jwrite *w = d->w;
    const struct job *j = d->a->job;
    if (!j) {
        jw_open(w, "ranks", '[');
        jw_close(w);
        jw_null(w, "imbalance");
        jw_null(w, "straggler");
        jw_null(w, "efficiencies");
        jw_null(w, "job");
        return;
    }
    fields_write_rows(w, "ranks", &job_rank_fields, j->ranks.v, j->ranks.n);
    jw_num(w, "imbalance", j->stats.imbalance);
    if (j->has_straggler)
        fields_write(w, "straggler", &straggler_fields, &j->straggler);
    else
        jw_null(w, "straggler");
    fields_write(w, "efficiencies", &efficiency_fields, &j->efficiencies);
    jw_open(w, "job", '{');
    fields_write_members(w, &job_stats_fields, &j->stats);
    write_causes(w, j);
    write_notes(w, j);
    jw_close(w);
}
