/*
 * Agents: a GPU or the CPU as a process sees it, and what copies between two of them are.
 */
#ifndef GS_INGEST_AGENTS_H
#define GS_INGEST_AGENTS_H

#include "base/hash.h"
#include "model/trace.h"

/* The agent of a process for a GPU of the trace (NO_INDEX: its CPU); added where `known` has none. */
uint32_t agent_in(struct trace *t, struct idmap *known, uint32_t process, uint32_t gpu);

/* What the words of a profiler say of a copy: "MEMORY_COPY_HOST_TO_DEVICE", "Memcpy DtoH (Device -> Pinned)". */
enum copy_kind copy_kind_said(const char *words);

/*
 * A copy from agent to agent, either may be NO_INDEX: the record's name says the direction; the ends say
 * it where it does not, and tell peers apart.
 */
enum copy_kind copy_kind_between(const struct trace *t, enum copy_kind named, uint32_t src,
                                 uint32_t dst);

#endif
