#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

/* A library may be there and another that it needs not: then the loader begins with that one's name. */
static bool not_loaded(const char *file, const char *why, struct gs_error *err)
{
    if (!why || (!strncmp(why, file, strlen(file)) && strstr(why, "No such file")))
        return fail(err, GS_E_USAGE, "the library '%s' is not on this machine", file);
    return fail(err, GS_E_IO, "cannot load a library: %s", why);
}

bool library_load(const char *file, const char *const *names, size_t n, void *functions,
                  struct gs_error *err)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return not_loaded(file, dlerror(), err);
    for (size_t i = 0; i < n; i++)
        if (!dlsym(library, names[i]))
            return fail(err, GS_E_USAGE, "the library '%s' is too old: it has no '%s'", file,
                        names[i]);
    for (size_t i = 0; i < n; i++) {
        void *found = dlsym(library, names[i]);
        memcpy((char *)functions + i * sizeof(found), &found, sizeof(found));
    }
    return true;
}
