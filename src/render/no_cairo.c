/* Stands in where cairo was not there at build time. */
#include "render/picture.h"

static bool no_cairo(struct gs_error *err, const char *format)
{
    return fail(err, GS_E_USAGE,
                "cannot write %s: this gpusight was built without cairo; try SVG or HTML", format);
}

bool render_png(struct str *out, const struct draw *d, enum theme theme, struct gs_error *err)
{
    (void)out, (void)d, (void)theme;
    return no_cairo(err, "PNG");
}

bool render_pdf(struct str *out, const struct doc *d, struct gs_error *err)
{
    (void)out, (void)d;
    return no_cairo(err, "PDF");
}
