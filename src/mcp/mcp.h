/*
 * The Model Context Protocol over two descriptors: the tools (tool/tool.h), documents as resources,
 * and prompts, for programs that let a model work with traces. docs/mcp.md describes it for users.
 *
 * JSON-RPC 2.0, one message a line. The thread that calls mcp_serve() reads; one other runs the
 * tools, in order, so that a call can be cancelled, its progress told and a ping answered while it
 * loads. Whatever comes in gets an answer or is left unanswered as the protocol says; nothing of it
 * ends the server but the end of the input. Only messages are written.
 */
#ifndef GS_MCP_MCP_H
#define GS_MCP_MCP_H

#include "base/opt.h"
#include "guide/guide.h"

struct mcp_opts {
    int in, out;           /* descriptors */
    struct opt_list roots; /* folders that traces are read from */
    int threads;
    const char *cache;         /* folder of loaded traces (cache/cache.h); NULL: none */
    size_t page;               /* items of a page of a listing */
    const struct guide *guide; /* shown as a resource */
};

/* Returns when the input has ended; false when it cannot be read or the output not be written. */
bool mcp_serve(const struct mcp_opts *o, struct arena *arena, struct gs_error *err);

#endif
