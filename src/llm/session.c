#include "llm/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/sat.h"
#include "llm/journal.h"
#include "llm/json_copy.h"
#include "llm/record.h"
#include "llm/transcript.h"

static bool is_offline(const struct llm_opts *o)
{
    return o->preview || o->replay;
}

struct llm *llm_open(const struct llm_opts *o, messenger_confine *confine, void *ctx,
                     struct arena *a, struct gs_error *err)
{
    struct llm *l = arena_new(a, struct llm);
    enum redact_mode mode = redact_mode_of(o->redact);
    *l = (struct llm){.arena = a, .o = o, .usage.cost = NAN};
    if (!llm_target_find(&l->target, o, is_offline(o), mode == REDACT_NONE, a, err))
        return NULL;
    const char *which, *thinking = llm_env("*_LLM_THINKING", &which, a);
    if (thinking && l->target.provider->thinks && atoi(thinking) >= 1024)
        l->thinking = atoi(thinking);
    if (!guide_load(&l->guide, o->guide, a, err))
        return NULL;
    redact_init(&l->redact, mode, a);
    if (!is_offline(o)) {
        l->messenger = messenger_start(&l->target, l->target.program ? NULL : confine, ctx, a, err);
        if (!l->messenger)
            return NULL;
    }
    llm_target_forget(&l->target); /* from here on only the messenger knows */
    return l;
}

/* Files are opened when the first request is made: what the command reads is known by then. */
static bool open_files(struct llm *l, struct gs_error *err)
{
    const struct llm_opts *o = l->o;
    struct arena *a = l->arena;
    if (o->replay && !l->replayed && !(l->replayed = replay_open(o->replay, a, err)))
        return false;
    if (!transcript_open(l, err))
        return false;
    return !o->record || l->record || (l->record = journal_open(o->record, false, a, err));
}

void llm_begin(struct llm *l, struct llm_dialogue *d)
{
    llm_dialogue_init(d, l->arena);
    d->model = l->target.model;
    d->stream = !l->target.provider->no_stream;
    d->bedrock = l->target.provider->bedrock;
    d->thinking = l->o->thinking ? l->o->thinking : l->thinking;
    d->effort = llm_effort_of(l->o->effort);
    d->max_tokens = l->o->max_tokens ? l->o->max_tokens : d->effort ? 8192 : 4096;
    l->old_limit |= l->target.provider->old_limit;
}

const char *llm_body(const struct llm *l, const struct llm_dialogue *d, size_t *n, struct arena *a)
{
    struct llm_dialogue sent = *d;
    struct str out;
    sent.old_limit = l->old_limit;
    if (l->no_effort) {
        sent.effort = EFFORT_OWN;
        sent.thinking = 0;
    }
    if (l->no_tools || l->target.provider->no_tools)
        sent.tools.n = 0;
    str_init(&out, a);
    l->target.provider->wire->body(&out, &sent);
    *n = out.len;
    return out.buf;
}

/* ---- one exchange ---- */

struct taking {
    struct llm *l;
    struct llm_answer *out;
    struct str raw, text;
    struct restore restore;
    VEC(struct llm_part) parts;
    llm_shower *show;
    void *ctx;
};

static void take_restored(void *ctx, const char *text, size_t n)
{
    struct taking *t = ctx;
    str_put(&t->text, text, n);
    if (t->show)
        t->show(t->ctx, text, n);
}

/* Text that follows text is one part. */
static void take_text(struct taking *t, const struct llm_event *e)
{
    str_put(&t->raw, e->text, e->len);
    restore_feed(&t->restore, e->text, e->len);
}

static void take_call(struct taking *t, const struct llm_event *e)
{
    struct arena *a = t->l->arena;
    struct llm_part p = {.kind = LLM_PART_CALL,
                         .text = arena_strndup(a, e->text, e->len),
                         .id = arena_strdup(a, e->id),
                         .name = arena_strdup(a, e->name),
                         .extra = e->extra ? arena_strdup(a, e->extra) : NULL};
    vec_push(&t->parts, a, p);
    t->out->calls++;
}

static void add_usage(struct llm_usage *to, const struct llm_usage *u)
{
    to->input = add_ns(to->input, u->input);
    to->output = add_ns(to->output, u->output);
    to->cache_read = add_ns(to->cache_read, u->cache_read);
    to->cache_write = add_ns(to->cache_write, u->cache_write);
    if (!isnan(u->cost))
        to->cost = (isnan(to->cost) ? 0 : to->cost) + u->cost;
}

/* Only for someone who sits and waits; otherwise the result says all there is to say. */
static void say_note(const struct llm_event *e)
{
    int n = (int)(e->len < 300 ? e->len : 300);
    if (isatty(STDERR_FILENO) && log_level() > LOG_QUIET)
        log_say("%.*s", n, e->text);
    else
        log_note("%.*s", n, e->text);
}

static void take(void *ctx, const struct llm_event *e)
{
    struct taking *t = ctx;
    struct arena *a = t->l->arena;
    switch (e->kind) {
    case LLM_EVENT_TEXT:
        take_text(t, e);
        break;
    case LLM_EVENT_CALL:
        take_call(t, e);
        break;
    case LLM_EVENT_OPAQUE:
        vec_push(&t->parts, a,
                 ((struct llm_part){.kind = LLM_PART_OPAQUE,
                                    .text = arena_strndup(a, e->text, e->len)}));
        break;
    case LLM_EVENT_USAGE:
        add_usage(&t->l->usage, &e->usage);
        break;
    case LLM_EVENT_STOP:
        t->out->stop = e->stop;
        break;
    case LLM_EVENT_NOTE:
        say_note(e);
        break;
    case LLM_EVENT_FAULT:
        t->out->fault = e->fault ? e->fault : LLM_FAULT_SERVER;
        t->out->status = e->status;
        t->out->fault_text = arena_strndup(a, e->text, e->len);
        break;
    }
}

