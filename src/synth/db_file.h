/*
 * Databases are written to a file that has no name yet (base/fs_out.h), where the system has such:
 * a process that is killed then leaves nothing. SQLite wants a name for everything that lies beside
 * a database, so this is for those without a journal or log.
 *
 * Thread-safety: one thread.
 */
#ifndef GS_SYNTH_DB_FILE_H
#define GS_SYNTH_DB_FILE_H

#include <sqlite3.h>

/* Opens the database at fs_out.temp to write it; the code of SQLite. */
int db_file_open(const char *temp, sqlite3 **db);

#endif
