/* What people ask a plan for, in words. */
#include <string.h>

#include "base/str.h"
#include "plan/plan.h"

static const struct {
    const char *name;
    unsigned tool;
    enum vendor vendor;
} tools[] = {
    {"rocprofv3", TOOL_ROCPROFV3, VENDOR_AMD},
    {"rocprof-sys", TOOL_ROCPROF_SYS, VENDOR_AMD},
    {"rocprof-compute", TOOL_ROCPROF_COMPUTE, VENDOR_AMD},
    {"nsys", TOOL_NSYS, VENDOR_NVIDIA},
    {"ncu", TOOL_NCU, VENDOR_NVIDIA},
};
enum { N_TOOLS = ARRAY_LEN(tools) };

static bool read_tools(struct plan_request *q, const struct opt_list *names, struct gs_error *err)
{
    for (size_t i = 0; i < names->n; i++) {
        size_t t = 0;
        while (t < N_TOOLS && !str_eq(tools[t].name, names->v[i]))
            t++;
        if (t == N_TOOLS)
            return fail(err, GS_E_USAGE,
                        "unknown tool '%s'; tools are rocprofv3, rocprof-sys, rocprof-compute, "
                        "nsys, ncu",
                        names->v[i]);
        q->tools |= tools[t].tool;
    }
    return true;
}

bool plan_request_gpu(struct plan_request *q, const char *name, struct gs_error *err)
{
    if (!name)
        return true;
    bool arch = strstr(name, "gfx") || str_starts(name, "sm") ||
                strspn(name, "0123456789.") == strlen(name);
    q->gpu = arch ? hardware_find(name, NULL, 0) : hardware_find(NULL, name, 0);
    return q->gpu || fail(err, GS_E_USAGE,
                          "unknown GPU '%s'; give an architecture such as gfx942 or sm_90, or a "
                          "product such as MI300X or H100",
                          name);
}

bool plan_request_read(struct plan_request *q, const struct plan_words *w, struct gs_error *err)
{
    if (!read_tools(q, &w->tools, err))
        return false;
    for (size_t i = 0; i < w->goals.n; i++)
        if (!goals_parse(&q->goals, w->goals.v[i], err))
            return false;
    q->kernel = w->kernel;
    q->form.rank = (int)w->rank;
    return plan_request_gpu(q, w->gpu, err);
}

bool plan_request_app(struct plan_request *q, const char *launcher, const struct words *command,
                      struct arena *a, struct gs_error *err)
{
    if (launcher)
        launch_form_given(&q->form, launcher, command, a);
    if (launcher ? *command->v[0] && *command->v[0] != '-' : launch_form_find(&q->form, command, a))
        return true;
    return fail(err, GS_E_USAGE,
                "cannot tell where the program begins in '%s'; give the launcher with --launcher "
                "and one program",
                shell_line(a, command));
}

bool plan_check_tools(const struct plan *p, unsigned asked, struct gs_error *err)
{
    for (size_t i = 0; i < N_TOOLS; i++)
        if ((asked & tools[i].tool) && tools[i].vendor != p->vendor)
            return fail(err, GS_E_USAGE, "%s does not profile GPUs of %s", tools[i].name,
                        vendor_name(p->vendor));
    return true;
}
