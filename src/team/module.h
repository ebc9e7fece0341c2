/*
 * What the courier wants of MPI, as a table of functions.
 *
 * The program itself knows no MPI: implementations differ in every type of mpi.h, and most machines
 * have none. mpi_module.c is compiled once against each implementation found, as
 * gpusight-mpi-NAME.so, and loaded when a launcher has started several of us (launcher.h). Nothing
 * but this header is shared with it.
 *
 * All functions return 0, or the reason as a text that stays. They are called by one thread.
 */
#ifndef GS_TEAM_MODULE_H
#define GS_TEAM_MODULE_H

#include <stddef.h>

enum { TEAM_MODULE_VERSION = 1, TEAM_PIECE = 1 << 20 /* bytes in a message, at most */ };

struct team_module {
    int version; /* TEAM_MODULE_VERSION of the module */
    const char *name;
    /* `local`: how many of the processes are on this machine. */
    const char *(*start)(int *rank, int *size, int *local);
    /* One at a time: `done` says when the bytes may go and the next one may be sent. */
    const char *(*send)(int to, const void *bytes, size_t n);
    const char *(*done)(int *done);
    /* A message that has come, into room for TEAM_PIECE + 64 bytes; *n < 0: none has. */
    const char *(*receive)(int *from, void *bytes, long *n);
    const char *(*finish)(void);
    void (*abort)(int code);
};

/* The one symbol of a module. */
typedef const struct team_module *team_module_fn(void);
#define TEAM_MODULE_SYMBOL "gpusight_team_module"

#endif
