/* MPI for the courier, of whichever implementation this is compiled against: see module.h. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

#include "team/module.h"

static MPI_Comm all; /* ours alone, so that no error handler or message of others is touched */
static MPI_Request sending;
static bool busy;

static const char *reason(int code)
{
    static char text[MPI_MAX_ERROR_STRING + 1];
    int n = 0;
    if (code == MPI_SUCCESS)
        return NULL;
    if (MPI_Error_string(code, text, &n) != MPI_SUCCESS)
        return "unknown error";
    for (int i = 0; i < n; i++) /* one line */
        text[i] = text[i] == '\n' ? ' ' : text[i];
    return text;
}

static const char *start(int *rank, int *size, int *local)
{
    MPI_Comm here;
    int code = MPI_Init(NULL, NULL);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_dup(MPI_COMM_WORLD, &all);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_rank(all, rank);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_size(all, size);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_size(here, local);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_free(&here);
    return reason(code);
}

static const char *send_piece(int to, const void *bytes, size_t n)
{
    int code = MPI_Isend(bytes, (int)n, MPI_BYTE, to, 0, all, &sending);
    busy = code == MPI_SUCCESS;
    return reason(code);
}

static const char *send_done(int *done)
{
    *done = 1;
    if (!busy)
        return NULL;
    int code = MPI_Test(&sending, done, MPI_STATUS_IGNORE);
    busy = code == MPI_SUCCESS && !*done;
    return reason(code);
}

static const char *receive(int *from, void *bytes, long *n)
{
    MPI_Status status;
    int there = 0, count = 0;
    *n = -1;
    int code = MPI_Iprobe(MPI_ANY_SOURCE, 0, all, &there, &status);
    if (code != MPI_SUCCESS || !there)
        return reason(code);
    code = MPI_Get_count(&status, MPI_BYTE, &count);
    if (code == MPI_SUCCESS && count > TEAM_PIECE + 64)
        return "a message that is none of ours";
    if (code == MPI_SUCCESS)
        code = MPI_Recv(bytes, count, MPI_BYTE, status.MPI_SOURCE, 0, all, MPI_STATUS_IGNORE);
    *from = status.MPI_SOURCE;
    *n = count;
    return reason(code);
}

static const char *finish(void)
{
    return reason(MPI_Finalize());
}

static void end(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
}

static const struct team_module module = {
    .version = TEAM_MODULE_VERSION,
    .name = MPI_MODULE_NAME,
    .start = start,
    .send = send_piece,
    .done = send_done,
    .receive = receive,
    .finish = finish,
    .abort = end,
};

team_module_fn gpusight_team_module;

__attribute__((visibility("default"))) const struct team_module *gpusight_team_module(void)
{
    return &module;
}
