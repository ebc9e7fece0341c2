/* A build without libcurl: servers cannot be reached, programs can. */
#include "llm/messenger.h"

bool llm_has_network(void)
{
    return false;
}

void http_run(struct errand *e)
{
    static const char text[] = "this build has no network";
    e->take(e->ctx, &(struct llm_event){.kind = LLM_EVENT_FAULT,
                                        .fault = LLM_FAULT_NETWORK,
                                        .text = text,
                                        .len = sizeof(text) - 1});
}
