/*
 * Zip archives, written part after part as their bytes are made: memory does not grow with them.
 *
 *     struct zip *z = zip_new(fd, arena);
 *     zip_begin(z, "a.txt", 0);
 *     zip_put(z, text, n); // as often as needed
 *     zip_end(z);
 *     if (!zip_finish(z))
 *         return fail(err, GS_E_IO, "cannot write '%s': %s", path, strerror(errno));
 *
 * `fd` is an empty file, not a pipe: the sizes of a part are put before it once they are known. It
 * stays the caller's. Write errors need not be looked at on the way; after one nothing more is
 * written, and zip_finish() tells. Parts are deflated and carry no date, so the same parts are the
 * same bytes.
 *
 * Thread-safety: one thread at a time.
 */
#ifndef GS_BASE_ZIP_H
#define GS_BASE_ZIP_H

#include "base/arena.h"

struct zip;

/* It belongs to the arena. */
struct zip *zip_new(int fd, struct arena *a);

/*
 * ZIP_LARGE: it may take more than 4 GiB. Room for longer numbers is kept before it then, so that
 * the archive needs the newer form of zip (zip64) only where a part did become that large.
 */
enum { ZIP_LARGE = 1 };
void zip_begin(struct zip *z, const char *name, int flags);
void zip_put(struct zip *z, const char *bytes, size_t n);
void zip_end(struct zip *z);

/* Something went wrong: there is no use in making more. */
bool zip_failed(const struct zip *z);

/* The directory; false with errno when anything could not be written. */
bool zip_finish(struct zip *z);

#endif