static void ask_once(struct llm *l, const struct llm_dialogue *d, struct taking *t)
{
    struct arena *scratch = arena_child(l->arena);
    struct recorder rec = {.take = take, .ctx = t};
    size_t n;
    const char *body = llm_body(l, d, &n, scratch);
    l->requests++;
    recorder_begin(&rec, l, body, n, scratch);
    transcript_request(l, body, n);
    if (l->replayed)
        replay_next(l->replayed, body, n, recorder_take, &rec);
    else
        messenger_ask(l->messenger, body, n, recorder_take, &rec);
    restore_end(&t->restore);
    recorder_end(&rec, l->record);
    arena_release(scratch);
}

/* What the server did not know is left out from now on; true: ask again. */
static bool adapted(struct llm *l, const struct llm_dialogue *d, const struct llm_answer *a)
{
    const char *why = a->fault_text;
    if (a->fault != LLM_FAULT_REQUEST)
        return false;
    if (!l->old_limit && str_has(why, "max_completion_tokens")) {
        l->old_limit = true;
        return true;
    }
    bool unknown = str_has_fold(why, "not support") || str_has_fold(why, "unsupported") ||
                   str_has_fold(why, "unknown") || str_has_fold(why, "unrecognized");
    bool effort = str_has_fold(why, "thinking") || str_has_fold(why, "reasoning") ||
                  str_has_fold(why, "effort");
    if (unknown && effort && (d->effort || d->thinking) && !l->no_effort) {
        log_warn("'%s' knows no reasoning effort; asked again without", l->target.model);
        return l->no_effort = true;
    }
    if (unknown && str_has_fold(why, "tool") && d->tools.n && !l->no_tools) {
        log_warn("'%s' can call no tools; asked again without", l->target.model);
        return l->no_tools = true;
    }
    return false;
}

static void keep_answer(struct llm_dialogue *d, const struct taking *t)
{
    llm_message_add(d, LLM_MODEL);
    for (size_t i = 0; i < t->parts.n; i++)
        if (t->parts.v[i].kind == LLM_PART_OPAQUE) /* thoughts come before what they led to */
            *llm_part_add(d, LLM_PART_OPAQUE, "") = t->parts.v[i];
    /* white space alone is no text: servers refuse it when it comes back */
    if (t->raw.len && t->raw.buf[strspn(t->raw.buf, " \t\r\n")])
        llm_part_add(d, LLM_PART_TEXT, t->raw.buf);
    for (size_t i = 0; i < t->parts.n; i++)
        if (t->parts.v[i].kind == LLM_PART_CALL)
            *llm_part_add(d, LLM_PART_CALL, "") = t->parts.v[i];
}

bool llm_exchange(struct llm *l, struct llm_dialogue *d, struct llm_answer *out, llm_shower *show,
                  void *ctx)
{
    struct gs_error err = {0};
    struct taking t;
    if (!open_files(l, &err)) {
        *out = (struct llm_answer){.text = "",
                                   .raw = "",
                                   .fault = LLM_FAULT_NETWORK,
                                   .fault_text = arena_strdup(l->arena, err.text)};
        return false;
    }
    do {
        *out = (struct llm_answer){0};
        t = (struct taking){.l = l, .out = out, .show = show, .ctx = ctx};
        str_init(&t.raw, l->arena);
        str_init(&t.text, l->arena);
        restore_init(&t.restore, &l->redact, l->arena, take_restored, &t);
        ask_once(l, d, &t);
    } while (out->fault && !t.raw.len && adapted(l, d, out));
    out->text = t.text.buf;
    out->raw = t.raw.buf;
    transcript_answer(l, out, out->raw);
    if (out->fault)
        return false;
    keep_answer(d, &t);
    return true;
}

bool llm_failed(const struct llm *l, const struct llm_answer *a, struct gs_error *err)
{
    return fail(err, GS_E_NETWORK, "no answer from %s: %s", l->target.provider->name,
                a->fault_text);
}

/* ---- counting ---- */

/* What of a request is counted; the rest is not known there. */
static const char *counted_part(const char *body, struct arena *a)
{
    static const char *const keys[] = {"model", "system",   "tools",       "messages",
                                       "input", "thinking", "instructions"};
    struct str out;
    struct jwrite w;
    struct jread *j = jr_text(a, body, strlen(body));
    str_init(&out, a);
    jw_init(&w, &out, 0);
    jw_open(&w, NULL, '{');
    if (jr_object(j))
        while (jr_key(j)) {
            bool kept = false;
            const char *name = arena_strdup(a, j->text);
            for (size_t i = 0; i < ARRAY_LEN(keys); i++)
                kept |= str_eq(keys[i], name);
            if (kept)
                json_copy(j, &w, name, NULL);
            else
                jr_skip(j);
        }
    jw_close(&w);
    return out.buf;
}

static void take_count(void *ctx, const struct llm_event *e)
{
    int64_t *count = ctx;
    if (e->kind == LLM_EVENT_TEXT)
        *count = strtoll(e->text, NULL, 10);
}

int64_t llm_count(struct llm *l, const struct llm_dialogue *d)
{
    int64_t count = -1;
    size_t n;
    if (!l->messenger || !l->target.count_url)
        return -1;
    struct arena *scratch = arena_child(l->arena);
    const char *part = counted_part(llm_body(l, d, &n, scratch), scratch);
    messenger_count(l->messenger, part, strlen(part), take_count, &count);
    arena_release(scratch);
    return count;
}
