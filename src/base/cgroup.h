/*
 * What a container may take: the limits that the system set on the group of processes this one is
 * in, or on a group around it. Who takes more memory is ended with SIGKILL, without a word; who takes
 * more processor time is made to wait.
 *
 * Thread-safety: all functions.
 */
#ifndef GS_BASE_CGROUP_H
#define GS_BASE_CGROUP_H

#include <stdint.h>

/* The least limit, of version 2 and 1; UINT64_MAX: none. `root` is "" but for tests. */
uint64_t cgroup_memory(const char *root);

/* Processors that the least quota is worth, rounded up; INT_MAX: there is none. */
int cgroup_cpus(const char *root);

#endif
