/*
 * Fuzzing the MCP server: any bytes as its input. It must come to their end, and everything that it
 * writes must be lines of JSON.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/jread.h"
#include "mcp/mcp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_lines(FILE *out, struct arena *arena)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    rewind(out);
    while ((n = getline(&line, &room, out)) > 0) {
        struct jread *j = arena_new(arena, struct jread);
        jr_memory(j, line, (size_t)n);
        jr_skip(j);
        if (line[n - 1] != '\n' || !jr_end(j, NULL))
            abort();
        jr_release(j);
    }
    free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct guide guide = {.text = "# guide\n", .path = "", .version = ""};
    FILE *in = tmpfile(), *out = tmpfile();
    struct gs_error err = {0};
    struct arena arena;
    if (!in || !out)
        abort();
    fwrite(data, 1, size, in);
    fflush(in);
    lseek(fileno(in), 0, SEEK_SET);
    arena_init(&arena);
    struct mcp_opts o = {
        .in = fileno(in), .out = fileno(out), .threads = 1, .page = 1 + size % 7, .guide = &guide};
    if (!mcp_serve(&o, &arena, &err))
        abort();
    check_lines(out, &arena);
    arena_release(&arena);
    fclose(in);
    fclose(out);
    return 0;
}
