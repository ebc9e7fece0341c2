#include "att/isa.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static const struct {
    const char *prefix;
    enum att_unit unit;
} units[] = {
#define UNIT_OF(prefix, unit) {prefix, UNIT_##unit},
#include "att/units.def"
#undef UNIT_OF
};

enum att_unit isa_unit(const char *text)
{
    text += strspn(text, " \t");
    for (size_t i = 0; i < ARRAY_LEN(units); i++)
        if (str_starts(text, units[i].prefix))
            return units[i].unit;
    return UNIT_OTHER;
}

const char *isa_operand(const char *text)
{
    text += strspn(text, " \t");
    text += strcspn(text, " \t");
    return text + strspn(text, " \t");
}

/* ---- waits ---- */

/* The N of "vmcnt(N)"; false: not there. A longer word that ends in it is another counter. */
static bool in_brackets(const char *text, const char *word, uint32_t *n)
{
    size_t length = strlen(word);
    for (const char *p = text; (p = strstr(p, word)); p += length) {
        if ((p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '_')) || p[length] != '(' ||
            !isdigit((unsigned char)p[length + 1]))
            continue;
        unsigned long v = strtoul(p + length + 1, NULL, 0);
        *n = v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
        return true;
    }
    return false;
}

static bool ask(struct isa_wait *w, enum isa_counter c, uint32_t most)
{
    w->most[c] = most;
    return w->any = true;
}

/* A bare s_waitcnt: three counters in 16 bits, all ones of a counter ask nothing. */
static void from_bits(struct isa_wait *w, uint32_t bits, int gfx)
{
    uint32_t vm, lgkm, exp, vm_all = 63, lgkm_all = 63;
    if (gfx >= 11) {
        exp = bits & 7, lgkm = bits >> 4 & 63, vm = bits >> 10 & 63;
    } else {
        vm = (bits & 15) | (bits >> 14 & 3) << 4, exp = bits >> 4 & 7;
        lgkm_all = gfx >= 10 ? 63 : 15;
        lgkm = bits >> 8 & lgkm_all;
    }
    if (vm != vm_all)
        ask(w, CNT_VM, vm);
    if (lgkm != lgkm_all)
        ask(w, CNT_LGKM, lgkm);
    if (exp != 7)
        ask(w, CNT_EXP, exp);
}

static bool last_number(const char *text, uint32_t *n)
{
    const char *comma = strrchr(text, ',');
    const char *p = comma ? comma + 1 : isa_operand(text);
    p += strspn(p, " \t");
    if (!isdigit((unsigned char)*p))
        return false;
    unsigned long v = strtoul(p, NULL, 0);
    *n = v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
    return true;
}

/* s_wait_loadcnt 0x3, s_waitcnt_vscnt null, 0x0: one mnemonic a counter. */
static bool own_mnemonic(struct isa_wait *w, const char *text)
{
    static const struct {
        const char *name;
        enum isa_counter counter;
    } single[] = {
        {"s_waitcnt_vscnt", CNT_VS},      {"s_waitcnt_vmcnt", CNT_VM},
        {"s_waitcnt_lgkmcnt", CNT_LGKM},  {"s_waitcnt_expcnt", CNT_EXP},
        {"s_wait_loadcnt", CNT_LOAD},     {"s_wait_storecnt", CNT_STORE},
        {"s_wait_samplecnt", CNT_SAMPLE}, {"s_wait_bvhcnt", CNT_BVH},
        {"s_wait_dscnt", CNT_DS},         {"s_wait_kmcnt", CNT_KM},
        {"s_wait_expcnt", CNT_EXP},
    };
    size_t n = strcspn(text, " \t");
    uint32_t v = 0;
    for (size_t i = 0; i < ARRAY_LEN(single); i++)
        if (n == strlen(single[i].name) && !strncmp(text, single[i].name, n))
            return last_number(text, &v) && ask(w, single[i].counter, v);
    bool load = str_starts(text, "s_wait_loadcnt_dscnt");
    if ((!load && !str_starts(text, "s_wait_storecnt_dscnt")) || !last_number(text, &v))
        return false;
    ask(w, load ? CNT_LOAD : CNT_STORE, v >> 8 & 63);
    return ask(w, CNT_DS, v & 63);
}

