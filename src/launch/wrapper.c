/* Profilers that Python programs bring along: PyTorch's and JAX's, put around a script. */
#include <string.h>

#include "base/fs.h"
#include "base/fs_out.h"
#include "base/str.h"
#include "base/vec.h"
#include "launch/profilers.h"

/*
 * Runs a script as Python would, under the profiler: the same arguments, name, path, exit code. Each
 * process writes a file of its own, also when the script fails.
 */
static const char common[] =
    "# Written by 'gpusight run': runs a script under the profiler of its framework.\n"
    "import os, runpy, sys\n"
    "folder = os.path.dirname(os.path.abspath(__file__))\n"
    "rank = next((os.environ[n] for n in ('RANK', 'OMPI_COMM_WORLD_RANK', 'SLURM_PROCID', "
    "'PMI_RANK', 'FLUX_TASK_RANK') if n in os.environ), None)\n"
    "name = os.path.join(folder, ('rank%s-' % rank if rank else 'trace-') + str(os.getpid()))\n"
    "sys.argv = sys.argv[1:]\n"
    "def run():\n"
    "    if sys.argv[0] == '-m':\n"
    "        sys.argv = sys.argv[1:]\n"
    "        sys.path[0] = os.getcwd()\n"
    "        runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)\n"
    "    else:\n"
    "        sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))\n"
    "        runpy.run_path(sys.argv[0], run_name='__main__')\n";

static const char torch_part[] =
    "import torch\n"
    "from torch.profiler import ProfilerActivity, profile\n"
    "kinds = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if torch.cuda.is_available() else "
    "[])\n"
    "try: # newer ones warn without it\n"
    "    p = profile(activities=kinds, acc_events=True)\n"
    "except TypeError:\n"
    "    p = profile(activities=kinds)\n"
    "p.start()\n"
    "try:\n"
    "    run()\n"
    "finally:\n"
    "    if torch.cuda.is_available():\n"
    "        torch.cuda.synchronize()\n"
    "    p.stop()\n"
    "    p.export_chrome_trace(name + '.json')\n";

/* Without Python's own frames, which fill the trace before the GPU's work is in it. */
static const char jax_part[] =
    "import jax\n"
    "given = {}\n"
    "if hasattr(jax.profiler, 'ProfileOptions'):\n"
    "    given['profiler_options'] = jax.profiler.ProfileOptions()\n"
    "    given['profiler_options'].python_tracer_level = 0\n"
    "jax.profiler.start_trace(name, create_perfetto_trace=False, **given)\n"
    "try:\n"
    "    run()\n"
    "finally:\n"
    "    (jax.effects_barrier if hasattr(jax, 'effects_barrier') else (lambda: None))()\n"
    "    jax.profiler.stop_trace()\n";

static bool is_python(const char *word)
{
    const char *slash = strrchr(word, '/');
    return str_starts(slash ? slash + 1 : word, "python");
}

static bool is_script(const char *word)
{
    return str_ends(word, ".py");
}

static bool is_launching(const char *module)
{
    return str_starts(module, "torch.distributed") || str_starts(module, "accelerate.") ||
           str_starts(module, "deepspeed.");
}

/* Behind "python [options]", or behind the options of torchrun and its like. */
static bool find_script(const struct words *app, size_t *at)
{
    bool python = app->n && is_python(app->v[0]);
    for (size_t i = 1; i < app->n; i++) {
        *at = i;
        if (python && str_eq(app->v[i], "-c"))
            return false;
        if (is_script(app->v[i]))
            return true;
        if (!python || !str_eq(app->v[i], "-m") || i + 1 == app->n)
            continue;
        if (!is_launching(app->v[i + 1]))
            return true;
        python = false; /* from here on the script of its workers */
    }
    return false;
}

/* Whether a line of the text begins with "import NAME" or "from NAME". */
static bool imports(const char *text, const char *name)
{
    for (const char *p = text; (p = strstr(p, name)); p += strlen(name)) {
        const char *line = p;
        while (line > text && line[-1] != '\n')
            line--;
        line += strspn(line, " \t");
        char behind = p[strlen(name)];
        if ((str_starts(line, "import ") || str_starts(line, "from ")) &&
            strchr(" .,\n\r\t;", behind) && strchr(" ,", p[-1]))
            return true;
    }
    return false;
}

enum wrapper wrapper_find(const struct words *app, size_t *at, struct arena *a)
{
    enum { MOST = 4 << 20 };
    *at = 0;
    if (!find_script(app, at))
        return WRAPPER_NONE;
    if (str_eq(app->v[*at], "-m"))
        return WRAPPER_TORCH; /* what a module imports is not looked for */
    const struct mapping *m = fs_read_in(a, app->v[*at], MOST, NULL);
    if (!m)
        return WRAPPER_NONE;
    return imports(arena_strndup(a, (const char *)m->data, m->size), "jax") ? WRAPPER_JAX
                                                                            : WRAPPER_TORCH;
}

bool wrapper_put(struct words *app, size_t at, enum wrapper which, const char *folder,
                 struct arena *a, struct gs_error *err)
{
    struct words out = {0};
    struct str text;
    const char *path = arena_printf(a, "%s/gpusight_profile.py", folder);
    str_init(&text, a);
    str_puts(&text, common);
    str_puts(&text, which == WRAPPER_JAX ? jax_part : torch_part);
    if (!fs_write(path, text.buf, text.len, err))
        return false;
    for (size_t i = 0; i < app->n; i++) {
        if (i == at)
            vec_push(&out, a, path);
        vec_push(&out, a, app->v[i]);
    }
    *app = out;
    return true;
}
