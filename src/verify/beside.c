/* What stands right beside a figure and says what kind of figure it is. */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "verify/check.h"

/* "the first 3 findings", "top 5 kernels": how many are looked at, not how many there are. */
bool behind_a_choice(const struct checking *c, const struct passage *p, const struct figure *f)
{
    static const char *const words[] = {"first ", "top ",   "last ", "next ",
                                        "other ", "these ", "those "};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        size_t n = strlen(words[i]);
        if (f->at - p->at >= n && !strncasecmp(c->r->text.buf + f->at - n, words[i], n))
            return true;
    }
    return false;
}

/* "1,800 kernels", "kernels: 1,800", "calls 120" */
bool beside_a_count(const struct checking *c, const struct passage *p, const struct figure *f)
{
    static const char counted[] =
        " kernel kernels call calls launch launches dispatch dispatches copy copies gpu gpus "
        "process processes rank ranks thread threads stream streams transfers transfer gaps gap sync syncs "
        "synchronizations allocations iterations steps phases findings events markers ranges waits times waves "
        "workgroups blocks names queues cus sms registers instances count number memcpys ";
    const char *t = c->r->text.buf;
    size_t i = f->at + f->n, end = p->at + p->n;
    for (int words = 0; words < 3 && i < end; words++) {
        char word[40] = " ";
        size_t n = 1;
        while (i < end && t[i] == ' ')
            i++;
        while (i < end && isalpha((unsigned char)t[i]) && n < 36)
            word[n++] = (char)tolower((unsigned char)t[i++]);
        if (n == 1)
            break;
        word[n++] = ' ';
        word[n] = 0;
        if (strstr(counted, word))
            return true;
        if (i < end && t[i] != ' ')
            break;
    }
    /* "calls: 120", "kernels 1,800" */
    size_t stop = f->at;
    while (stop > p->at && strchr(" :=", t[stop - 1]))
        stop--;
    size_t start = stop;
    while (start > p->at && isalpha((unsigned char)t[start - 1]))
        start--;
    char before[40] = " ";
    if (stop == start || stop - start > 30 || f->at - stop > 3 || stop == f->at)
        return false;
    for (size_t k = 0; k < stop - start; k++)
        before[k + 1] = (char)tolower((unsigned char)t[start + k]);
    strcat(before, " ");
    /* "GPU 0" and "rank 3" name one */
    bool plural = before[stop - start] == 's' || t[stop] == ':' || t[stop] == '=';
    return plural && strstr(counted, before);
}

/* "called 60 times" is a count, "1.77 times as fast" is none. */
void tell_times(const struct checking *c, const struct passage *p, struct figure *f)
{
    static const char *const ratio[] = {" as ",  " fast", " slow",  " more", " long",
                                        " high", " less", " large", " the "};
    const char *t = c->r->text.buf;
    size_t end = f->at + f->n, most = p->at + p->n;
    if (f->dim != DIM_RATIO || t[end - 1] != 's' || f->value != floor(f->value))
        return;
    for (size_t i = 0; i < sizeof(ratio) / sizeof(*ratio); i++)
        if (most - end >= strlen(ratio[i]) && !memcmp(t + end, ratio[i], strlen(ratio[i])))
            return;
    f->dim = DIM_NUMBER;
}

/* gemm<half, 256, 128>, kernel(int, 4), v[10:11]: no figures but parts of a name. */
bool inside_name(const struct checking *c, const struct passage *p, const struct figure *f)
{
    const char *t = c->r->text.buf;
    for (size_t i = f->at; i > p->at + 1 && f->at - i < 120; i--) {
        char o = t[i - 1];
        if (o == '>' || o == ')' || o == ']' || o == ';' || o == '\n')
            return false;
        if ((o == '<' || o == '[' || o == '(') &&
            (isalnum((unsigned char)t[i - 2]) || t[i - 2] == '_'))
            return true;
    }
    return false;
}
