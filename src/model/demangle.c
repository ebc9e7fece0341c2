#include "model/demangle.h"

#include "config.h"

#ifdef HAVE_DEMANGLE

#include <libiberty/demangle.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/names.h"

/*
 * What libiberty needs, and what bounds it:
 *
 * - Parsing recurses; a level consumes a byte or more, so the stack is PARSE_FRAME a byte.
 *   The components, two for each byte, are on the heap (cplus_demangle_v3_components).
 * - Parsing goes back in one place: behind "cv", a template parameter with arguments is read
 *   twice, nested ones 2^depth times. So few of those are let through (is_ambiguous).
 * - Printing puts an array on the stack for each saved scope (a reference to a template parameter)
 *   times each template, both counted up to twice: bounded by counting them in the tree.
 * - Printing recurses 1024 levels at most, libiberty's own limit; its search for parameter packs
 *   recurses as deep as the tree.
 * - Components are shared: what is short as a graph may be endless as a tree. What prints is
 *   bounded by the room for the result, which printing leaves by longjmp() (it holds nothing on
 *   the heap). Steps that print nothing are list elements that turn out empty, walks
 *   along lists and scopes, and the search for packs, which visits the whole tree below;
 *   is_cheap() bounds their product.
 */
enum {
    AMBIGUOUS_MAX = 8,
    PARSE_FRAME = 1024,
    PRINT_STACK = 4 * 1024 * 1024,
    TEMPLATE_BYTES = 16, /* an element of the array of scopes times templates */
    SCOPES_STACK = 16 * 1024 * 1024,
    DEEP_STACK = DEMANGLE_NAME_MAX * PARSE_FRAME + PRINT_STACK + SCOPES_STACK,
    SHORT_NAME = 512, /* with at most so many bytes for scopes: on the stack we have */
    SHORT_SCOPES = 64 * 1024,
    STEPS_PER_BYTE = 512 * 1024,
};

/* What is known of a component; sums stop at UINT32_MAX. */
struct fact {
    uint32_t size;    /* components below, shared ones counted each time; 0: not looked at yet */
    uint32_t length;  /* of the list that begins here */
    uint32_t empties; /* elements of it that may print nothing */
};

struct demangling {
    const char *mangled;
    size_t n;
    void *memory; /* libiberty's */
    struct fact *facts;
    uint64_t scopes, templates; /* components of that kind */
    uint32_t pack_size;         /* largest tree that is searched for a pack */
    uint32_t parameter, length, empties;
    bool counts_packs; /* may have sizeof...(), which is some unary operator */
    bool strange;      /* no tree */
    bool ok;
    size_t len, room;
    jmp_buf too_long;
    char text[NAME_FULL_MAX];
};

