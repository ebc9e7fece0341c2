/*
 * What the GPUs do during a replay, as the ledger accounts for it: work wins over communication,
 * that over copies, the rest is idle. Sums over the GPUs of the view between start and end.
 */
#ifndef GS_DEPEND_ACCOUNT_H
#define GS_DEPEND_ACCOUNT_H

#include "analyze/ledger.h"
#include "depend/replay.h"

struct account {
    int64_t ns[CAUSES]; /* causes of work and exposed time; the others are 0 */
    int64_t idle_ns;
};

void replay_account(struct account *out, const struct replay *r);

#endif
