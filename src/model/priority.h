/*
 * How urgent a piece of advice is: of findings, and of what source code alone tells.
 */
#ifndef GS_MODEL_PRIORITY_H
#define GS_MODEL_PRIORITY_H

enum priority { PRIORITY_HIGH, PRIORITY_MEDIUM, PRIORITY_LOW, PRIORITY_INFO };

extern const char *const priority_names[];  /* "HIGH", ...; NULL at the end */
const char *priority_name(enum priority p); /* "HIGH" */

/* Of a word that was read; PRIORITY_MEDIUM, which is nothing special, of any other, and of NULL. */
enum priority priority_of(const char *word);

#endif
