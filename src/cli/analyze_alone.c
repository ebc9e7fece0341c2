#include "cli/analyze_alone.h"

#include "cli/report_time.h"
#include "compat/rocinsight.h"
#include "render/att_json.h"
#include "render/source_json.h"
#include "report/source_report.h"

static void att_form(const struct report *r, struct jwrite *w, bool in_page)
{
    const struct alone *x = r->ctx;
    (void)in_page;
    att_json_document(w, x->about->att, &(struct analysis_json_opts){.prompt = x->prompt});
}

static void source_form(const struct report *r, struct jwrite *w, bool in_page)
{
    const struct alone *x = r->ctx;
    struct analysis_json_opts o = {.prompt = x->prompt, .explanation = x->about->explanation};
    if (in_page || x->profile != JSON_ROCINSIGHT) {
        source_json_document(w, x->about->source, &o);
        return;
    }
    struct report_time now = report_time(x->begin, r->arena);
    o.timestamp = now.timestamp;
    o.duration_ms = now.duration_ms;
    rocinsight_source_json(w, x->about->source, &o);
}

bool analyze_alone(struct alone *x, struct output *out, struct gs_error *err)
{
    bool att = x->about->att != NULL;
    struct report r = {.ctx = x,
                       .arena = out->cli->arena,
                       .about = x->about,
                       .make = att ? att_report : source_report,
                       .json = att ? att_form : source_form,
                       .kind = att ? "thread trace" : "scan"};
    if (att && out->form == &renderer_json && x->profile == JSON_ROCINSIGHT)
        return fail(err, GS_E_USAGE, "option '--json-profile rocinsight' needs a trace");
    return output_named(out, "source", err) && output_report(out, &r, err);
}
