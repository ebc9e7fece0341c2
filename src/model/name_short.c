#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "model/name_scan.h"
#include "model/names.h"

#define ELLIPSIS "…"

enum {
    TEXT_MAX = NAME_SHORT_MAX - (sizeof(ELLIPSIS) - 1),
    ENOUGH = 96,   /* no further template argument starts behind this many bytes */
    ARGS_MAX = 4,  /* template arguments shown per list */
    NEST_MAX = 3,  /* template lists within each other */
    EXTRA_MAX = 24 /* the longest "[16]" or "{unnamed type#1}" copied as it is */
};

/* Word lists, divided by single spaces. Namespaces that say which library, not what it does: */
static const char libraries[] =
    "at c10 torch std cub thrust hipcub rocprim cutlass cute ck ck_tile cudnn flash fmha Kokkos "
    "RAJA amrex sycl cuda hip vllm aiter xla Eigen tensorflow tensorrt_llm nvinfer1 rccl miopen "
    "rocblas rocfft rocsparse pytorch_flash __gnu_cxx raft faiss deepspeed transformer_engine "
    "flashinfer";
static const char internals[] = "detail details impl Impl internal native kernel kernels device";
/* Members that mean nothing without the class before them. */
static const char members[] = "type value Type Params Arguments kernel";
/* Template arguments that tell a reader nothing: plumbing of element-wise launchers. */
static const char plumbing[] =
    "array Array allocator char_traits TrivialOffsetCalculator OffsetCalculator LoadWithoutCast "
    "StoreWithoutCast";

static bool listed(const char *list, const char *p, size_t n)
{
    for (size_t len; *list; list += len + (list[len] == ' ')) {
        len = strcspn(list, " ");
        if (len == n && memcmp(list, p, n) == 0)
            return true;
    }
    return false;
}

/* The text so far; `cut` says that something after it did not fit. */
struct out {
    char buf[NAME_SHORT_MAX + 1];
    size_t len;
    bool cut;
};

static void put(struct out *o, const char *p, size_t n)
{
    size_t room = TEXT_MAX - o->len;
    if (n > room || o->cut) {
        n = o->cut ? 0 : room;
        o->cut = true;
    }
    memcpy(o->buf + o->len, p, n);
    o->len += n;
}

static void puts_(struct out *o, const char *text)
{
    put(o, text, strlen(text));
}

static void drop_from(struct out *o, size_t from)
{
    if (from < o->len) {
        o->len = from;
        o->cut = false;
    }
}

static bool ends_with(const struct out *o, const char *text)
{
    size_t n = strlen(text);
    return o->len >= n && memcmp(o->buf + o->len - n, text, n) == 0;
}

/* One qualified name while it is written: "a::b<…>::c". Offsets are into out.buf. */
struct path {
    size_t word, segment;       /* where the whole and its last segment start */
    const char *first, *name;   /* the first and the last segment's identifiers, in the input */
    size_t first_len, name_len; /* 0: none yet */
    bool lambda;                /* the last segment is a lambda or its operator() */
};

static struct path path_at(const struct out *o)
{
    return (struct path){.word = o->len, .segment = o->len};
}

/* The text ends earlier now, and so does what is written next begin. */
static void path_back(struct path *w, size_t len)
{
    w->word = w->word < len ? w->word : len;
    w->segment = w->segment < len ? w->segment : len;
}

static void path_name(struct path *w, const char *p, size_t n)
{
    if (!w->name_len) {
        w->name = p;
        w->name_len = n;
    }
    if (!w->first_len) {
        w->first = p;
        w->first_len = n;
    }
}

static bool is_internal(const char *p, size_t n)
{
    return n == 0 || listed(internals, p, n) || listed(libraries, p, n) ||
           (n > 11 && memcmp(p, "_GLOBAL__N_", 11) == 0) ||
           (n > 3 && memcmp(p + n - 3, "_NS", 3) == 0);
}

/* At "::" before `p`: keeps the segment that just ended, alone, or drops it. */
static void path_step(struct out *o, struct path *w, const char *p, const char *end, int nest)
{
    size_t n = (size_t)(name_token(p, end) - p);
    bool local = *p == '{' || *p == '\'' || *p == '[';
    bool bare = (n >= 8 && memcmp(p, "operator", 8) == 0) || listed(members, p, n);
    bool own = nest == 0 && !listed(libraries, w->first, w->first_len);
    if (local || w->lambda) { /* "f::{lambda#1}::{lambda#2}": f keeps its place */
        puts_(o, o->len > (w->lambda ? w->word : w->segment) ? "::" : "");
    } else if (bare || (own && !is_internal(w->name, w->name_len))) {
        assert(w->word <= w->segment && w->segment <= o->len);
        size_t n_kept = o->len - w->segment;
        memmove(o->buf + w->word, o->buf + w->segment, n_kept);
        o->len = w->word + n_kept;
        puts_(o, n_kept ? "::" : "");
    } else {
        drop_from(o, w->word);
    }
    w->segment = o->len;
    w->name_len = 0;
}

/* "{lambda(int)#1}" and nvcc's "[lambda(int) (instance 1)]" as "{lambda#1}". */
static bool put_extra(struct out *o, const char *p, const char *close)
{
    size_t n = (size_t)(close - p);
    if (n > 7 && memcmp(p + 1, "lambda", 6) == 0) {
        const char *e = close - 1;
        while (e > p && (*e < '0' || *e > '9') && close - e < 4)
            e--;
        const char *d = e;
        while (d > p && *d >= '0' && *d <= '9')
            d--;
        puts_(o, "{lambda#");
        put(o, d + 1, (size_t)(e - d));
        puts_(o, "}");
        return true;
    }
    bool tag = n > 5 && memcmp(p, "[abi:", 5) == 0;
    if (n <= EXTRA_MAX && !tag)
        put(o, p, n);
    return *p == '{';
}

