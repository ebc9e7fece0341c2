/*
 * Fuzzing ranks as bytes: whatever another process sends, reading it stays within the bytes, takes
 * no more memory than they can fill, and what is taken is written again as the same bytes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "job/spread.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct job_rank r, again;
    struct pack p;
    struct str out, same;
    arena_init(&a);
    pack_read(&p, data, size, &a);
    rank_pack(&p, &r);
    if (pack_done(&p)) {
        str_init(&out, &a);
        pack_write(&p, &out);
        rank_pack(&p, &r);
        pack_read(&p, out.buf, out.len, &a);
        rank_pack(&p, &again);
        str_init(&same, &a);
        struct pack second;
        pack_write(&second, &same);
        rank_pack(&second, &again);
        if (!pack_done(&p) || same.len != out.len || memcmp(same.buf, out.buf, out.len) != 0)
            abort();
    }
    arena_release(&a);
    return 0;
}
