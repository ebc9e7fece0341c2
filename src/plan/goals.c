#include "plan/goals.h"

#include <string.h>

#include "base/str.h"

/* The words of goals.def. */
enum {
    KERNELS = ITEM_KERNELS,
    API = ITEM_API,
    COPIES = ITEM_COPIES,
    ALLOCATIONS = ITEM_ALLOCATIONS,
    MARKERS = ITEM_MARKERS,
    MPI = ITEM_MPI,
    COLLECTIVES = ITEM_COLLECTIVES,
    TELEMETRY = ITEM_TELEMETRY,
    SAMPLES = ITEM_SAMPLES,
    IO = ITEM_IO,
    INSTRUCTIONS = ITEM_INSTRUCTIONS,
    PC_SAMPLES = ITEM_PC_SAMPLES,
};

#define GOAL(name, answers, items, also, counters, sections)                                       \
    {#name, answers, items, also, counters, sections},
const struct goal plan_goals[GOALS] = {
#include "plan/goals.def"
};

#undef GOAL
#define GOAL(name, ...) #name,
const char *const goal_names[] = {
#include "plan/goals.def"
    NULL};

#define RATIO(goals, answers, instead, ...) {goals, answers, instead, {__VA_ARGS__}},
const struct ratio plan_ratios[] = {
#include "plan/ratios.def"
};
const size_t n_plan_ratios = ARRAY_LEN(plan_ratios);

static bool unknown(const char *word, size_t n, struct gs_error *err)
{
    char list[512] = "all";
    for (size_t i = 0; i < GOALS; i++) {
        strncat(list, ", ", sizeof(list) - strlen(list) - 1);
        strncat(list, plan_goals[i].name, sizeof(list) - strlen(list) - 1);
    }
    return fail(err, GS_E_USAGE, "unknown goal '%.*s'; goals are %s", (int)(n < 60 ? n : 60), word,
                list);
}

bool goals_parse(unsigned *out, const char *words, struct gs_error *err)
{
    for (const char *p = words;; p++) {
        size_t n = strcspn(p, ","), i = 0;
        while (i < GOALS &&
               (strlen(plan_goals[i].name) != n || strncmp(plan_goals[i].name, p, n) != 0))
            i++;
        if (i < GOALS)
            *out |= 1u << i;
        else if (n == 3 && strncmp(p, "all", 3) == 0)
            *out |= ALL_GOALS;
        else
            return unknown(p, n, err);
        p += n;
        if (!*p)
            return true;
    }
}
