/* All that can be made of a trace, in memory: analysis, advice, every document, page and chart. */
#ifndef GS_FUZZ_EVERYTHING_H
#define GS_FUZZ_EVERYTHING_H

#include "model/trace.h"

void everything(const struct trace *t);

#endif
