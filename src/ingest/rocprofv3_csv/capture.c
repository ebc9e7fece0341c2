/*
 * Which files are one capture: PREFIX_kernel_trace.csv, PREFIX_hip_api_trace.csv and so on in one
 * folder, or the same names without a prefix. A capture is known by "folder/PREFIX", or "folder/"
 * where there is none. A file by another name stands alone and is its own capture.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/str.h"
#include "ingest/rocprofv3_csv/csv_in.h"

static const char *const members[] = {
    "agent_info",
    "hip_api_trace",
    "hsa_api_trace",
    "marker_api_trace",
    "rccl_api_trace",
    "rocdecode_api_trace",
    "rocjpeg_api_trace",
    "ompt_trace",
    "kfd_trace",
    "hip_trace",
    "hsa_trace",
    "marker_trace",
    "rccl_trace",
    "regions_trace",
    "kernel_trace",
    "memory_copy_trace",
    "memory_allocation_trace",
    "scratch_memory_trace",
    "counter_collection",
    "counter_collection_trace",
    "pc_sampling_host_trap",
    "pc_sampling_stochastic",
};

static const char *const extensions[] = {".csv", ".csv.gz", ".csv.zst"};

/* Length of the prefix of a file name (its '_' left out), or -1: no such name. */
static ptrdiff_t prefix_of(const char *name)
{
    size_t n = strlen(name);
    for (size_t e = 0; e < ARRAY_LEN(extensions); e++) {
        size_t stem = n - strlen(extensions[e]);
        if (!str_ends(name, extensions[e]))
            continue;
        ptrdiff_t best = -1;
        for (size_t i = 0; i < ARRAY_LEN(members); i++) {
            size_t m = strlen(members[i]);
            if (stem < m || memcmp(name + stem - m, members[i], m))
                continue;
            if (stem == m)
                return 0;
            if (name[stem - m - 1] == '_' && stem - m > 1)
                best = (ptrdiff_t)(stem - m - 1);
        }
        return best;
    }
    return -1;
}

const char *rv3c_capture(const char *path, struct arena *a)
{
    const char *name = fs_basename(path);
    ptrdiff_t prefix = prefix_of(name);
    if (prefix < 0)
        return arena_strdup(a, path);
    if (!prefix && name == path)
        return "./";
    return arena_strndup(a, path, (size_t)(name - path) + (size_t)prefix);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * All names a member can have are tried: listing the folder would cost as much as it holds, again
 * for every capture in it.
 */
bool rv3c_files(struct csv_files *out, const char *capture, struct arena *a, struct gs_error *err)
{
    const char *base = fs_basename(capture);
    size_t n = strlen(base);
    if (fs_exists(capture) && !fs_is_dir(capture)) {
        vec_push(out, a, arena_strdup(a, capture));
        return true;
    }
    const char *dir = base == capture ? "./" : arena_strndup(a, capture, (size_t)(base - capture));
    if (!fs_is_dir(dir))
        return fail(err, GS_E_IO, "cannot open '%s': no such folder", dir);
    for (size_t i = 0; i < ARRAY_LEN(members); i++)
        for (size_t e = 0; e < ARRAY_LEN(extensions); e++) {
            char *path =
                arena_printf(a, "%s%s%s%s%s", dir, base, n ? "_" : "", members[i], extensions[e]);
            if (prefix_of(fs_basename(path)) == (ptrdiff_t)n && fs_is_file(path))
                vec_push(out, a, path);
        }
    if (out->n)
        qsort(out->v, out->n, sizeof(*out->v), by_name);
    return true;
}
