/*
 * How a server of PostgreSQL is reached: by libpq, which is loaded where it is installed, or by the
 * protocol itself, where it is not, or nothing can be loaded (a static program). clients.def lists
 * them; the variable GPUSIGHT_POSTGRESQL chooses one by its name.
 */
#ifndef GS_FLEET_CLIENT_H
#define GS_FLEET_CLIENT_H

#include "config.h"
#include "fleet/store.h"

struct client {
    const char *name;
    bool (*ready)(void); /* whether it can be used here */
    /* Sets f->backend and f->db. What it opens goes with f->arena. */
    bool (*open)(struct fleet *f, const char *address, struct gs_error *err);
};

#define CLIENT(name) extern const struct client client_##name;
#include "fleet/clients.def"
#undef CLIENT

enum { CLIENT_MOST_VALUES = 64, CLIENT_NUMBER = 32, CLIENT_MOST_SENT = 512 << 20 };

/* Parameters as texts, NULL for NULL; those of numbers are in `numbers`. Fails where they are too many. */
bool client_texts(const char *texts[CLIENT_MOST_VALUES],
                  char numbers[CLIENT_MOST_VALUES][CLIENT_NUMBER], const struct fleet_value *v,
                  size_t n, struct gs_error *err);

/* One line of what a server says, without the password (NULL: there is none). */
const char *client_cleaned(const char *text, const char *password, struct arena *a);

/* The first n characters are the number of a port. */
bool client_is_port(const char *text, size_t n);

/* Of an address that cannot be understood. It is not shown: whatever it is, it may hold a password. */
bool client_no_address(struct gs_error *err);

#endif
