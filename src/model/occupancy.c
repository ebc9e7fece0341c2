#include "model/occupancy.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"

enum { VALUE_MAX = 1 << 30 };

static int64_t align_up(int64_t v, int64_t unit)
{
    return unit > 1 ? (v + unit - 1) / unit * unit : v;
}

static int least(int64_t a, int64_t b)
{
    return (int)(a < b ? a : b);
}

/* What a group sees, per unit. */
struct unit {
    const struct hardware *hw;
    int wave_size, simds, waves_per_simd;
    int cus;
    int64_t registers, register_granule; /* per lane and SIMD */
};

static struct unit unit_of(const struct occupancy_in *in)
{
    const struct hardware *hw = in->hw;
    struct unit u = {.hw = hw, .wave_size = hw->wave_size, .waves_per_simd = hw->waves_per_simd};
    u.cus = in->cu_mode ? 1 : hw->cus_per_wgp;
    u.simds = hw->simds_per_cu * u.cus;
    u.registers = hw->registers_per_lane;
    u.register_granule = hw->register_granule;
    if (in->wave_size == 2 * hw->wave_size && hw->cus_per_wgp > 1) { /* RDNA: two lanes a lane */
        u.wave_size = in->wave_size;
        u.registers /= 2;
        u.register_granule /= 2;
    }
    return u;
}

/* Registers per lane that a wave is given; on gfx90a and later accumulators start at a multiple
 * of 4. */
static int64_t registers_used(const struct unit *u, const struct occupancy_in *in)
{
    int64_t n = in->registers;
    if (u->hw->register_files == REGISTERS_SEPARATE && in->accum_registers > n)
        n = in->accum_registers;
    if (u->hw->register_files == REGISTERS_SHARED && in->accum_registers)
        n = align_up(n, 4) + in->accum_registers;
    return align_up(n, u->register_granule);
}

static int waves_by_registers(const struct unit *u, const struct occupancy_in *in)
{
    int64_t n = registers_used(u, in);
    return n ? least(u->waves_per_simd, u->registers / n) : u->waves_per_simd;
}

/* LLVM's steps (80: 10 waves, 88: 9, 100: 8, else 7) are the plain quotient; 102 is the most. */
static int waves_by_sgprs(const struct unit *u, const struct occupancy_in *in)
{
    if (!u->hw->sgprs_per_simd || in->sgprs <= 0)
        return u->waves_per_simd;
    int64_t waves = u->hw->sgprs_per_simd / in->sgprs;
    return least(u->waves_per_simd, waves < 7 ? 7 : waves);
}

static int64_t lds_per_group(const struct unit *u, const struct occupancy_in *in)
{
    return align_up(in->lds_bytes + u->hw->lds_reserved_bytes, u->hw->lds_granule_bytes);
}

/* Groups per unit; more than any unit holds when LDS sets no limit. */
static int64_t groups_by_lds(const struct unit *u, const struct occupancy_in *in)
{
    int64_t need = lds_per_group(u, in);
    if (in->lds_bytes > u->hw->lds_group_bytes)
        return 0;
    return need ? (int64_t)u->hw->lds_bytes * u->cus / need : VALUE_MAX;
}

static int64_t groups_by_slots(const struct unit *u, int waves_per_group)
{
    if (u->hw->groups_of_one_free && waves_per_group == 1)
        return VALUE_MAX;
    return (int64_t)u->hw->groups_max * u->cus;
}

/* Sets the groups and what limits them: the first resource that allows the fewest. */
static void settle(struct occupancy *o, int64_t lds_groups, int64_t slot_groups)
{
    int per = o->waves_per_group;
    const struct {
        enum occupancy_limit limit;
        int64_t groups;
    } by[] = {
        {LIMIT_GROUP_SIZE, o->max_waves / per}, {LIMIT_REGISTERS, o->by_registers / per},
        {LIMIT_SGPRS, o->by_sgprs / per},       {LIMIT_LDS, lds_groups},
        {LIMIT_GROUP_SLOTS, slot_groups},
    };
    int64_t fewest = INT64_MAX;
    for (size_t i = 0; i < ARRAY_LEN(by); i++) {
        if (by[i].groups < fewest) {
            fewest = by[i].groups;
            o->limit = by[i].limit;
        }
    }
    o->groups = (int)fewest;
    o->waves = o->groups * per;
    o->percent = 100.0 * o->waves / o->max_waves;
    if (o->waves == o->max_waves)
        o->limit = LIMIT_NONE;
}

struct line {
    char *at;
    size_t room;
};

__attribute__((format(printf, 2, 3))) static void say(struct line *l, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(l->at, l->room, fmt, ap);
    va_end(ap);
    size_t used = n < 0 ? 0 : (size_t)n < l->room ? (size_t)n : l->room - 1;
    l->at += used;
    l->room -= used;
}

