/* A build without libotf2 knows the format by name. */
#include "convert/convert.h"

static bool write_otf2(struct conversion *c, struct gs_error *err)
{
    (void)c;
    return fail(err, GS_E_USAGE, "cannot write OTF2: this gpusight was built without libotf2");
}

const struct converter converter_otf2 = {
    .name = "otf2",
    .ends = "_results.otf2",
    .extension = ".otf2",
    .summary = "an OTF2 archive; not in this build, which lacks libotf2",
    .binary = true,
    .write = write_otf2,
};
