/*
 * Events as JSON, one object each: between this process and the messenger, and in recordings.
 *
 *     {"text": "The GPU"}
 *     {"call": {"id": "c1", "name": "top_kernels", "arguments": "{}"}}
 *     {"usage": {"input": 12, "output": 3, "cache_read": 0, "cache_write": 0}}
 *     {"stop": "end"}
 *     {"fault": "rate", "status": 429, "text": "..."}
 */
#ifndef GS_LLM_EVENT_JSON_H
#define GS_LLM_EVENT_JSON_H

#include "base/jread.h"
#include "base/jwrite.h"
#include "llm/dialogue.h"

void event_write(struct jwrite *w, const struct llm_event *e);

/* Into the arena; false: the value is no event. */
bool event_read(struct jread *j, struct llm_event *e, struct arena *a);

extern const char *const llm_stop_names[], *const llm_fault_names[]; /* NULL at the end */

#endif
