/*
 * Protobuf, as bytes: fields of a message one after the other. Nothing is trusted: a length that
 * does not fit, a number that does not end, a kind that does not exist end the message.
 *
 *     struct wire w = {p, p + n, true};
 *     for (struct field f; wire_next(&w, &f);)
 *         if (f.number == 8) ts = f.value;
 *     if (!w.ok) it is damaged
 */
#ifndef GS_INGEST_WIRE_H
#define GS_INGEST_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct wire {
    const uint8_t *p, *end;
    bool ok;
};

struct field {
    uint32_t number;
    uint8_t kind;   /* 0 number, 1 eight bytes, 2 bytes, 5 four bytes */
    uint64_t value; /* of kinds 0, 1 and 5; of 2 the length */
    const uint8_t *bytes;
};

static inline bool wire_varint(struct wire *w, uint64_t *out)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64 && w->p < w->end; shift += 7) {
        uint8_t b = *w->p++;
        v |= (uint64_t)(b & 0x7f) << shift;
        if (b < 0x80) {
            *out = v;
            return true;
        }
    }
    return w->ok = false;
}

static inline bool wire_next(struct wire *w, struct field *f)
{
    uint64_t tag;
    if (!w->ok || w->p >= w->end || !wire_varint(w, &tag))
        return false;
    f->number = (uint32_t)(tag >> 3);
    f->kind = tag & 7;
    f->bytes = NULL;
    if (!f->number || tag >> 35)
        return w->ok = false;
    if (f->kind == 0)
        return wire_varint(w, &f->value);
    size_t n = f->kind == 1 ? 8 : f->kind == 5 ? 4 : 0;
    if (f->kind == 2) {
        if (!wire_varint(w, &f->value) || f->value > (uint64_t)(w->end - w->p))
            return w->ok = false;
        f->bytes = w->p;
        w->p += f->value;
        return true;
    }
    if (!n || (size_t)(w->end - w->p) < n)
        return w->ok = false;
    f->value = 0;
    memcpy(&f->value, w->p, n);
    w->p += n;
    return true;
}

/* What is inside a field of bytes; of any other, nothing that is well. */
static inline struct wire wire_in(const struct field *f)
{
    if (f->kind != 2)
        return (struct wire){NULL, NULL, false};
    return (struct wire){f->bytes, f->bytes + f->value, true};
}

static inline double wire_double(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, 8);
    return v;
}

#endif
