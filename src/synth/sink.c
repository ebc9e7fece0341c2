#include "synth/sink.h"

#include <assert.h>
#include <string.h>

struct rec_agent rec_keep_agent(const struct rec_agent *r, struct arena *a)
{
    struct rec_agent copy = *r;
    if (r->gpu) {
        struct gpu_spec *spec = arena_new(a, struct gpu_spec);
        *spec = *r->gpu;
        copy.gpu = spec;
    }
    return copy;
}

struct rec_process rec_keep_process(const struct rec_process *r, struct arena *a)
{
    struct rec_process copy = *r;
    struct rec_env *env = arena_array(a, struct rec_env, r->env_n + 1);
    if (r->env_n)
        memcpy(env, r->env, r->env_n * sizeof(*env));
    copy.env = env;
    assert(copy.index >= 0 && copy.index < copy.count);
    return copy;
}
