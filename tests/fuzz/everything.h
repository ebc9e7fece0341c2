/* All that can be made of a trace, in memory: every document, page and chart. */
#ifndef GS_FUZZ_EVERYTHING_H
#define GS_FUZZ_EVERYTHING_H

#include "model/trace.h"

/* What takes as long as reading and analyzing a small trace each. */
enum everything_part {
    SHOW_TEXT,
    SHOW_PAGE,
    SHOW_JSON,
    SHOW_CHARTS,
    SHOW_PLAN,
    SHOW_COMPARED,
    SHOW_ALL
};

/*
 * Analysis and advice, and all that is made of them, or one part of that. An input of a target should
 * say which: then as many inputs as there are parts are analyzed in the time of one.
 */
void everything(const struct trace *t, enum everything_part part);

#endif
