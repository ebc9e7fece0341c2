/*
 * What the numbers of a trace mean to the cache: which lead to rows of what, which are choices of an
 * enum, which are moments. From the same lists comes the fingerprint by which an entry of a program
 * with other columns is known.
 */
#ifndef GS_CACHE_LAYOUT_H
#define GS_CACHE_LAYOUT_H

#include "model/trace.h"

enum cache_kind {
    CK_PLAIN,  /* any value will do */
    CK_MOMENT, /* within what the door lets pass (ingest/door.h) */
    CK_SIZE,
    CK_BOOL,
    CK_BELOW,     /* less than `most` */
    CK_STRING,    /* a string of the trace */
    CK_FIRST_REF, /* from here on: a row of that list or table, or NO_INDEX */
    CK_PROCESS = CK_FIRST_REF,
    CK_THREAD,
    CK_GPU,
    CK_AGENT,
    CK_STREAM,
    CK_QUEUE,
    CK_SYMBOL,
    CK_LAUNCH,
    CK_COUNTER_INFO,
    CK_SERIES,
    CK_FILE,
    CK_KERNEL,
    CK_REGION,
    CK_KINDS
};

enum { CACHE_ALWAYS = 1 };

struct cache_rule {
    const char *of; /* table or list */
    const char *member;
    enum cache_kind kind;
    uint32_t most;       /* CK_BELOW; CACHE_ALWAYS: there is no row without it */
    size_t offset, size; /* of a list's member */
};

/* Rules of a list, by its name: the first one; others follow while `of` is the same. */
const struct cache_rule *cache_list_rules(const char *list);

/* The rule of a column; never NULL. */
struct cache_rule cache_column_rule(const char *table, const struct column_desc *column);

/* Whether a column was thought of: by its name (_ns, bytes), its type, or in the list of rules. */
bool cache_column_known(const char *table, const struct column_desc *column);

/* How many of each there are. */
void cache_counts(const struct trace *t, size_t counts[CK_KINDS]);

/* Whether n values keep the rule. */
bool cache_values_hold(const struct cache_rule *rule, size_t size, const void *values, size_t n,
                       const size_t counts[CK_KINDS]);

/* Whether members of a list's rows keep theirs. */
bool cache_rows_hold(const char *list, const void *rows, size_t n, size_t row_bytes,
                     const size_t counts[CK_KINDS]);

/* By string: whether some row refers to it. Files may hold others: values of variables, secrets. */
bool *cache_strings_used(const struct trace *t, struct arena *a);

/* Of this program: version, what was built in, and the layout of tables and lists. */
uint64_t cache_fingerprint(void);

/* Lists that are kept as they lie in memory: X(member of struct trace, type of a row). */
#define CACHE_LISTS(X)                                                                             \
    X(processes, struct process)                                                                   \
    X(threads, struct thread)                                                                      \
    X(gpus, struct gpu)                                                                            \
    X(agents, struct agent)                                                                        \
    X(streams, struct stream)                                                                      \
    X(queues, struct queue)                                                                        \
    X(symbols, struct symbol)                                                                      \
    X(launches, struct launch)                                                                     \
    X(counter_infos, struct counter_info)                                                          \
    X(series, struct series)                                                                       \
    X(categories, struct category_count)

#endif
