/*
 * Overlay: an SQLite VFS that never writes to disk.
 *
 * SQLite must sometimes write before it can read: a hot journal has to be rolled back, a
 * write-ahead log needs an index beside the database. Opened traces are never modified, so this
 * VFS opens every file read-only and keeps all writes, truncations and deletions in memory. SQLite
 * then does its own recovery, correctly, and the disk stays as it was.
 *
 * Shared locks are taken on the real file, so a program that writes the database in rollback mode
 * is noticed. The shared memory of a write-ahead log is private; a live writer is refused
 * beforehand (see db.c).
 *
 *     struct overlay *o = overlay_new();                   registers a VFS of its own
 *     sqlite3_open_v2(path, &h, SQLITE_OPEN_READWRITE, overlay_name(o));
 *     ...
 *     sqlite3_close(h);
 *     overlay_free(o);
 *
 * Thread-safety: one connection, one thread at a time.
 */
#ifndef GS_INGEST_SQLITE_OVERLAY_H
#define GS_INGEST_SQLITE_OVERLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct overlay;

struct overlay *overlay_new(void); /* NULL when there is no memory; never unwinds */
void overlay_free(struct overlay *o);
const char *overlay_name(const struct overlay *o);

/* True when the database differs from the file on disk (a journal was rolled back). */
bool overlay_changed(const struct overlay *o);

/*
 * The database as SQLite sees it, apart from a write-ahead log that was not yet carried over
 * (sqlite3_wal_checkpoint_v2()): its size, and n bytes of it; zeros stand for what lies behind the
 * end. The overlay is passed as void, for struct pages.
 */
uint64_t overlay_size(const struct overlay *o);
bool overlay_read(void *overlay, uint64_t at, uint8_t *buf, size_t n);

/* True when a write failed since there was no memory for it. */
bool overlay_lacks_memory(const struct overlay *o);

/* errno of a read that failed; 0: none has, or there is no overlay. */
int overlay_problem(const struct overlay *o);

#endif
