/*
 * The door of the model: every trace passes it, whatever its format, before anything is computed.
 *
 * Each moment (a column or member called ..._ns) is held between MOMENT_LEAST and MOMENT_MOST and
 * each size (bytes) within QUANTITY_MOST, so that differences cannot overflow (base/sat.h); a trace
 * in which this changes something gets a note. Ordinary traces leave as they came.
 *
 * Passwords and their like in the commands of processes are hidden here, too (base/secret.h), so no
 * output can show them; trace.masked_values counts them.
 */
#ifndef GS_INGEST_DOOR_H
#define GS_INGEST_DOOR_H

#include "model/trace.h"

void door_pass(struct trace *t, int workers);

#endif
