/*
 * What a container may take: the limit of memory that the system set on the group of processes this
 * one is in, or on a group around it. Who takes more is ended with SIGKILL, without a word.
 *
 * Thread-safety: all functions.
 */
#ifndef GS_BASE_CGROUP_H
#define GS_BASE_CGROUP_H

#include <stdint.h>

/* The least limit, of version 2 and 1; UINT64_MAX: none. `root` is "" but for tests. */
uint64_t cgroup_memory(const char *root);

#endif
