#include <stddef.h>

#include "base/str.h"
#include "synth/synth.h"

const struct scenario *scenario_find(const char *name)
{
    for (const struct scenario *s = synth_scenarios; s->name; s++)
        if (str_eq(s->name, name))
            return s;
    return NULL;
}
