#include "base/input.h"

#include <pthread.h>
#include <string.h>

#include "base/input_codec.h"
#include "base/mem.h"
#include "base/task.h"

enum { SLOT_SIZE = 512 * 1024 };

/* A buffer that the thread fills and the reader empties, in turn. */
struct slot {
    char *data;
    size_t len; /* 0: the reader is done with it, the thread may fill it */
};

/* `lock` guards the members of the slots, stop and ended, while the thread runs. */
struct input_state {
    char *path;
    struct codec codec; /* the thread's, while it runs */
    char *head;         /* bytes peeked at and not read yet */
    size_t head_at, head_len;
    bool failed; /* the reader has met the error in codec.err */
    bool started, threaded;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct slot slots[2];
    unsigned reading; /* the slot the reader empties next */
    size_t slot_at;   /* read so far of it */
    bool stop;        /* the reader wants no more */
    bool ended;       /* the thread fills no more: the end, or codec.err */
};

/* Fills a slot as far as possible; 0 at the end or on an error. */
static size_t fill_slot(struct codec *c, char *data)
{
    size_t len = 0;
    ptrdiff_t got = 1;
    while (len < SLOT_SIZE && got > 0) {
        got = codec_read(c, data + len, SLOT_SIZE - len);
        len += got > 0 ? (size_t)got : 0;
    }
    return len;
}

static void *run_thread(void *arg)
{
    struct input_state *s = arg;
    unsigned filling = 0;
    pthread_mutex_lock(&s->lock);
    while (!s->ended) {
        struct slot *slot = &s->slots[filling];
        while (slot->len && !s->stop)
            pthread_cond_wait(&s->changed, &s->lock);
        if (s->stop)
            break;
        pthread_mutex_unlock(&s->lock);
        size_t len = fill_slot(&s->codec, slot->data);
        pthread_mutex_lock(&s->lock);
        slot->len = len;
        s->ended = len == 0;
        filling ^= 1;
        pthread_cond_broadcast(&s->changed);
    }
    s->ended = true;
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Without memory or a thread everything goes on in the caller's. */
static void start_thread(struct input_state *s)
{
    s->started = true;
    if (s->codec.kind == CODEC_PLAIN)
        return;
    for (int i = 0; i < 2; i++) {
        s->slots[i].data = mem_try_alloc(SLOT_SIZE);
        if (!s->slots[i].data)
            return;
    }
    if (pthread_mutex_init(&s->lock, NULL) != 0)
        return;
    if (pthread_cond_init(&s->changed, NULL) != 0) {
        pthread_mutex_destroy(&s->lock);
        return;
    }
    s->threaded = pthread_create(&s->thread, NULL, run_thread, s) == 0;
    if (!s->threaded) {
        pthread_cond_destroy(&s->changed);
        pthread_mutex_destroy(&s->lock);
    }
}

static void stop_thread(struct input_state *s)
{
    if (!s->threaded)
        return;
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    s->threaded = false;
}

/* From the slots, as codec_read() would. */
static ptrdiff_t read_slots(struct input_state *s, char *buf, size_t n)
{
    struct slot *slot = &s->slots[s->reading];
    pthread_mutex_lock(&s->lock);
    while (!slot->len && !s->ended)
        pthread_cond_wait(&s->changed, &s->lock);
    size_t len = slot->len;
    pthread_mutex_unlock(&s->lock);
    if (!len) /* ended; codec.err is ours to look at now */
        return s->codec.failed ? -1 : 0;
    if (n > len - s->slot_at)
        n = len - s->slot_at;
    memcpy(buf, slot->data + s->slot_at, n);
    s->slot_at += n;
    if (s->slot_at == len) {
        s->slot_at = 0;
        s->reading ^= 1;
        pthread_mutex_lock(&s->lock);
        slot->len = 0;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->lock);
    }
    return (ptrdiff_t)n;
}

static void count_progress(struct input *in)
{
    if (!in->progress)
        return;
    uint64_t consumed = input_consumed_bytes(in);
    progress_add(in->progress, consumed - in->counted);
    in->counted = consumed;
}

