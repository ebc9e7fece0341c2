/* The thread that runs tools, one call after another. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "mcp/server.h"

/* ---- what runs ---- */

static void write_call_result(struct server *s, struct mcp_call *task, const struct tool_answer *a)
{
    struct str out;
    str_init(&out, &task->arena);
    str_puts(&out, "{\"content\":[{\"type\":\"text\",\"text\":");
    jw_quote(&out, a->json, a->len);
    str_puts(&out, "}]");
    if (!a->is_error && strcmp(s->version, "2025-06-18") >= 0)
        str_printf(&out, ",\"structuredContent\":%s", a->json);
    str_printf(&out, ",\"isError\":%s}", a->is_error ? "true" : "false");
    send_result(s, task->batch, task->id, out.buf, out.len);
}

struct running {
    struct server *s;
    struct mcp_call *task;
};

static void run_task(void *ctx)
{
    struct running *r = ctx;
    struct mcp_call *task = r->task;
    struct tool_answer a =
        tool_call(r->s->box, task->tool, task->args, task->args_len, &task->arena);
    task_check(); /* nobody may wait for an answer any more */
    pthread_mutex_lock(&r->s->lock);
    task->token = NULL; /* no progress is told after the answer */
    pthread_mutex_unlock(&r->s->lock);
    write_call_result(r->s, task, &a);
    task->answered = true;
    if (a.is_error)
        send_log(r->s, "info", arena_printf(&task->arena, "%s: %s", task->tool, a.json));
}

static void finish(struct server *s, struct mcp_call *task)
{
    struct running r = {s, task};
    struct gs_error err;
    struct task *outer = task_enter(&task->work);
    bool ok = mem_guard(run_task, &r, &err);
    task_leave(outer);
    assert(!ok || task->answered);
    if (ok || task->answered)
        return;
    if (atomic_load(&task->work.cancelled))
        batch_done(s, task->batch);
    else
        send_error(s, task->batch, task->id, RPC_INTERNAL, err.text);
}

static void free_task(struct mcp_call *task)
{
    arena_release(&task->arena);
    mem_free(task);
}

static void *work(void *ctx)
{
    struct server *s = ctx;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (!s->first && !s->ends)
            pthread_cond_wait(&s->wake, &s->lock);
        struct mcp_call *task = s->first;
        if (!task || atomic_load(&s->broken))
            break;
        s->first = task->next;
        s->waiting--;
        s->running = task;
        s->told = 0;
        progress_set(&s->progress, 0);
        progress_expect(&s->progress, 0);
        pthread_mutex_unlock(&s->lock);
        finish(s, task);
        pthread_mutex_lock(&s->lock);
        s->running = NULL;
        free_task(task);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

bool worker_start(struct server *s, pthread_t *thread)
{
    return pthread_create(thread, NULL, work, s) == 0;
}

void worker_end(struct server *s, pthread_t thread)
{
    pthread_mutex_lock(&s->lock);
    s->ends = true;
    if (atomic_load(&s->broken) && s->running)
        task_cancel(&s->running->work);
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
    pthread_join(thread, NULL);
    while (s->first) {
        struct mcp_call *next = s->first->next;
        free_task(s->first);
        s->first = next;
    }
}

/* ---- what waits ---- */

static struct mcp_call *new_task(struct request *q, const char *tool, struct raw args,
                                 struct raw token)
{
    struct mcp_call *task = mem_calloc(1, sizeof(*task));
    arena_init(&task->arena);
    task->id = arena_strndup(&task->arena, q->id.text, q->id.n);
    task->tool = arena_strdup(&task->arena, tool);
    task->args = arena_strndup(&task->arena, args.text ? args.text : "", args.n);
    task->args_len = args.n;
    if (token.n && token.n <= ID_MOST && (token.type == J_STRING || token.type == J_NUMBER))
        task->token = arena_strndup(&task->arena, token.text, token.n);
    task->batch = q->batch;
    return task;
}

bool worker_call(struct request *q, struct gs_error *err)
{
    struct server *s = q->s;
    const char *tool = raw_text(raw_member(q->params, "name", q->arena), q->arena);
    struct raw args = raw_member(q->params, "arguments", q->arena);
    struct raw token =
        raw_member(raw_member(q->params, "_meta", q->arena), "progressToken", q->arena);
    if (!tool)
        return refuse(err, RPC_PARAMS, "the name of the tool is missing");
    if (!tool_find(tool))
        return refuse(err, RPC_PARAMS, "unknown tool '%.100s'; tools/list has all", tool);
    if (args.text && args.type != J_OBJECT && args.type != J_NULL)
        return refuse(err, RPC_PARAMS, "arguments must be an object");
    if (args.type != J_OBJECT)
        args = (struct raw){0};
    struct mcp_call *task = new_task(q, tool, args, token);
    pthread_mutex_lock(&s->lock);
    bool full = s->waiting >= QUEUE_MOST;
    struct mcp_call **end = &s->first;
    while (!full && *end)
        end = &(*end)->next;
    if (!full) {
        *end = task;
        s->waiting++;
        pthread_cond_signal(&s->wake);
    }
    pthread_mutex_unlock(&s->lock);
    if (!full)
        return true;
    free_task(task);
    return refuse(err, RPC_BUSY, "too many calls are waiting");
}

/* A call that has not begun is taken out; one that runs is told to stop. Neither is answered. */
void worker_cancel(struct server *s, const char *id)
{
    struct mcp_call *gone = NULL;
    pthread_mutex_lock(&s->lock);
    if (s->running && str_eq(s->running->id, id))
        task_cancel(&s->running->work);
    for (struct mcp_call **at = &s->first; *at; at = &(*at)->next)
        if (str_eq((*at)->id, id)) {
            gone = *at;
            *at = gone->next;
            s->waiting--;
            break;
        }
    pthread_mutex_unlock(&s->lock);
    if (gone) {
        batch_done(s, gone->batch);
        free_task(gone);
    }
}

bool worker_busy(struct server *s)
{
    pthread_mutex_lock(&s->lock);
    bool busy = s->running || s->first;
    pthread_mutex_unlock(&s->lock);
    return busy;
}

void worker_tell_progress(struct server *s)
{
    char text[ID_MOST + 512];
    uint64_t done = atomic_load(&s->progress.done), total = atomic_load(&s->progress.total);
    pthread_mutex_lock(&s->lock);
    bool tell = s->running && s->running->token && done > s->told;
    int n = 0;
    if (tell) {
        s->told = done;
        n = snprintf(text, sizeof(text),
                     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
                     "\"progressToken\":%s,\"progress\":%" PRIu64,
                     s->running->token, done);
        if (total >= done)
            n += snprintf(text + n, sizeof(text) - (size_t)n, ",\"total\":%" PRIu64, total);
        n += snprintf(text + n, sizeof(text) - (size_t)n, ",\"message\":\"reading\"}}");
    }
    if (tell)
        send_line(s, text, (size_t)n);
    pthread_mutex_unlock(&s->lock);
}
