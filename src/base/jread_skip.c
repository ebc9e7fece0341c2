/*
 * Skipping in the JSON reader: checked like everything else, nothing kept, no recursion.
 *
 * One state machine, twice: skip_fast() runs with its pointer in a register as long as tokens lie
 * well inside the window and are as expected; whatever it does not like it leaves to skip_step(),
 * which takes one token with all the care and reports the problems.
 */
#include "base/jread_impl.h"

enum state { VALUE, FIRST_ITEM, FIRST_KEY, KEY, AFTER, DONE, BAD };

static enum state step_value(struct jread *j, int c)
{
    bool ok;
    switch (c) {
    case '{':
        return jr_push(j, '}') ? FIRST_KEY : BAD;
    case '[':
        return jr_push(j, ']') ? FIRST_ITEM : BAD;
    case '"':
        j->at++;
        ok = jr_skip_string(j);
        break;
    case 't':
        ok = jr_word(j, "true");
        break;
    case 'f':
        ok = jr_word(j, "false");
        break;
    case 'n':
        ok = jr_word(j, "null");
        break;
    case JR_EOF:
        ok = jr_truncated(j);
        break;
    default:
        ok = c == '-' || jr_is_digit(c) ? jr_number(j, NULL) : jr_fail(j, "expected a value");
        break;
    }
    return ok ? AFTER : BAD;
}

static enum state step_key(struct jread *j, int c)
{
    if (c == JR_EOF)
        return jr_truncated(j) ? KEY : BAD;
    if (c != '"')
        return jr_fail(j, "expected a key") ? KEY : BAD;
    j->at++;
    if (!jr_skip_string(j))
        return BAD;
    c = jr_next(j);
    if (c == JR_EOF)
        return jr_truncated(j) ? KEY : BAD;
    if (c != ':')
        return jr_fail(j, "expected ':'") ? KEY : BAD;
    j->at++;
    return VALUE;
}

static enum state step_after(struct jread *j, int c)
{
    char closer = j->closer[j->depth - 1];
    if (c == ',') {
        j->at++;
        return closer == '}' ? KEY : VALUE;
    }
    if (c == closer) {
        j->at++;
        j->depth--;
        return AFTER;
    }
    if (c == JR_EOF)
        jr_truncated(j);
    else
        jr_fail(j, closer == '}' ? "expected ',' or '}'" : "expected ',' or ']'");
    return BAD;
}

static enum state skip_step(struct jread *j, enum state state, int bottom)
{
    if (state == AFTER && j->depth == bottom)
        return DONE;
    int c = jr_next(j);
    switch (state) {
    case FIRST_ITEM:
        if (c == ']')
            return step_after(j, c);
        return step_value(j, c);
    case VALUE:
        return step_value(j, c);
    case FIRST_KEY:
        if (c == '}')
            return step_after(j, c);
        return step_key(j, c);
    case KEY:
        return step_key(j, c);
    default:
        return step_after(j, c);
    }
}

/* Over the string whose first byte p is; NULL when that is not simple. */
static inline const char *fast_string(const char *p, const char *end)
{
    for (;;) {
        p = jr_plain_end(p, end);
        if (end - p < 2)
            return NULL;
        if (*p == '"')
            return p + 1;
        if (*p != '\\' || (p[1] != '"' && p[1] != '\\' && p[1] != '/' && p[1] != 'n'))
            return NULL;
        p += 2;
    }
}

static inline const char *fast_digits(const char *p, const char *end)
{
#ifdef __SSE2__
    if (end - p >= 16) {
        unsigned m = jr_nondigit_mask(jr_load(p));
        if (m)
            return p + __builtin_ctz(m);
        p += 16;
    }
#endif
    while (p < end && jr_is_digit(*p))
        p++;
    return p;
}

/* Over a number; NULL when it is wrong, has an exponent or reaches the end of the window. */
static inline const char *fast_number(const char *p, const char *end)
{
    p += *p == '-';
    const char *stop = fast_digits(p, end);
    if (stop == p || (*p == '0' && stop - p > 1))
        return NULL;
    if (stop < end && *stop == '.') {
        p = stop + 1;
        stop = fast_digits(p, end);
        if (stop == p)
            return NULL;
    }
    return stop < end && (*stop | 0x20) != 'e' ? stop : NULL;
}

/* Over a string, number or word; NULL when skip_step() has to look. The result is below end. */
static inline const char *fast_scalar(const char *p, const char *end)
{
    switch (*p) {
    case '"':
        return fast_string(p + 1, end);
    case 't':
        return memcmp(p, "true", 4) ? NULL : p + 4;
    case 'f':
        return memcmp(p, "false", 5) ? NULL : p + 5;
    case 'n':
        return memcmp(p, "null", 4) ? NULL : p + 4;
    default:
        return fast_number(p, end);
    }
}

/* Over a key, its colon and white space; NULL when skip_step() has to look. */
static inline const char *fast_key(const char *p, const char *end)
{
    p = *p == '"' ? fast_string(p + 1, end) : NULL;
    if (!p || *p != ':' || end - p < JR_MARGIN)
        return NULL;
    p = jr_fast_space(p + 1, end);
    return end - p < JR_MARGIN ? NULL : p;
}

/* Leaves a container, or goes on after a comma; NULL when there is neither. */
static inline const char *fast_after(struct jread *j, const char *p, enum state *state)
{
    char closer = j->closer[j->depth - 1];
    if (*p == ',')
        *state = closer == '}' ? KEY : VALUE;
    else if (*p == closer)
        j->depth--;
    else
        return NULL;
    return p + 1;
}

/* As far as it is easy; p is always where `state` begins. */
static enum state skip_fast(struct jread *j, enum state state, int bottom)
{
    const char *p = j->at, *end = j->end, *q;
    while (end - p >= JR_MARGIN && j->depth > bottom) {
        q = jr_fast_space(p, end);
        if (end - q < JR_MARGIN)
            break;
        if (state == KEY || state == FIRST_KEY) {
            if (!(q = fast_key(q, end)))
                break;
            state = VALUE;
            p = q;
        }
        if (state == AFTER) {
            if (!(q = fast_after(j, q, &state)))
                break;
        } else if (*q == '{' || *q == '[') {
            if (j->depth == JREAD_DEPTH)
                break;
            state = *q == '{' ? FIRST_KEY : FIRST_ITEM;
            j->closer[j->depth++] = *q++ == '{' ? '}' : ']';
        } else {
            if (!(q = fast_scalar(q, end)))
                break;
            state = AFTER;
            if (*q == ',')
                q = fast_after(j, q, &state);
        }
        p = q;
    }
    j->at = p;
    return state;
}

void jr_skip(struct jread *j)
{
    int bottom = j->depth;
    enum state state = VALUE;
    do {
        if (j->depth > bottom)
            state = skip_fast(j, state, bottom);
        state = skip_step(j, state, bottom);
    } while (state != DONE && state != BAD);
    j->first = false;
}
