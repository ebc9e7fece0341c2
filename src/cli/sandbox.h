/*
 * The box in which foreign files are read: a mistake in a parser must not become a program that
 * writes, talks or runs what it likes.
 *
 * From the start of a command on, files can be changed only where its own output goes (the folders
 * of its output options) and in $TMPDIR, /tmp and the font cache; sockets, other programs, other
 * processes and the rarer calls of the kernel are refused. Reading stays free. It is made of
 * Landlock and a system-call filter, both of which hold for all threads and cannot be taken off.
 *
 * "auto" takes what the kernel has and says nothing, "on" fails where something is missing,
 * "off" does nothing. Builds with sanitizers, which trace themselves, take "auto" for "off".
 */
#ifndef GS_CLI_SANDBOX_H
#define GS_CLI_SANDBOX_H

#include "base/err.h"
#include "base/opt.h"
#include "cli/command.h"

/* Folders of `writable` need not exist: the nearest one above them that does is meant. */
bool sandbox_enter(enum sandbox_mode mode, const struct opt_list *writable, struct gs_error *err);

/*
 * The same for the messenger (llm/messenger.h), which reads no trace and writes no file, and needs
 * the network. What the kernel does not have is left out. `cli`: struct cli; `ca`: certificates that
 * it reads, or NULL; `program`: the one it may run, in the same box, or NULL.
 */
void sandbox_messenger(void *cli, const char *ca, const char *program);

/*
 * Reading, too, is then only possible below these folders or files, and where the system keeps what
 * every program needs (/usr, /lib, /proc, /dev/null, temporary files). On top of sandbox_enter().
 */
bool sandbox_confine(enum sandbox_mode mode, const struct opt_list *readable, struct gs_error *err);

/* What options name that are not for writing: scripts, recordings, databases, and other words. */
void sandbox_sources(struct opt_list *out, const struct command *c, const void *settings,
                     struct arena *a);

/* Where a command writes, by its options. */
void sandbox_targets(struct opt_list *out, const struct command *c, const void *settings,
                     struct arena *a);

#endif
