#include <string.h>

#include "llm/target.h"

static bool is_loopback(const char *host)
{
    return str_eq(host, "localhost") || str_ends(host, ".localhost") || str_starts(host, "127.") ||
           str_eq(host, "[::1]");
}

bool llm_url_parse(struct llm_url *u, const char *url, struct gs_error *err)
{
    *u = (struct llm_url){.tls = str_starts(url, "https://")};
    if (!u->tls && !str_starts(url, "http://"))
        return fail(err, GS_E_USAGE, "'%.200s' is no address of a server; write https://host/path",
                    url);
    const char *host = url + (u->tls ? 8 : 7);
    size_t n = strcspn(host, "/?#");
    for (const char *p = url; *p; p++)
        if ((unsigned char)*p <= ' ' || (unsigned char)*p > '~')
            return fail(err, GS_E_USAGE, "the address holds a character that must be escaped");
    if (memchr(host, '@', n)) /* the address is shown in messages, a password must not be */
        return fail(err, GS_E_USAGE,
                    "the address holds a user or password; use '--llm-key-file' instead");
    size_t name = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/?#");
    name = name < n ? name : n;
    if (!name || name >= sizeof(u->host))
        return fail(err, GS_E_USAGE, "'%.200s' names no host", url);
    memcpy(u->host, host, name);
    u->loopback = is_loopback(u->host);
    return true;
}