static void put_token(struct out *o, struct path *w, const char *p, size_t n)
{
    if (n >= 10 && memcmp(p, "operator()", 10) == 0 && w->lambda) {
        if (ends_with(o, "::"))
            drop_from(o, o->len - 2);
        path_back(w, o->len);
        return;
    }
    if (!name_is_word(*p)) {
        put(o, p, n);
        *w = path_at(o);
        return;
    }
    w->lambda = *p == '\'';
    path_name(w, p, n);
    if (*p >= '0' && *p <= '9') /* 4096ul */
        while (n > 1 && strchr("uUlL", p[n - 1]))
            n--;
    put(o, p, n);
}

static void emit(struct out *o, const char *p, const char *end, int nest);

static const char *argument_end(const char *p, const char *end)
{
    bool callable = false;
    for (const char *next; p < end && *p != ','; p = next) {
        next = name_token(p, end);
        bool group = *p == '(' || *p == '[' || *p == '{' || (*p == '<' && callable);
        if (group)
            next = name_group(p, end, NULL);
        callable = !group && name_is_callable(p, next);
    }
    return p;
}

static bool is_plumbing(const char *p, size_t n)
{
    size_t word = 0;
    while (word < n && name_is_word(p[word]))
        word++;
    return listed(plumbing, p, word);
}

/* The template arguments [p, end), inside their brackets. */
static void emit_arguments(struct out *o, const char *p, const char *end, bool closed, int nest)
{
    size_t before = o->len;
    puts_(o, "<");
    for (int shown = 0; p < end;) {
        while (p < end && *p == ' ')
            p++;
        const char *comma = argument_end(p, end), *stop = comma;
        while (stop > p && stop[-1] == ' ') /* "> >" */
            stop--;
        size_t mark = o->len;
        puts_(o, shown ? ", " : "");
        if (shown == ARGS_MAX || o->len > ENOUGH || nest > NEST_MAX || o->cut) {
            puts_(o, ELLIPSIS);
            break;
        }
        size_t from = o->len;
        emit(o, p, stop, nest);
        if (from >= o->len || (nest == 1 && is_plumbing(o->buf + from, o->len - from)))
            drop_from(o, mark);
        else
            shown++;
        p = comma < end ? comma + 1 : end;
    }
    if (o->len == before + 1)
        drop_from(o, before);
    else
        puts_(o, closed ? ">" : ELLIPSIS);
}

/* A group in parentheses: parameters of a scope vanish, casts and function types stay. */
static const char *emit_parens(struct out *o, struct path *w, const char *p, const char *end,
                               bool callable, int nest)
{
    bool closed;
    const char *close = name_group(p, end, &closed), *scope = name_scope(close, end);
    if (scope)
        return scope;
    if (callable)
        return close;
    puts_(o, "(");
    if (nest <= NEST_MAX)
        emit(o, p + 1, closed ? close - 1 : close, nest + 1);
    puts_(o, ")");
    *w = path_at(o);
    return close;
}

/* Writes a name or type with every qualified name in it reduced to its last part. */
static void emit(struct out *o, const char *p, const char *end, int nest)
{
    struct path w = path_at(o);
    bool callable = false, closed;
    for (const char *next; p < end; p = next) {
        next = name_token(p, end);
        bool names = name_is_callable(p, next);
        if (next - p == 2 && *p == ':' && next < end) {
            path_step(o, &w, next, end, nest);
        } else if (*p == '<' && callable) {
            next = name_group(p, end, &closed);
            emit_arguments(o, p + 1, closed ? next - 1 : next, closed, nest + 1);
            names = true;
        } else if (*p == '(') {
            next = emit_parens(o, &w, p, end, callable, nest);
        } else if (*p == '{' || *p == '[') {
            next = name_group(p, end, NULL);
            w.lambda = put_extra(o, p, next) || w.lambda;
            names = true;
        } else {
            put_token(o, &w, p, (size_t)(next - p));
        }
        callable = names;
    }
}

/* Takes an incomplete character off the end. */
static void trim_partial(struct out *o)
{
    size_t back = 0;
    while (back < 3 && back < o->len && ((unsigned char)o->buf[o->len - 1 - back] & 0xC0) == 0x80)
        back++;
    if (back == o->len)
        return;
    unsigned char lead = (unsigned char)o->buf[o->len - 1 - back];
    size_t need = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    if (need > back)
        o->len -= back + 1;
}

const char *name_short(struct arena *a, const char *full)
{
    struct out o = {.len = 0};
    struct name_head h = name_head(full);
    if (h.plain)
        put(&o, h.at, (size_t)(h.end - h.at));
    else
        emit(&o, h.at, h.end, 0);
    if (o.len == 0)
        put(&o, full, strlen(full));
    if (o.cut) {
        trim_partial(&o);
        memcpy(o.buf + o.len, ELLIPSIS, sizeof(ELLIPSIS) - 1);
        o.len += sizeof(ELLIPSIS) - 1;
    }
    return strlen(full) == o.len && memcmp(full, o.buf, o.len) == 0
               ? full
               : arena_strndup(a, o.buf, o.len);
}
