/*
 * A session as a report: the time line of speed-ups, every state with what it brought, and all that
 * happened, in order.
 */
#ifndef GS_SESSION_SESSION_DOC_H
#define GS_SESSION_SESSION_DOC_H

#include "report/doc.h"
#include "session/session.h"

struct doc *session_doc(const struct session *s, bool events, struct arena *a);

#endif
