#include "convert/otf2_in.h"

/* libotf2 has one listener for all threads and tells it in the thread that called. */
static _Thread_local struct otf2_out *at_work;

/*
 * Where a buffer cannot be written, libotf2 says so here and nowhere else: the calls that fill and
 * close it succeed. It would print its message too, with the path as it is.
 */
static OTF2_ErrorCode on_error(void *user, const char *file, uint64_t line, const char *function,
                               OTF2_ErrorCode code, const char *format, va_list args)
{
    (void)user, (void)file, (void)line, (void)function, (void)format, (void)args;
    if (at_work && code > OTF2_SUCCESS && !at_work->first_error)
        at_work->first_error = code;
    return code;
}

void otf2_listen(struct otf2_out *w)
{
    at_work = w;
    if (w)
        OTF2_Error_RegisterCallback(on_error, NULL);
}

bool otf2_failed(struct otf2_out *w, const char *path, struct gs_error *err)
{
    static const char hint[] = "memory or the disk may be too small";
    if (w->first_error > OTF2_SUCCESS)
        fail(err, GS_E_IO, "cannot write '%s': libotf2 reports '%s'; %s", path,
             OTF2_Error_GetDescription(w->first_error), hint);
    else if (w->failed)
        fail(err, GS_E_IO, "cannot write '%s': libotf2 reports an error; %s", path, hint);
    return w->failed || w->first_error > OTF2_SUCCESS;
}
