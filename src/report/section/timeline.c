/* All events, to look around in; a picture where there is no screen. */
#include "report/section.h"

static bool has(const struct subject *s)
{
    return s->a != NULL;
}

static void build(const struct subject *s, struct doc *d)
{
    (void)s;
    doc_timeline(d);
}

const struct section section_timeline = {"timeline",          "Timeline", "Timeline",
                                         IN(REPORT_ANALYSIS), has,        build};