/* The wave slots of one SIMD that a register count leaves; on NVIDIA per SM, as its tools say. */
static void say_registers(struct line *l, const struct unit *u, int64_t n, const char *what,
                          int waves)
{
    if (u->hw->vendor == VENDOR_NVIDIA)
        say(l, "%lld %s → %d warps/SM of %d", (long long)n, what, waves * u->simds,
            u->waves_per_simd * u->simds);
    else
        say(l, "%lld %s → %d waves/SIMD of %d", (long long)n, what, waves, u->waves_per_simd);
}

static void explain(struct occupancy *o, const struct unit *u, const struct occupancy_in *in)
{
    struct line l = {o->arithmetic, sizeof(o->arithmetic)};
    bool nv = u->hw->vendor == VENDOR_NVIDIA;
    const char *wave = nv ? "warps" : "waves", *group = nv ? "blocks" : "work-groups";
    switch (o->limit) {
    case LIMIT_REGISTERS:
        say_registers(&l, u, nv ? in->registers : registers_used(u, in), nv ? "registers" : "VGPRs",
                      waves_by_registers(u, in));
        break;
    case LIMIT_SGPRS:
        say_registers(&l, u, in->sgprs, "SGPRs", waves_by_sgprs(u, in));
        break;
    case LIMIT_LDS:
        say(&l, "%.4g KiB %s → %d %.*s/%s of %.4g KiB", (double)lds_per_group(u, in) / 1024,
            nv ? "shared memory" : "LDS", o->groups, (int)strlen(group) - (o->groups == 1), group,
            o->unit, (double)u->hw->lds_bytes * u->cus / 1024);
        break;
    case LIMIT_GROUP_SLOTS:
        say(&l, "%d slots/%s for %s of %d %s", o->groups, o->unit, group, o->waves_per_group, wave);
        break;
    default:
        say(&l, "%s of %d %s", group, o->waves_per_group, wave);
        break;
    }
    int odd = o->limit == LIMIT_REGISTERS ? o->by_registers % o->waves_per_group : 0;
    if (o->limit != LIMIT_REGISTERS || odd || o->groups == 0)
        say(&l, "; %d × %d = %d %s/%s of %d", o->groups, o->waves_per_group, o->waves, wave,
            o->unit, o->max_waves);
    if (in->scratch_bytes > 0)
        say(&l, "; %lld B scratch per thread", (long long)in->scratch_bytes);
}

static bool in_range(int64_t v)
{
    return v >= 0 && v <= VALUE_MAX;
}

bool occupancy_of(struct occupancy *out, const struct occupancy_in *in)
{
    memset(out, 0, sizeof(*out));
    if (!in->hw || in->group_threads <= 0 || in->group_threads > in->hw->group_threads_max ||
        !in_range(in->registers) || !in_range(in->accum_registers) || !in_range(in->sgprs) ||
        !in_range(in->lds_bytes))
        return false;
    struct unit u = unit_of(in);
    out->unit = in->hw->vendor == VENDOR_NVIDIA ? "SM" : u.cus > 1 ? "WGP" : "CU";
    out->cus_per_unit = u.cus;
    out->waves_per_group = (int)((in->group_threads + u.wave_size - 1) / u.wave_size);
    out->max_waves = u.waves_per_simd * u.simds;
    out->by_registers = waves_by_registers(&u, in) * u.simds;
    out->by_sgprs = waves_by_sgprs(&u, in) * u.simds;
    int64_t lds = groups_by_lds(&u, in), slots = groups_by_slots(&u, out->waves_per_group);
    out->by_lds = least(out->max_waves, lds * out->waves_per_group);
    out->by_group_slots = least(out->max_waves, slots * out->waves_per_group);
    settle(out, lds, slots);
    explain(out, &u, in);
    return true;
}

const char *occupancy_limit_label(enum occupancy_limit limit)
{
    static const char *const labels[LIMIT_COUNT] = {
        "none",       "registers",   "scalar registers", "LDS or shared memory",
        "group size", "group slots",
    };
    return (unsigned)limit < LIMIT_COUNT ? labels[limit] : labels[LIMIT_NONE];
}

bool tail_of(struct tail *out, const struct occupancy *o, int cu_count, uint64_t groups)
{
    memset(out, 0, sizeof(*out));
    int cus = o->cus_per_unit > 0 ? o->cus_per_unit : 1;
    uint64_t units = cu_count > 0 ? (uint64_t)cu_count / (unsigned)cus : 0;
    uint64_t resident = o->groups > 0 ? units * (uint64_t)o->groups : 0;
    if (!resident || !groups)
        return false;
    out->groups = groups;
    out->resident = resident;
    out->rounds = groups / resident + (groups % resident != 0);
    uint64_t last = groups - (out->rounds - 1) * resident;
    out->last_round_pct = 100.0 * (double)last / (double)resident;
    out->efficiency_pct = 100.0 * (double)groups / ((double)out->rounds * (double)resident);
    return true;
}
