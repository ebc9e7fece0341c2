#include "render/render.h"

#include "render/html/html.h"
#include "render/picture.h"

bool render_doc(struct str *out, const struct doc *d, const char *format,
                const struct render_opts *o, struct gs_error *err)
{
    if (str_eq(format, "pdf"))
        return render_pdf(out, d, err);
    if (str_eq(format, "html"))
        render_html(out, d);
    else if (str_eq(format, "markdown"))
        render_markdown(out, d, NULL);
    else
        render_text(out, d, o);
    return true;
}
