/* Between the files of the room. */
#ifndef GS_MCP_SERVER_H
#define GS_MCP_SERVER_H

#include <pthread.h>

#include "base/jread.h"
#include "base/jwrite.h"
#include "base/progress.h"
#include "mcp/mcp.h"
#include "tool/tool.h"

enum rpc_code {
    RPC_PARSE = -32700,
    RPC_REQUEST = -32600,
    RPC_METHOD = -32601,
    RPC_PARAMS = -32602,
    RPC_INTERNAL = -32603,
    RPC_NO_RESOURCE = -32002,
    RPC_BUSY = -32000,
};

/* Newest first; what a client asks for and we do not know becomes the first. */
extern const char *const mcp_versions[];

enum {
    LINE_MOST = 8 << 20, /* bytes of a message */
    QUEUE_MOST = 256,    /* calls that wait */
    BATCH_MOST = 256,
    ID_MOST = 1024, /* bytes of an id */
};

/* A piece of a message, as it was written. */
struct raw {
    const char *text; /* NULL: not there */
    size_t n;
    enum jtype type;
};

/* Answers of a batch, until all of them are there. */
struct batch {
    struct str out;
    struct arena arena;
    size_t left; /* messages without an answer yet */
};

/* A tools/call that waits or runs. Everything in it belongs to its arena. */
struct mcp_call {
    struct arena arena;
    const char *id, *tool, *args;
    size_t args_len;
    const char *token; /* NULL: no progress is wanted */
    struct batch *batch;
    bool answered;
    struct task work; /* cancelled: nobody waits for the answer any more */
    struct mcp_call *next;
};

struct server {
    struct mcp_opts o;
    struct arena *arena;
    struct tool_box *box;
    _Atomic(const char *) version; /* negotiated */
    atomic_int level;              /* of messages that the client wants; LEVELS: none */
    atomic_bool broken;            /* nobody reads what we write */

    pthread_mutex_t writing; /* one message at a time, and batches */

    pthread_mutex_t lock; /* what follows */
    pthread_cond_t wake;  /* of the worker: a task, or the end */
    struct mcp_call *first, *running;
    size_t waiting;
    bool ends;

    struct progress progress; /* of what loads */
    uint64_t told;            /* progress that the client knows */
};

/* One message that is being answered, in the reading thread. */
struct request {
    struct server *s;
    struct arena *arena;
    struct raw id, params;
    const char *method;
    struct batch *batch;
};

/* ---- message.c ---- */

/* A member of an object; its text is NULL when there is none. */
struct raw raw_member(struct raw object, const char *key, struct arena *arena);
/* A text; NULL when it is something else. */
const char *raw_text(struct raw r, struct arena *arena);

void send_line(struct server *s, const char *text, size_t n);
/* `result` is a JSON value; `id` as the client wrote it. */
void send_result(struct server *s, struct batch *b, const char *id, const char *result, size_t n);
void send_error(struct server *s, struct batch *b, const char *id, enum rpc_code code,
                const char *text);
void batch_done(struct server *s, struct batch *b); /* one message of it needs no answer */
void send_log(struct server *s, const char *level, const char *text);
enum { LEVELS = 8 };
int log_level_of(const char *name); /* -1: there is none */

/* Handles a line of input, whatever is in it. */
void message_take(struct server *s, char *line, size_t n);

/* ---- methods.c ---- */

/* Writes the result; false with a code and a text in err. */
typedef bool method_fn(struct request *q, struct jwrite *w, struct gs_error *err);
struct method {
    const char *name;
    method_fn *fn;
};
extern const struct method mcp_methods[]; /* name NULL at the end */
bool refuse(struct gs_error *err, enum rpc_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The page of a listing of n items that params ask for: [*from, *to), and its next cursor. */
bool page_of(struct request *q, size_t n, size_t *from, size_t *to, struct gs_error *err);
void page_end(struct request *q, struct jwrite *w, size_t n, size_t to);

method_fn list_resources, list_templates, read_resource, list_prompts, get_prompt, complete;

/* Documents by name, for listings and completion; NULL after the last. */
const char *resource_name(size_t i);
const char *schema_name(size_t i);

/* ---- worker.c ---- */

bool worker_start(struct server *s, pthread_t *thread);
void worker_end(struct server *s, pthread_t thread); /* after all tasks are done */
/* True: the call is taken; its answer comes later. */
bool worker_call(struct request *q, struct gs_error *err);
void worker_cancel(struct server *s, const char *id);
bool worker_busy(struct server *s);
void worker_tell_progress(struct server *s);

/* Documents that are compiled in. */
struct mcp_doc {
    const char *name, *text;
};
extern const struct mcp_doc mcp_docs[];

#endif
