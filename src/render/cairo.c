#include "render/cairo.h"

#include <pthread.h>

#include "base/array.h"
#include "base/library.h"

struct cairo_functions cairo;

bool cairo_load(struct gs_error *err)
{
    static const char *const names[] = {
#define F(name) "cairo_" #name,
        CAIRO_FUNCTIONS(F)
#undef F
    };
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    static bool loaded;
    struct gs_error why;
    pthread_mutex_lock(&one_at_a_time);
    if (!loaded)
        loaded = library_load("libcairo.so.2", names, ARRAY_LEN(names), &cairo, &why);
    bool ok = loaded;
    pthread_mutex_unlock(&one_at_a_time);
    return ok || fail(err, why.code, "cannot draw PNG and PDF: %s; SVG and HTML need no library",
                      why.text);
}
