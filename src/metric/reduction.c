/* How the instances of a counter become one number. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "metric/formula_in.h"

static const struct {
    const char *word;
    enum reduction how;
} reductions[] = {
    {"sum", REDUCE_SUM}, {"max", REDUCE_MAX}, {"min", REDUCE_MIN},
    {"avr", REDUCE_AVG}, {"avg", REDUCE_AVG}, {"mean", REDUCE_AVG},
};
enum { REDUCTIONS = ARRAY_LEN(reductions) };

bool reduction_find(const char *name, enum reduction *how)
{
    for (size_t i = 0; i < REDUCTIONS; i++)
        if (str_eq(reductions[i].word, name)) {
            *how = reductions[i].how;
            return true;
        }
    return false;
}

/* "TCC_HIT_sum": the counter TCC_HIT, reduced by sum. */
void reduction_cut(char *name, enum reduction *how)
{
    char *last = strrchr(name, '_');
    if (last && last != name && reduction_find(last + 1, how))
        *last = 0;
}

/* Raw counters are in capitals. Of the derived ones with small letters only a few are counts. */
bool counter_is_share(const char *name)
{
    static const char *const counts[] = {"Wavefronts", "FetchSize", "WriteSize"};
    char base[FORMULA_NAME_BYTES];
    enum reduction ignored;
    for (size_t i = 0; i < ARRAY_LEN(counts); i++)
        if (str_eq(name, counts[i]))
            return false;
    if (str_eq(name, "GPU_UTIL") || strlen(name) >= sizeof(base))
        return str_eq(name, "GPU_UTIL");
    memcpy(base, name, strlen(name) + 1);
    reduction_cut(base, &ignored);
    return strpbrk(base, "abcdefghijklmnopqrstuvwxyz") != NULL;
}

enum reduction counter_reduction(const char *name)
{
    return str_starts(name, "GRBM_") ? REDUCE_MAX
           : counter_is_share(name)  ? REDUCE_AVG
                                     : REDUCE_SUM;
}

const char *reduction_name(enum reduction how)
{
    static const char *const suffixes[] = {
        [REDUCE_SUM] = "sum", [REDUCE_MAX] = "max", [REDUCE_MIN] = "min", [REDUCE_AVG] = "avr"};
    return suffixes[how];
}

double reduce_values(const double *v, size_t n, enum reduction how)
{
    double out = v[0];
    bool bad = isnan(v[0]);
    for (size_t i = 1; i < n; i++) {
        bad |= isnan(v[i]);
        if (how == REDUCE_MAX)
            out = v[i] > out ? v[i] : out;
        else if (how == REDUCE_MIN)
            out = v[i] < out ? v[i] : out;
        else
            out += v[i];
    }
    return bad ? NAN : how == REDUCE_AVG ? out / (double)n : out;
}
