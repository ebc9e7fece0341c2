/* Stands in where libxlsxwriter was not there at build time. */
#include "render/workbook_out.h"

bool render_xlsx(const struct workbook *w, const char *path, size_t *split, struct fs_set *set,
                 struct gs_error *err)
{
    (void)w, (void)split, (void)set;
    return fail(err, GS_E_USAGE,
                "cannot write '%s': this gpusight was built without libxlsxwriter; use --csv-dir",
                path);
}
