#include "base/unit.h"

#include <stddef.h>

const char *const unit_words[] = {
#define UNIT(name, word) word,
#include "base/units.def"
#undef UNIT
    NULL,
};