void isa_wait(struct isa_wait *w, const char *text, int gfx)
{
    static const struct {
        const char *word;
        enum isa_counter counter;
    } words[] = {{"vmcnt", CNT_VM}, {"lgkmcnt", CNT_LGKM}, {"expcnt", CNT_EXP}, {"vscnt", CNT_VS}};
    uint32_t n;
    w->any = false;
    for (int c = 0; c < CNT_COUNT; c++)
        w->most[c] = UINT32_MAX;
    text += strspn(text, " \t");
    if (own_mnemonic(w, text) || strcspn(text, " \t") != strlen("s_waitcnt"))
        return;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (in_brackets(text, words[i].word, &n))
            ask(w, words[i].counter, n);
    if (!w->any && !strchr(text, '(') && last_number(text, &n))
        from_bits(w, n, gfx);
}

static bool is_store(const char *text)
{
    if (strstr(text, "_store"))
        return true;
    return strstr(text, "_atomic") && !strstr(text, " glc") && !strstr(text, " sc0") &&
           !strstr(text, "ATOMIC_RETURN");
}

bool isa_counts(const char *text, enum att_unit unit, enum isa_counter c, bool split)
{
    bool vmem = unit == UNIT_VMEM, flat = vmem && str_starts(text, "flat_");
    bool bvh = vmem && strstr(text, "_bvh");
    bool sample = vmem && (strstr(text, "image_sample") || strstr(text, "image_gather") ||
                           strstr(text, "image_msaa"));
    switch (c) {
    case CNT_VM:
        return vmem && !(split && is_store(text));
    case CNT_VS:
    case CNT_STORE:
        return vmem && is_store(text);
    case CNT_LGKM:
        return unit == UNIT_LDS || unit == UNIT_SMEM || unit == UNIT_MESSAGE || flat;
    case CNT_EXP:
        return unit == UNIT_EXPORT;
    case CNT_LOAD:
        return vmem && !is_store(text) && !bvh && !sample;
    case CNT_SAMPLE:
        return sample;
    case CNT_BVH:
        return bvh;
    case CNT_DS:
        return unit == UNIT_LDS || flat;
    case CNT_KM:
        return unit == UNIT_SMEM || unit == UNIT_MESSAGE;
    default:
        return false;
    }
}

/* ---- branches ---- */

bool isa_target(const char *text, uint64_t address, uint64_t *target)
{
    const char *p = isa_operand(text);
    const char *comma = strrchr(p, ','); /* s_call_b64 s[0:1], 12 */
    char *end;
    if (comma)
        p = comma + 1 + strspn(comma + 1, " \t");
    if (!isdigit((unsigned char)*p) && !(*p == '-' && isdigit((unsigned char)p[1])))
        return false;
    bool hex = p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
    long long v = strtoll(p, &end, 0);
    if (isalnum((unsigned char)*end) || *end == '_')
        return false;
    if (hex && v > 0xffff) { /* too large for a distance: an address */
        *target = (uint64_t)v;
        return true;
    }
    if (v < -32768 || v > 0xffff)
        return false;
    int64_t words = v > 32767 ? v - 65536 : v;
    *target = address + 4 + (uint64_t)(words * 4);
    return true;
}

bool isa_falls_through(const char *text, enum att_unit unit)
{
    text += strspn(text, " \t");
    if (unit == UNIT_END)
        return false;
    return unit != UNIT_BRANCH || str_starts(text, "s_cbranch") || str_starts(text, "s_call") ||
           str_starts(text, "s_swappc") || str_starts(text, "s_subvector");
}

/* ---- registers ---- */

static bool one_range(const char *p, struct isa_registers *r)
{
    char *end;
    p += strspn(p, " \t-|");
    if ((p[0] != 'v' && p[0] != 'a') || (p[1] != '[' && !isdigit((unsigned char)p[1])))
        return false;
    r->file = p[0];
    if (p[1] != '[') {
        unsigned long v = strtoul(p + 1, &end, 10);
        r->first = r->last = v < 4096 ? (uint32_t)v : 4096;
        return true;
    }
    unsigned long first = strtoul(p + 2, &end, 10), last = first;
    if (*end == ':')
        last = strtoul(end + 1, &end, 10);
    if (*end != ']' || last < first || last >= 4096)
        return false;
    r->first = (uint32_t)first;
    r->last = (uint32_t)last;
    return true;
}

int isa_registers(const char *text, struct isa_registers *out)
{
    int n = 0;
    for (const char *p = isa_operand(text); *p && n < ISA_OPERANDS;) {
        if (one_range(p, &out[n]))
            n++;
        p += strcspn(p, ",");
        p += *p == ',';
    }
    return n;
}
