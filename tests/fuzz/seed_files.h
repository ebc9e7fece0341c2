/* Small sound databases, written by synth: its headers and those of the model cannot meet. */
#ifndef GS_FUZZ_SEED_FILES_H
#define GS_FUZZ_SEED_FILES_H

#include <stdbool.h>

bool write_rocpd(const char *path);
bool write_nsys(const char *path);

#endif