ptrdiff_t input_read(void *in, char *buf, size_t n)
{
    struct input_state *s = ((struct input *)in)->state;
    if (!s)
        return -1;
    if (s->head_at < s->head_len) {
        if (n > s->head_len - s->head_at)
            n = s->head_len - s->head_at;
        memcpy(buf, s->head + s->head_at, n);
        s->head_at += n;
        return (ptrdiff_t)n;
    }
    if (!n)
        return 0;
    if (s->failed || task_cancelled())
        return -1;
    if (!s->started)
        start_thread(s);
    ptrdiff_t got = s->threaded ? read_slots(s, buf, n) : codec_read(&s->codec, buf, n);
    s->failed = got < 0;
    count_progress(in);
    return got;
}

/* Peeking needs no thread: often a look at the first bytes is all that is wanted. */
bool input_peek(struct input *in, char *buf, size_t n, size_t *got)
{
    struct input_state *s = in->state;
    *got = 0;
    if (!s)
        return false;
    if (n > INPUT_PEEK_MAX)
        n = INPUT_PEEK_MAX;
    memmove(s->head, s->head + s->head_at, s->head_len - s->head_at);
    s->head_len -= s->head_at;
    s->head_at = 0;
    ptrdiff_t more = 1;
    while (s->head_len < n && more > 0 && !s->failed) {
        char *to = s->head + s->head_len;
        size_t room = n - s->head_len;
        more = s->threaded ? read_slots(s, to, room) : codec_read(&s->codec, to, room);
        s->failed = more < 0;
        s->head_len += more > 0 ? (size_t)more : 0;
    }
    *got = s->head_len < n ? s->head_len : n;
    memcpy(buf, s->head, *got);
    return *got == n || !s->failed;
}

bool input_error(const struct input *in, struct gs_error *err)
{
    if (!in->state || !in->state->failed)
        return true;
    if (err)
        *err = in->state->codec.err;
    return false;
}

static bool open_state(struct input_state *s, const char *root, const char *path,
                       struct gs_error *err)
{
    size_t n = strlen(path) + 1;
    s->path = mem_try_alloc(n);
    s->head = mem_try_alloc(INPUT_PEEK_MAX);
    if (!s->path || !s->head)
        return fail(err, GS_E_IO, "out of memory");
    memcpy(s->path, path, n);
    return codec_open(&s->codec, root, s->path, err);
}

bool input_open_within(struct input *in, const char *root, const char *path, struct gs_error *err)
{
    *in = (struct input){.state = mem_try_alloc(sizeof(*in->state))};
    if (!in->state)
        return fail(err, GS_E_IO, "out of memory");
    memset(in->state, 0, sizeof(*in->state));
    in->state->codec.fd = -1;
    if (open_state(in->state, root, path, err))
        return true;
    input_close(in);
    return false;
}

void input_allow_unpacked(uint64_t bytes)
{
    codec_allow(bytes);
}

uint64_t input_allowed_unpacked(void)
{
    return codec_allowed();
}

bool input_may_hold(const struct input *in, uint64_t bytes, struct gs_error *err)
{
    const struct codec *c = &in->state->codec;
    return c->kind == CODEC_PLAIN || bytes <= codec_most(c) || codec_too_large(c, err);
}

bool input_may_unpack(const struct input *in, uint64_t bytes, struct gs_error *err)
{
    const struct codec *c = &in->state->codec;
    return bytes <= codec_most(c) || codec_too_large(c, err);
}

void input_close(struct input *in)
{
    struct input_state *s = in->state;
    if (!s)
        return;
    stop_thread(s);
    codec_close(&s->codec);
    for (int i = 0; i < 2; i++)
        mem_free(s->slots[i].data);
    mem_free(s->head);
    mem_free(s->path);
    mem_free(s);
    in->state = NULL;
}

uint64_t input_consumed_bytes(const struct input *in)
{
    return in->state ? atomic_load_explicit(&in->state->codec.consumed, memory_order_relaxed) : 0;
}

uint64_t input_total_bytes(const struct input *in)
{
    return in->state ? in->state->codec.total : 0;
}

static void close_it(void *in)
{
    input_close(in);
}

struct input *input_new_within(struct arena *a, const char *root, const char *path,
                               struct gs_error *err)
{
    struct input *in = arena_new(a, struct input);
    arena_defer(a, close_it, in);
    return input_open_within(in, root, path, err) ? in : NULL;
}

struct input *input_new(struct arena *a, const char *path, struct gs_error *err)
{
    return input_new_within(a, NULL, path, err);
}
