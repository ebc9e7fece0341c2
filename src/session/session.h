/*
 * A session: one program being tuned, and everything that happened to it, in order.
 *
 *     struct session *s = session_new(root, source, arena, err);   or session_open(root, id, ...)
 *     ...
 *     session_step(s, EVENT_BUILD, failure);
 *     session_save(s, err);
 *
 * It is a folder under `root` for its user alone: session.json, the contents of edited files by
 * their SHA-256 (objects/), logs and traces. While a session is open it is locked; a second user is
 * refused. The file appears whole, and is the journal of edits as well (tree.h).
 *
 * No values of environment variables are kept, and what looks like a secret in a command is hidden.
 */
#ifndef GS_SESSION_SESSION_H
#define GS_SESSION_SESSION_H

#include "base/arena.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/vec.h"
#include "plan/command.h"

enum { SESSION_VERSION = 1, NOT_MOVING = -1, OBJECT_NAME = 65 };

/* A file of the source folder in some state. */
struct tree_file {
    const char *path;   /* relative to the source folder */
    const char *object; /* of objects/; "": there is no such file */
    int64_t mode;
};

struct tree_files {
    struct tree_file *v;
    size_t n, cap;
    struct idmap *places; /* of the first `placed` by their paths; NULL: nobody has looked yet */
    size_t placed;
};

enum outcome {
#define OUTCOME(name, word) OUTCOME_##name,
#include "session/outcomes.def"
#undef OUTCOME
    OUTCOMES
};
/* By value; then the same of those that were pruned. NULL at the end. */
extern const char *const outcome_words[];

enum event_kind {
#define EVENT(name, word) EVENT_##name,
#include "session/events.def"
#undef EVENT
};
extern const char *const event_words[]; /* NULL at the end */

/* A state of the source folder; number 0 is the one the session found. */
struct checkpoint {
    int64_t number, parent;
    const char *time, *summary, *finding;
    enum outcome result;     /* and OUTCOMES where its contents were pruned: see below */
    const char *commit;      /* in git; "": none */
    const char *key;         /* of the edit's text, to know it again */
    struct tree_files files; /* all that the session has touched up to here */
    double change_pct, noise_pct, predicted_pct; /* of the time; NaN: unknown */
    bool blacklisted;
};

/* Members of one that nothing is known of yet. */
#define CHECKPOINT_BLANK                                                                           \
    .finding = "", .commit = "", .key = "", .change_pct = NAN, .noise_pct = NAN,                   \
    .predicted_pct = NAN

struct session_event {
    const char *time, *text;
    enum event_kind kind;
    const char *command, *trace, *log; /* NULL: none */
    int64_t checkpoint;                /* the state of the source then */
    double seconds;                    /* NaN: no matter */
    bool well;                         /* of steps: nothing went wrong; their text is "well" */
};

struct session {
    struct arena *arena;
    const char *folder, *id, *created, *updated;
    const char *source, *here; /* absolute: what is edited; where programs run */
    struct words app;          /* without its variables, secrets hidden */
    struct words variables;    /* their names alone */
    const char *build, *test, *tolerance, *patches, *propose; /* NULL: none */
    double goal_pct, budget_s;
    int64_t repeat, plateau;
    bool hidden;             /* something of `app` was a secret, so it cannot be run as it is */
    int64_t current, moving; /* checkpoints: judged good; the files may be those of, NOT_MOVING */
    const char *trace;       /* the runs of the current state, a folder; NULL: none yet */
    VEC(struct checkpoint) checkpoints;
    VEC(struct session_event) events;
    int lock;
};

/* Makes a folder and its file, locked. */
struct session *session_new(const char *root, const char *source, struct arena *a,
                            struct gs_error *err);

/* By id, the start of one, a path, or "latest". `locked`: to change it. */
struct session *session_open(const char *root, const char *id, bool locked, struct arena *a,
                             struct gs_error *err);
bool session_save(struct session *s, struct gs_error *err);

/* All of them, the oldest first; those that cannot be read are left out with a warning. */
bool session_ids(const char *root, struct fs_list *out, struct arena *a, struct gs_error *err);

/* With its refs in git; the source stays as it is. */
bool session_delete(struct session *s, struct gs_error *err);

static inline bool checkpoint_is_pruned(const struct checkpoint *c)
{
    return c->result >= OUTCOMES;
}

static inline bool checkpoint_failed(const struct checkpoint *c) /* by build or test */
{
    return c->result == OUTCOME_BUILD_FAILED || c->result == OUTCOME_TEST_FAILED;
}

/* The next one, with the time and the state. */
struct session_event *session_event(struct session *s, enum event_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same of a step that was run; failure: what went wrong, NULL: nothing. */
struct session_event *session_step(struct session *s, enum event_kind kind, const char *failure);

/* Secrets hidden, for what is kept. */
const char *session_hidden(struct session *s, const char *text);

struct checkpoint *session_checkpoint(const struct session *s, int64_t number); /* NULL: none */

/* The file with everything in it (store_json.c). */
void session_write(const struct session *s, struct str *out);
bool session_read(struct session *s, const char *text, size_t n, struct gs_error *err);

/* How much faster than at first the current state is: the kept changes together, in percent. */
double session_gain_pct(const struct session *s);

#endif
