/* Between the files of rocinsight's document. */
#ifndef GS_COMPAT_ROCINSIGHT_JSON_H
#define GS_COMPAT_ROCINSIGHT_JSON_H

#include "render/analysis_json_in.h"

struct rocinsight {
    struct jwrite *w;
    const struct analysis *a;
    const struct advice *advice;
    const struct analysis_json_opts *o;
};

/* It rounds, and knows no null: v in steps of 1 / steps, 0 where it cannot be said. */
double rocinsight_rounded(double v, double steps);
/* 0 to 100, two decimals. */
void rocinsight_pct(struct jwrite *w, const char *key, double v);

void rocinsight_timeline(struct rocinsight *d);
void rocinsight_categories(struct rocinsight *d);
void rocinsight_short_kernels(struct rocinsight *d);
void rocinsight_recommendations(struct rocinsight *d);
void rocinsight_warnings(struct rocinsight *d);
void rocinsight_att(struct rocinsight *d); /* of a thread trace, which there must be */

#endif
