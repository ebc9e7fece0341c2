/*
 * Files: opening and mapping them to read, listing folders, writing results safely.
 */
#ifndef GS_BASE_FS_H
#define GS_BASE_FS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

struct idmap;
struct stat;

/*
 * A file mapped for reading. At least FS_SLACK zero bytes can be read past the end, so that
 * decoders may load whole words at the last byte.
 */
struct mapping {
    const uint8_t *data;
    size_t size;
    size_t reserved;
};

enum { FS_SLACK = 64 };

bool map_file(struct mapping *m, const char *path, struct gs_error *err);
void unmap_file(struct mapping *m);

/*
 * The same from memory: the bytes are read, so a file that is cut meanwhile is shorter and not a
 * SIGBUS. More than `most` bytes are an error. unmap_file() lets it go.
 */
bool fs_read(struct mapping *m, const char *path, uint64_t most, struct gs_error *err);
/* One that belongs to the arena and is let go with it; NULL where it cannot be read. */
const struct mapping *fs_read_in(struct arena *a, const char *path, uint64_t most,
                                 struct gs_error *err);

/*
 * Opens a file to read it; -1 and the reason where that fails. Everything that is read is opened
 * here: only regular files are, and nothing waits for the other end of a FIFO.
 */
int fs_open(const char *path, struct gs_error *err);

/*
 * The same for a file in a folder that others may have filled (an archive that was unpacked):
 * `path` begins with `root`, which the user gave; behind it neither links nor ".." are followed, so
 * nothing outside of the folder is read.
 */
int fs_open_within(const char *root, const char *path, struct gs_error *err);
bool fs_is_link(const char *path);

/* Whether a file or folder is none of those met before, whatever name it had then; now it is met. */
bool fs_first_time(struct idmap *met, const struct stat *st);

/*
 * Calls to the system that are finished whatever happens meanwhile: begun anew where a signal
 * interrupts them, and repeated where a file system gives less than was asked for. Fewer than n bytes
 * are read only at the end of the file; -1 with errno.
 */
int fs_open_plain(const char *path, int flags);
ptrdiff_t fs_read_up_to(int fd, void *to, size_t n);
ptrdiff_t fs_read_at(int fd, void *to, size_t n, uint64_t at);
bool fs_read_all(int fd, void *to, size_t n); /* all n bytes, of a pipe or socket as well */

bool fs_is_dir(const char *path);
bool fs_is_file(const char *path); /* a regular one */
bool fs_exists(const char *path);
int64_t fs_size(const char *path); /* -1 when there is no such file */

struct fs_list {
    char **v;
    size_t n, cap;
};

/*
 * The names in a folder, sorted: no more than `most`, those that begin with a dot only if asked
 * for, "." and ".." never. fs_join() makes a path of one.
 */
bool fs_names(struct fs_list *out, const char *dir, bool dotted, size_t most, struct arena *a,
              struct gs_error *err);
char *fs_join(const char *dir, const char *name, struct arena *a);

/* The paths of regular files in a folder, sorted by name; not recursive. */
bool fs_list(struct fs_list *out, const char *dir, struct arena *a, struct gs_error *err);

/*
 * What SQLite keeps of a database: the names of its files are the database's with these ends. Rows
 * are in the first FS_DB_ROWS, the database itself among them.
 */
enum { FS_DB_ROWS = 3, FS_DB_FILES = 4 };
extern const char *const fs_db_ends[FS_DB_FILES]; /* "", "-wal", "-journal", "-shm" */
/* The path of one of them; all but the database lie beside what a link leads to. */
const char *fs_db_file(const char *path, size_t i, struct arena *a);

/* The part after the last '/'. */
const char *fs_basename(const char *path);

/*
 * A name for people: of a folder its own, of a file the folder's as well, since "15_results.db" says
 * little: "night/15_results.db".
 */
const char *fs_label(const char *path, bool folder, struct arena *a);

/*
 * Writes a whole file, as fs_out.h says: a reader never sees half of it, a failure leaves the old
 * file, and a file that was read is not written over. "-" writes to standard output.
 */
bool fs_write(const char *path, const char *data, size_t n, struct gs_error *err);

#endif
