/*
 * Reports of Nsight Systems that are no database yet: known, not readable, and easily exported.
 */
#ifndef GS_INGEST_NSYS_REPORT_H
#define GS_INGEST_NSYS_REPORT_H

#include <stdbool.h>

#include "base/err.h"
#include "ingest/ingest.h"

/* True when the file is one; then err has the command that makes a database of it. */
bool nsys_explain_report(const struct probe *p, struct gs_error *err);

#endif
