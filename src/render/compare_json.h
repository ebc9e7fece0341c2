/*
 * A comparison as JSON, and what continuous integration wants to read of a gate.
 */
#ifndef GS_RENDER_COMPARE_JSON_H
#define GS_RENDER_COMPARE_JSON_H

#include "base/jwrite.h"
#include "compare/gate.h"

#define COMPARE_SCHEMA_VERSION "1.0"

/* What is said of struct comparison without its tables. */
extern const struct fields compare_verdict_fields;

struct explanation;

/* `e`: what a language model said; NULL: none was asked. */
void compare_json(struct jwrite *w, const struct comparison *c, const struct gate *gate,
                  const struct explanation *e);

/* Its JSON Schema, as a whole file. */
void compare_json_schema(struct str *out);

/* JUnit XML: a test case for each condition, and one that the runs are comparable. */
void gate_junit(struct str *out, const struct gate *gate, const struct comparison *c);

/* "::error ...::" lines, as workflows on GitHub read them. */
void gate_github(struct str *out, const struct gate *gate, const struct comparison *c);

/* SARIF 2.1.0; with a scan of the source, results have its lines. NULL: none. */
struct source_scan;
void gate_sarif(struct str *out, const struct gate *gate, const struct comparison *c,
                const struct source_scan *source);

/* GitLab's code quality report, a JSON array. */
void gate_gitlab(struct str *out, const struct gate *gate, const struct comparison *c);

#endif
