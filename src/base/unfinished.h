/*
 * Names of files that are not finished yet: when the process ends before they are, by a signal or
 * by a shortage of memory, they are removed.
 *
 *     struct unfinished *u = unfinished_add(name); // before the file is made
 *     ...
 *     unfinished_done(u); // it has its own name now, or is gone
 *
 * Thread-safety: all functions.
 */
#ifndef GS_BASE_UNFINISHED_H
#define GS_BASE_UNFINISHED_H

struct unfinished;

/* A file, what SQLite may leave beside it, or an empty folder. NULL: no memory. */
struct unfinished *unfinished_add(const char *name);
void unfinished_done(struct unfinished *u); /* NULL is fine */

/* Removes all of them: at the end, when an error unwound past their owners. */
void unfinished_remove(void);

/*
 * SIGINT, SIGTERM, SIGHUP and others that end a process do so after unfinished_remove(), unless
 * they are ignored (nohup). SIGXFSZ is ignored: the write fails, and is told as such. SIGBUS, a
 * mapped file that was cut, ends it in the same way, with one line.
 */
void unfinished_on_signals(void);

/*
 * Between these two such signals wait: for steps of which the first must not be taken without the
 * last.
 */
void unfinished_hold(void);
void unfinished_let_go(void);

#endif
