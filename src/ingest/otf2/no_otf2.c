/* A build without libotf2 reads no archives; ingest/foreign.c says so. */
#include "ingest/ingest.h"

static bool detect(const struct probe *p)
{
    (void)p;
    return false;
}

const struct format format_otf2 = {.name = "otf2", .label = "OTF2 archive", .detect = detect};