static uint32_t plus(uint32_t a, uint32_t b)
{
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

static void at_least(uint32_t *most, uint32_t v)
{
    if (v > *most)
        *most = v;
}

/* ---- before parsing ---- */

static size_t count(const char *s, char c)
{
    size_t n = 0;
    for (; *s; s++)
        n += *s == c;
    return n;
}

/* "T_I", "T12_I": a template parameter with arguments, wherever it seems to stand. */
static size_t count_applied(const char *s)
{
    size_t n = 0;
    for (; (s = strchr(s, 'T')); s++) {
        size_t digits = strspn(s + 1, "0123456789");
        n += s[1 + digits] == '_' && s[2 + digits] == 'I';
    }
    return n;
}

static bool is_ambiguous(const char *s)
{
    return strstr(s, "cv") && count_applied(s) > AMBIGUOUS_MAX;
}

/* More bytes than the scopes can take, whatever the letters turn out to be. */
static uint64_t scope_bytes(uint64_t references, uint64_t templates)
{
    return 2 * references * (2 * templates + 1) * TEMPLATE_BYTES;
}

/* ---- the tree ---- */

static struct fact look_at(struct demangling *job, const struct demangle_component *dc);

static bool is_list(const struct demangle_component *dc)
{
    return dc && (dc->type == DEMANGLE_COMPONENT_ARGLIST ||
                  dc->type == DEMANGLE_COMPONENT_TEMPLATE_ARGLIST);
}

static bool may_be_empty(const struct demangle_component *dc)
{
    return !dc || is_list(dc) || dc->type == DEMANGLE_COMPONENT_TEMPLATE_PARAM ||
           dc->type == DEMANGLE_COMPONENT_PACK_EXPANSION;
}

/* Two subtrees, as most components have. */
static struct fact look_at_both(struct demangling *job, const struct demangle_component *dc)
{
    const struct demangle_component *left = dc->u.s_binary.left, *right = dc->u.s_binary.right;
    struct fact l = look_at(job, left), r = look_at(job, right);
    struct fact f = {.size = plus(1, plus(l.size, r.size)), .length = 1};
    if (is_list(dc)) {
        f.length = plus(1, r.length);
        f.empties = plus(may_be_empty(left), r.empties);
        at_least(&job->length, f.length);
        at_least(&job->empties, f.empties);
    }
    if (dc->type == DEMANGLE_COMPONENT_TEMPLATE || dc->type == DEMANGLE_COMPONENT_TEMPLATE_HEAD)
        job->templates++;
    if ((dc->type == DEMANGLE_COMPONENT_REFERENCE ||
         dc->type == DEMANGLE_COMPONENT_RVALUE_REFERENCE) &&
        left && left->type == DEMANGLE_COMPONENT_TEMPLATE_PARAM)
        job->scopes++;
    if (dc->type == DEMANGLE_COMPONENT_PACK_EXPANSION ||
        (dc->type == DEMANGLE_COMPONENT_UNARY && job->counts_packs))
        at_least(&job->pack_size, f.size);
    return f;
}

static struct fact look_inside(struct demangling *job, const struct demangle_component *dc)
{
    const struct demangle_component *only = NULL;
    switch (dc->type) {
    case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
        at_least(&job->parameter,
                 dc->u.s_number.number > UINT32_MAX ? UINT32_MAX : (uint32_t)dc->u.s_number.number);
        break;
    case DEMANGLE_COMPONENT_NAME:
    case DEMANGLE_COMPONENT_FUNCTION_PARAM:
    case DEMANGLE_COMPONENT_SUB_STD:
    case DEMANGLE_COMPONENT_BUILTIN_TYPE:
    case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
    case DEMANGLE_COMPONENT_FIXED_TYPE:
    case DEMANGLE_COMPONENT_OPERATOR:
    case DEMANGLE_COMPONENT_CHARACTER:
    case DEMANGLE_COMPONENT_NUMBER:
    case DEMANGLE_COMPONENT_UNNAMED_TYPE:
        break;
    case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
        only = dc->u.s_extended_operator.name;
        break;
    case DEMANGLE_COMPONENT_CTOR:
        only = dc->u.s_ctor.name;
        break;
    case DEMANGLE_COMPONENT_DTOR:
        only = dc->u.s_dtor.name;
        break;
    case DEMANGLE_COMPONENT_LAMBDA:
    case DEMANGLE_COMPONENT_DEFAULT_ARG:
        only = dc->u.s_unary_num.sub;
        break;
    default:
        return look_at_both(job, dc);
    }
    return (struct fact){.size = plus(1, look_at(job, only).size), .length = 1};
}

/* Each component once. One that contains itself meets its own mark, a size without end. */
static struct fact look_at(struct demangling *job, const struct demangle_component *dc)
{
    if (!dc)
        return (struct fact){0};
    const struct demangle_component *all = job->memory;
    size_t i = (size_t)(dc - all);
    if (dc < all || i >= 2 * job->n) {
        job->strange = true;
        return (struct fact){0};
    }
    if (!job->facts[i].size) {
        job->facts[i].size = UINT32_MAX;
        job->facts[i] = look_inside(job, dc);
    }
    return job->facts[i];
}

/* Steps for each byte of the result, at most; and what the scopes take. */
static bool is_cheap(const struct demangling *job)
{
    if (job->strange || scope_bytes(job->scopes, job->templates) > SCOPES_STACK)
        return false;
    uint32_t walk = job->parameter < job->length ? job->parameter : job->length;
    uint64_t each = UINT64_C(16) + walk + job->scopes + job->pack_size;
    return (1 + (uint64_t)job->empties) * each * DEMANGLE_GROWTH <= STEPS_PER_BYTE;
}

/* ---- printing ---- */

static void take(const char *s, size_t n, void *ctx)
{
    struct demangling *job = ctx;
    if (n > job->room - job->len)
        longjmp(job->too_long, 1);
    memcpy(job->text + job->len, s, n);
    job->len += n;
}

static void *run(void *ctx)
{
    struct demangling *job = ctx;
    int options = DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT;
    struct demangle_component *tree =
        cplus_demangle_v3_components(job->mangled, options, &job->memory);
    if (!tree)
        return NULL;
    look_at(job, tree);
    if (is_cheap(job) && setjmp(job->too_long) == 0)
        job->ok = cplus_demangle_print_callback(options, tree, take, job) != 0;
    free(job->memory); /* libiberty's malloc() */
    return NULL;
}

static void run_deep(struct demangling *job)
{
    pthread_attr_t attr;
    pthread_t thread;
    if (pthread_attr_init(&attr) != 0)
        return;
    if (pthread_attr_setstacksize(&attr, DEEP_STACK) == 0 &&
        pthread_create(&thread, &attr, run, job) == 0)
        pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
}

const char *demangle(struct arena *a, const char *mangled, size_t n)
{
    if (n > DEMANGLE_NAME_MAX || is_ambiguous(mangled))
        return NULL;
    size_t head = (sizeof(struct demangling) + 7) / 8 * 8;
    size_t bytes = head + 2 * n * sizeof(struct fact);
    struct demangling *job = mem_try_alloc(bytes);
    if (!job)
        mem_exhausted();
    size_t room = DEMANGLE_GROWTH * n + DEMANGLE_FREE;
    memset(job, 0, offsetof(struct demangling, too_long));
    job->mangled = mangled;
    job->n = n;
    job->counts_packs = strstr(mangled, "sZ") || strstr(mangled, "sP");
    job->facts = (struct fact *)(void *)((char *)job + head);
    job->room = room < sizeof(job->text) ? room : sizeof(job->text);
    memset(job->facts, 0, 2 * n * sizeof(struct fact));
    uint64_t references = count(mangled, 'R') + count(mangled, 'O');
    if (n <= SHORT_NAME && scope_bytes(references, count(mangled, 'I')) <= SHORT_SCOPES)
        run(job);
    else
        run_deep(job);
    char text[NAME_FULL_MAX];
    size_t len = job->ok ? job->len : 0;
    memcpy(text, job->text, len);
    mem_free(job); /* before the arena allocates, which may unwind */
    return len ? arena_strndup(a, text, len) : NULL;
}

#else

const char *demangle(struct arena *a, const char *mangled, size_t n)
{
    (void)a, (void)mangled, (void)n;
    return NULL;
}

#endif
