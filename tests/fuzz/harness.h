/* What fuzz targets share that read files. */
#ifndef GS_TESTS_FUZZ_HARNESS_H
#define GS_TESTS_FUZZ_HARNESS_H

#include "ingest/ingest.h"

/* Ends the process, with what did not hold. */
void must(bool holds, const char *what);
/* An error is one line. */
void must_be_one_line(const struct gs_error *err);

/* Every number in a trace that stands for a row, a name or a kind is one. Nothing is packed. */
void must_refer(const struct trace *t);

/* The bytes as a file, the same for all calls; its path. */
const char *as_file(const uint8_t *data, size_t size);

/* Whether a format takes it for its own; its bytes end where the memory does, so that reading past
 * the end shows. */
bool is_detected(const struct format *format, const char *path, const uint8_t *data, size_t size);

#endif
