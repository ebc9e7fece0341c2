/* Tier 3: thread traces that are written here, so that every number and cause in them is known. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "att/att_in.h"
#include "att/isa.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/sat.h"
#include "base/str.h"

static char root[] = "/tmp/gpusight-att-XXXXXX";
static unsigned folders;

/* A new empty folder. */
static const char *folder(struct arena *a)
{
    const char *path = arena_printf(a, "%s/%u", root, folders++);
    assert_int_equal(mkdir(path, 0700), 0);
    return path;
}

static void put(struct arena *a, const char *dir, const char *name, const char *text)
{
    struct gs_error err;
    assert_true(fs_write(arena_printf(a, "%s/%s", dir, name), text, strlen(text), &err));
}

#define HEADER                                                                                     \
    "\"CodeObj\",\"Vaddr\",\"Instruction\",\"Hitcount\",\"Latency\",\"Stall\",\"Idle\","           \
    "\"Source\"\n"

/*
 * Code as "HITS STALL IDLE TEXT", one instruction a line, each 4 bytes and 4 cycles a hit and its
 * stall; "; name" begins a kernel.
 */
static const char *stats_of(struct arena *a, const char *code)
{
    struct str s;
    unsigned address = 0x1000;
    str_init(&s, a);
    str_puts(&s, HEADER);
    while (*code) {
        unsigned hits = 0, stall = 0, idle = 0;
        int at = 0;
        size_t n = strcspn(code, "\n");
        const char *line = arena_strndup(a, code, n);
        if (line[0] == ';') {
            str_printf(&s, "2,%u,\"%s\",0,0,0,0,\"\"\n", address, line);
        } else {
            assert_int_equal(sscanf(line, "%u %u %u %n", &hits, &stall, &idle, &at), 3);
            str_printf(&s, "2,%u,\"%s\",%u,%u,%u,%u,\"\"\n", address, line + at, hits,
                       4 * hits + stall, stall, idle);
            address += line[strlen(line) - 1] == ':' ? 0 : 4;
        }
        code += n + (code[n] == '\n');
    }
    return s.buf;
}

/* Reads one made stats file. */
static struct att *read_code(const char *code)
{
    static struct att t;
    struct arena a;
    struct gs_error err;
    arena_init(&a);
    att_init(&t);
    const char *dir = folder(&a);
    put(&a, dir, "stats_ui_output_agent_1_dispatch_7.csv", stats_of(&a, code));
    assert_true(att_read(&t, dir, ATT_EXPLICIT, &err));
    arena_release(&a);
    return &t;
}

static const struct att_instruction *at(const struct att *t, uint64_t address)
{
    const struct att_kernel *k = &t->kernels.v[0];
    for (size_t i = 0; i < k->instructions.n; i++)
        if (k->instructions.v[i].address == address &&
            k->instructions.v[i].text[strlen(k->instructions.v[i].text) - 1] != ':')
            return &k->instructions.v[i];
    assert_true(false);
    return NULL;
}

static void check_fed(const char *code, uint64_t address, const char *feeders, const char *class)
{
    struct att *t = read_code(code);
    const struct att_instruction *in = at(t, address);
    assert_string_equal(in->feeders ? in->feeders : "none", feeders);
    assert_string_equal(in->stall_class, class);
    att_release(t);
}

/* ---- decoding ---- */

static void units_are_known_by_mnemonic(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum att_unit unit;
    } all[] = {
        {"v_mfma_f32_32x32x8_bf16 a[0:15], v[0:1], v[2:3], a[0:15]", UNIT_MFMA},
        {"v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]", UNIT_MFMA},
        {"v_add_f32_e32 v0, v1, v2", UNIT_VALU},
        {"v_cmp_gt_i32_e32 vcc, 3, v2", UNIT_VALU},
        {"s_add_u32 s0, s1, s2", UNIT_SALU},
        {"s_load_dwordx4 s[0:3], s[4:5], 0x0", UNIT_SMEM},
        {"s_buffer_load_dword s0, s[4:7], 0x0", UNIT_SMEM},
        {"global_load_dword v0, v[2:3], off", UNIT_VMEM},
        {"buffer_store_dwordx4 v[0:3], v4, s[0:3], 0 offen", UNIT_VMEM},
        {"flat_load_dword v0, v[2:3]", UNIT_VMEM},
        {"image_sample v[0:3], v[4:5], s[0:7], s[8:11] dmask:0xf", UNIT_VMEM},
        {"ds_read_b128 v[0:3], v4", UNIT_LDS},
        {"ds_store_b32 v0, v1", UNIT_LDS},
        {"s_waitcnt vmcnt(0)", UNIT_WAIT},
        {"s_wait_loadcnt 0x0", UNIT_WAIT},
        {"s_waitcnt_vscnt null, 0x0", UNIT_WAIT},
        {"s_barrier", UNIT_BARRIER},
        {"s_barrier_wait 0xffff", UNIT_BARRIER},
        {"s_cbranch_scc0 65520", UNIT_BRANCH},
        {"s_setpc_b64 s[30:31]", UNIT_BRANCH},
        {"s_nop 1", UNIT_NOP},
        {"s_endpgm", UNIT_END},
        {"s_sendmsg sendmsg(MSG_INTERRUPT)", UNIT_MESSAGE},
        {"exp mrt0 v0, v1, v2, v3 done vm", UNIT_EXPORT},
        {"quux v0", UNIT_OTHER},
        {"", UNIT_OTHER},
    };
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        assert_int_equal(isa_unit(all[i].text), all[i].unit);
}

static uint32_t most(const char *text, enum isa_counter c, int gfx)
{
    struct isa_wait w;
    isa_wait(&w, text, gfx);
    return w.most[c];
}

static void waits_are_understood_in_every_form(void **state)
{
    (void)state;
    const uint32_t any = UINT32_MAX;
    assert_int_equal(most("s_waitcnt vmcnt(5)", CNT_VM, 9), 5);
    assert_int_equal(most("s_waitcnt vmcnt(5)", CNT_LGKM, 9), any);
    assert_int_equal(most("s_waitcnt vmcnt(3) lgkmcnt(1)", CNT_VM, 9), 3);
    assert_int_equal(most("s_waitcnt vmcnt(3) lgkmcnt(1)", CNT_LGKM, 9), 1);
    assert_int_equal(most("s_waitcnt vmcnt(0) & expcnt(2)", CNT_EXP, 9), 2);
    assert_int_equal(most("s_waitcnt_vscnt null, 0x3", CNT_VS, 11), 3);
    assert_int_equal(most("s_wait_loadcnt 0x4", CNT_LOAD, 12), 4);
    assert_int_equal(most("s_wait_storecnt_dscnt 0x201", CNT_STORE, 12), 2);
    assert_int_equal(most("s_wait_loadcnt_dscnt 0x301", CNT_LOAD, 12), 3);
    assert_int_equal(most("s_wait_loadcnt_dscnt 0x301", CNT_DS, 12), 1);
    assert_int_equal(most("s_wait_kmcnt 0x0", CNT_KM, 12), 0);
    /* 0xc07f: vmcnt 63 (all), expcnt 7 (all), lgkmcnt 0 on gfx9. */
    assert_int_equal(most("s_waitcnt 0xc07f", CNT_LGKM, 9), 0);
    assert_int_equal(most("s_waitcnt 0xc07f", CNT_VM, 9), any);
    /* 0x0f70: vmcnt 0, expcnt 7, lgkmcnt 15. */
    assert_int_equal(most("s_waitcnt 0x0f70", CNT_VM, 9), 0);
    assert_int_equal(most("s_waitcnt 0x0f70", CNT_LGKM, 9), any);
    /* gfx11: vmcnt 0, lgkmcnt 63, expcnt 7: 0x03f7. */
    assert_int_equal(most("s_waitcnt 0x3f7", CNT_VM, 11), 0);
    assert_int_equal(most("s_waitcnt 0x3f7", CNT_LGKM, 11), any);
    assert_int_equal(most("s_waitcnt_depctr 0xfff", CNT_VM, 11), any);
    assert_int_equal(most("s_waitcnt", CNT_VM, 9), any);
    assert_int_equal(most("s_waitcnt vmcnt(99999999999)", CNT_VM, 9), any);
}

static void branches_lead_where_the_disassembler_says(void **state)
{
    (void)state;
    uint64_t to;
    /* A distance in words, behind the branch: 18924 + 4 - 27 * 4. */
    assert_true(isa_target("s_branch 65509", 18924, &to));
    assert_int_equal(to, 18820);
    assert_true(isa_target("s_branch 6", 18816, &to));
    assert_int_equal(to, 18844);
    assert_true(isa_target("s_cbranch_scc1 -2", 100, &to));
    assert_int_equal(to, 96);
    assert_true(isa_target("s_branch 0x12345", 100, &to));
    assert_int_equal(to, 0x12345);
    assert_false(isa_target("s_branch BB0_1", 100, &to));
    assert_false(isa_target("s_setpc_b64 s[30:31]", 100, &to));
    assert_false(isa_target("s_branch 99999", 100, &to));
    assert_true(isa_falls_through("s_cbranch_scc0 4", UNIT_BRANCH));
    assert_false(isa_falls_through("s_branch 4", UNIT_BRANCH));
    assert_false(isa_falls_through("s_endpgm", UNIT_END));
}

static void registers_are_read_from_operands(void **state)
{
    (void)state;
    struct isa_registers r[ISA_OPERANDS];
    assert_int_equal(isa_registers("v_mfma_f32_4x4x4 a[0:3], v[4:5], v6, -|v7|", r), 4);
    assert_int_equal(r[0].file, 'a');
    assert_int_equal(r[0].last, 3);
    assert_int_equal(r[1].first, 4);
    assert_int_equal(r[2].first, 6);
    assert_int_equal(r[3].first, 7);
    assert_int_equal(isa_registers("v_cmp_le_u64_e32 vcc, s[8:9], v[2:3]", r), 1);
    assert_int_equal(isa_registers("v_x v[9:2], v[1:, v[99999:99999]", r), 0);
}

/* ---- causes ---- */

static void a_wait_names_the_loads_beyond_its_count(void **state)
{
    (void)state;
    const char *code = "; k\n"
                       "8 0 0 global_load_dword v0, v[8:9], off\n" /* 0x1000 */
                       "8 0 0 global_load_dword v1, v[8:9], off\n" /* 0x1004 */
                       "8 0 0 ds_read_b32 v5, v6\n"                /* 0x1008, another counter */
                       "8 0 0 global_load_dword v2, v[8:9], off\n" /* 0x100c */
                       "8 0 0 global_load_dword v3, v[8:9], off\n" /* 0x1010 */
                       "8 800 0 s_waitcnt vmcnt(2)\n"              /* 0x1014 */
                       "8 400 0 s_waitcnt vmcnt(0)\n"              /* 0x1018 */
                       "8 80 0 s_waitcnt lgkmcnt(0)\n"             /* 0x101c */
                       "8 0 0 s_endpgm";
    /* Of four loads two may stay: the second is the last that must be there, then the first. */
    check_fed(code, 0x1014, "0x1004 0x1000", "wait_vmem");
    /* What the first wait left outstanding, and no more. */
    check_fed(code, 0x1018, "0x1010 0x100c", "wait_vmem");
    check_fed(code, 0x101c, "0x1008", "wait_lds");
}

static void a_wait_in_a_loop_sees_the_iteration_before(void **state)
{
    (void)state;
    /*
     * One load for the next iteration, then a wait that leaves it outstanding: it waits for the
     * load of the iteration before, which is the same instruction, or for the one before the loop.
     */
    check_fed("; k\n"
              "4 0 0 global_load_dword v0, v[8:9], off\n"  /* 0x1000 */
              "40 0 0 global_load_dword v1, v[8:9], off\n" /* 0x1004, target */
              "40 900 0 s_waitcnt vmcnt(1)\n"              /* 0x1008 */
              "40 0 0 v_add_f32_e32 v2, v0, v2\n"          /* 0x100c */
              "40 0 0 s_cbranch_scc0 65532\n"              /* 0x1010: to 0x1014 - 16 = 0x1004 */
              "4 0 0 s_endpgm",
              0x1008, "0x1004 0x1000", "wait_vmem");
}

static void only_paths_that_ran_count(void **state)
{
    (void)state;
    check_fed("; k\n"
              "4 0 0 global_load_dword v0, v[8:9], off\n" /* 0x1000 */
              "4 0 0 s_cbranch_scc0 2\n"                  /* 0x1004: to 0x1010 */
              "0 0 0 global_load_dword v1, v[8:9], off\n" /* 0x1008: never */
              "0 0 0 s_nop 0\n"                           /* 0x100c */
              "4 400 0 s_waitcnt vmcnt(0)\n"              /* 0x1010 */
              "4 0 0 s_endpgm",
              0x1010, "0x1000", "wait_vmem");
}

static void labels_are_followed(void **state)
{
    (void)state;
    check_fed("; k\n"
              "4 0 0 ds_read_b32 v0, v1\n"           /* 0x1000 */
              "4 0 0 s_branch BB0_2\n"               /* 0x1004 */
              "0 0 0 BB0_1:\n"                       /* 0x1008 */
              "4 0 0 s_load_dword s0, s[2:3], 0x0\n" /* 0x1008, reached from nowhere */
              "4 0 0 s_branch BB0_3\n"               /* 0x100c */
              "0 0 0 BB0_2:\n"                       /* 0x1010 */
              "4 400 0 s_waitcnt lgkmcnt(0)\n"       /* 0x1010 */
              "0 0 0 BB0_3:\n"
              "4 0 0 s_endpgm",
              0x1010, "0x1000", "wait_lds");
}

static void kinds_of_memory_are_told_apart(void **state)
{
    (void)state;
    const char *mixed = "; k\n"
                        "4 0 0 ds_read_b32 v0, v1\n"
                        "4 0 0 s_load_dword s0, s[2:3], 0x0\n"
                        "4 400 0 s_waitcnt lgkmcnt(0)\n"
                        "4 0 0 s_endpgm";
    check_fed(mixed, 0x1008, "0x1004 0x1000", "wait_other");
    check_fed("; k\n4 0 0 s_load_dword s0, s[2:3], 0x0\n4 9 0 s_waitcnt lgkmcnt(0)\n4 0 0 s_endpgm",
              0x1004, "0x1000", "wait_smem");
    check_fed("; k\n4 9 0 s_waitcnt vmcnt(0)\n4 0 0 s_endpgm", 0x1000, "none", "wait_vmem");
    check_fed("; k\n4 9 0 s_waitcnt lgkmcnt(0)\n4 0 0 s_endpgm", 0x1000, "none", "wait_other");
    /* gfx12 has a counter each. */
    const char *gfx12 = "; k\n"
                        "4 0 0 global_load_b32 v0, v[8:9], off\n"
                        "4 0 0 global_store_b32 v[8:9], v1, off\n"
                        "4 0 0 ds_load_b32 v0, v1\n"
                        "4 0 0 s_load_b32 s0, s[2:3], 0x0\n"
                        "4 9 0 s_wait_loadcnt 0x0\n"
                        "4 9 0 s_wait_storecnt 0x0\n"
                        "4 9 0 s_wait_dscnt 0x0\n"
                        "4 9 0 s_wait_kmcnt 0x0\n"
                        "4 0 0 s_endpgm";
    check_fed(gfx12, 0x1010, "0x1000", "wait_vmem");
    check_fed(gfx12, 0x1014, "0x1004", "wait_vmem");
    check_fed(gfx12, 0x1018, "0x1008", "wait_lds");
    check_fed(gfx12, 0x101c, "0x100c", "wait_smem");
    /* Where stores have a counter, vmcnt is about loads only; on gfx9 it is about both. */
    check_fed("; k\n"
              "4 0 0 global_load_dword v0, v[8:9], off\n"
              "4 0 0 global_store_dword v[8:9], v1, off\n"
              "4 9 0 s_waitcnt vmcnt(0)\n"
              "4 9 0 s_waitcnt_vscnt null, 0x0\n"
              "4 0 0 s_endpgm",
              0x1008, "0x1000", "wait_vmem");
    check_fed("; k\n"
              "4 0 0 global_load_dword v0, v[8:9], off\n"
              "4 0 0 global_store_dword v[8:9], v1, off\n"
              "4 9 0 s_waitcnt vmcnt(0)\n"
              "4 0 0 s_endpgm",
              0x1008, "0x1004 0x1000", "wait_vmem");
}

static void matrix_results_that_are_read_early_are_named(void **state)
{
    (void)state;
    const char *code = "; k\n"
                       "4 0 0 v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]\n"
                       "4 100 0 v_mfma_f32_32x32x8_f16 a[16:31], v[4:5], v[6:7], a[16:31]\n"
                       "4 60 0 v_accvgpr_read_b32 v9, a15\n"
                       "4 60 0 v_add_f32_e32 v10, v11, v12\n"
                       "4 0 0 v_mov_b32_e32 v20, 0\n"
                       "4 0 0 s_endpgm";
    check_fed(code, 0x1004, "0x1000", "mfma");            /* the core is busy */
    check_fed(code, 0x1008, "0x1000", "mfma_dependency"); /* reads a15 */
    check_fed(code, 0x100c, "none", "valu");              /* reads nothing of it */
    check_fed(code, 0x1010, "none", "valu");
}

/* ---- sums ---- */

static const struct att_class_row *class_row(const struct att_kernel *k, const char *key)
{
    for (size_t i = 0; i < k->classes.n; i++)
        if (str_eq(att_class_keys[k->classes.v[i].class], key))
            return &k->classes.v[i];
    return NULL;
}

static void sums_are_only_added(void **state)
{
    (void)state;
    struct att *t = read_code("; k\n"
                              "10 0 500 s_mov_b32 s0, 0\n"
                              "10 600 0 s_barrier\n"
                              "10 0 20 v_mov_b32_e32 v0, 0\n"
                              "10 300 0 ds_write_b32 v0, v1\n"
                              "10 0 0 s_endpgm\n"
                              "0 0 0 s_nop 0");
    const struct att_kernel *k = &t->kernels.v[0];
    assert_string_equal(k->name, "k");
    assert_int_equal(k->waves, 10);
    assert_int_equal(k->hits, 50);
    assert_int_equal(k->latency, 5 * 40 + 900); /* 1100 */
    assert_true(k->stall == 900 && k->idle == 520 && k->wave_cycles == 1620);
    assert_true(fabs(k->stall_pct - 100.0 * 900 / 1100) < 1e-9);
    assert_true(fabs(k->idle_pct - 100.0 * 520 / 1620) < 1e-9);
    assert_true(k->cycles_per_wave == 162);
    assert_int_equal(k->instructions_listed, 6);
    assert_int_equal(k->instructions_executed, 5);
    assert_true(class_row(k, "barrier")->stall == 600);
    assert_true(class_row(k, "barrier")->time == 640);
    assert_true(class_row(k, "lds")->stall == 300);
    assert_true(class_row(k, "wave_start")->idle == 500);
    assert_true(class_row(k, "dependency")->idle == 20);
    double time = 0, stall = 0;
    for (size_t i = 0; i < k->classes.n; i++) {
        time += k->classes.v[i].time;
        stall += k->classes.v[i].stall;
    }
    assert_true(time == k->wave_cycles && stall == k->stall);
    assert_string_equal(k->top_class, "barrier");
    assert_int_equal(k->findings.v[0].class, ATT_BARRIER);
    assert_true(isnan(k->hidden_stall_pct)); /* nothing is decoded */
    assert_int_equal(k->hot.v[0], 1);
    att_release(t);
}

static void idle_time_before_a_new_line_is_instruction_fetch(void **state)
{
    (void)state;
    struct str s;
    struct arena a;
    arena_init(&a);
    str_init(&s, &a);
    str_puts(&s, "; k\n");
    for (int i = 0; i < 20; i++) /* 0x1040 begins a line: the 17th */
        str_printf(&s, "2 0 %d s_mov_b32 s0, 0\n", i == 16 ? 2000 : i == 18 ? 400 : 0);
    str_puts(&s, "2 0 0 s_endpgm");
    struct att *t = read_code(s.buf);
    assert_string_equal(at(t, 0x1040)->idle_class, "instruction_fetch");
    assert_string_equal(at(t, 0x1048)->idle_class, "dependency"); /* in the middle of a line */
    assert_null(at(t, 0x1044)->idle_class);
    assert_true(class_row(&t->kernels.v[0], "instruction_fetch")->time == 2000);
    att_release(t);
    arena_release(&a);
}

static void blocks_and_loops_are_found(void **state)
{
    (void)state;
    struct att *t = read_code("; k\n"
                              "2 0 0 s_mov_b32 s0, 0\n"         /* 0x1000  block 0 */
                              "20 0 0 s_mov_b32 s1, 0\n"        /* 0x1004  block 1, outer loop */
                              "100 700 0 s_add_i32 s1, s1, 1\n" /* 0x1008 block 2, inner loop */
                              "100 0 0 s_cbranch_scc0 65534\n"  /* 0x100c  to 0x1008 */
                              "20 0 0 s_add_i32 s0, s0, 1\n"    /* 0x1010  block 3 */
                              "20 0 0 s_cbranch_scc0 65531\n"   /* 0x1014  to 0x1004 */
                              "2 0 0 s_endpgm");                /* 0x1018  block 4 */
    const struct att_kernel *k = &t->kernels.v[0];
    static const uint32_t depth[] = {0, 1, 2, 1, 0};
    static const uint64_t hits[] = {2, 20, 100, 20, 2};
    assert_int_equal(k->blocks.n, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(k->blocks.v[i].loop_depth, depth[i]);
        assert_int_equal(k->blocks.v[i].hits, hits[i]);
    }
    assert_null(k->blocks.v[0].loop_header);
    assert_string_equal(k->blocks.v[2].loop_header, "0x1008");
    assert_string_equal(k->blocks.v[3].loop_header, "0x1004");
    assert_true(k->blocks.v[2].trips == 50);
    assert_int_equal(k->blocks.v[2].latency, 1500);
    assert_int_equal(k->blocks.v[2].hottest_address, 0x1008);
    assert_int_equal(k->instructions.v[4].block, 3);
    att_release(t);
}

static void dispatches_of_one_kernel_are_added(void **state)
{
    (void)state;
    struct arena a;
    struct att t;
    struct gs_error err;
    arena_init(&a);
    att_init(&t);
    const char *dir = folder(&a);
    const char *code = "; f\n4 40 0 s_barrier\n4 0 0 s_endpgm\n; g\n2 0 0 s_endpgm";
    put(&a, dir, "stats_ui_output_agent_1_dispatch_3.csv", stats_of(&a, code));
    put(&a, dir, "stats_ui_output_agent_1_dispatch_5.csv", stats_of(&a, code));
    put(&a, dir, "stats_ui_output_agent_1_dispatch_6.csv",
        stats_of(&a, "; f\n1 0 0 s_nop 0\n1 0 0 s_endpgm")); /* the same name, other code */
    assert_true(att_read(&t, dir, ATT_EXPLICIT, &err));
    assert_int_equal(t.dispatches.n, 3);
    assert_int_equal(t.dispatches.v[1].dispatch, 5);
    assert_int_equal(t.kernels.n, 3);
    assert_string_equal(t.kernels.v[0].name, "f");
    assert_int_equal(t.kernels.v[0].dispatches, 2);
    assert_int_equal(t.kernels.v[0].hits, 16);
    assert_true(t.kernels.v[0].stall == 80);
    assert_string_equal(t.kernels.v[1].name, "g");
    assert_int_equal(t.kernels.v[1].hits, 4);
    att_release(&t);
    arena_release(&a);
}

/* ---- decoded folders ---- */

static const char code_json[] =
    "{\"code\":[[\"; k\",0,0,\"\",2,4096,0,0,0,0],"
    "[\"s_load_dword s0, s[2:3], 0x0\",0,1,\"a.hip:3\",2,4096,2,8,0,0],"
    "[\"s_waitcnt lgkmcnt(0)\",0,2,\"a.hip:4\",2,4100,2,200,200,0],"
    "[\"s_endpgm\",0,3,\"a.hip:5\",2,4104,2,8,0,0]],"
    "\"header\":\"ISA, _, LineNumber, Source, Codeobj, Vaddr, Hit, Latency, Stall, Idle\"}";

/* A wave that loads at `start`, stalls 100 cycles in the wait and issues for `busy` behind. */
static const char *wave_json(struct arena *a, unsigned start, unsigned busy)
{
    return arena_printf(
        a,
        "{\"duration\":%u,\"wave\":{\"cu\":1,\"simd\":0,\"instructions\":[[%u,1,0,4,1],"
        "[%u,9,100,100,2],[%u,11,0,%u,3]],\"timeline\":[[2,4],[3,100],[2,%u]],"
        "\"waitcnt\":[[2,[[1,0]]]]}}",
        104 + busy, start, start + 4, start + 104, busy, busy);
}

static const char *ui_folder(struct arena *a, const char *dir)
{
    const char *ui = arena_printf(a, "%s/ui_output_agent_1_dispatch_7", dir);
    assert_int_equal(mkdir(ui, 0700), 0);
    put(a, ui, "code.json", code_json);
    put(a, ui, "filenames.json",
        "{\"gfxip\":9,\"gfxv\":\"vega\",\"wave_filenames\":{\"0\":{\"0\":{\"0\":{\"0\":[\"a\",0,1]}"
        ","
        "\"1\":{\"0\":[\"b\",0,1]}}}}}");
    put(a, ui, "occupancy.json",
        "{\"0\":[[1000,1,0,0,1,1],[1500,1,0,1,1,1],[2000,1,0,0,0,1],[2000,1,0,1,0,1]],"
        "\"dispatches\":{\"1\":\"k\"},\"version\":\"3.0.0\"}");
    put(a, ui, "realtime.json",
        "{\"SE0\":[[1000,500],[3000,600]],\"metadata\":{\"frequency\":100000000}}");
    /*
     * The first wave stalls from 1004 to 1104. The second one issues 1030..1034 (its load) and,
     * after its own stall, 1134..1154; so 4 of the 100 cycles of the first are hidden. The second
     * stalls 1034..1134, while the first issues 1104..1144: 30 cycles hidden.
     */
    put(a, ui, "se0_sm0_sl0_wv0.json", wave_json(a, 1000, 40));
    put(a, ui, "se0_sm0_sl1_wv0.json", wave_json(a, 1030, 20));
    return ui;
}

static void decoded_waves_say_what_was_hidden(void **state)
{
    (void)state;
    struct arena a;
    struct att t;
    struct gs_error err;
    arena_init(&a);
    att_init(&t);
    const char *dir = folder(&a);
    ui_folder(&a, dir);
    assert_true(att_read(&t, dir, ATT_EXPLICIT, &err));
    assert_int_equal(t.notes.n, 0);
    const struct att_kernel *k = &t.kernels.v[0];
    assert_int_equal(k->decoded_waves, 2);
    assert_true(fabs(k->hidden_stall_pct - 100.0 * (4 + 30) / 200) < 1e-9);
    assert_true(k->exposed_stall == 166);
    assert_true(k->instructions.v[1].hidden_stall == 34);
    assert_string_equal(k->instructions.v[1].feeders, "0x1000");
    assert_string_equal(k->instructions.v[1].feeders_from, "decoded");
    assert_string_equal(k->instructions.v[0].source, "a.hip:3");
    assert_true(k->clock_mhz == 2000); /* 2000 cycles in 100 ticks of 10 ns */
    /* One wave for 500 cycles, two for 500. */
    assert_true(fabs(k->mean_waves - 1.5) < 1e-9);
    assert_int_equal(k->most_waves, 2);
    assert_int_equal(k->occupancy.n, 50);
    assert_true(fabs(k->occupancy.v[0].waves - 1) < 1e-9);
    assert_true(fabs(k->occupancy.v[49].waves - 2) < 1e-9);
    /* execute 4 + 40 + 4 + 20, wait 100 + 100. */
    assert_int_equal(k->states.n, 2);
    assert_true(k->states.v[0].cycles == 68 && k->states.v[1].cycles == 200);
    att_release(&t);
    arena_release(&a);
}

static void copies_of_source_give_the_line(void **state)
{
    (void)state;
    struct arena a;
    struct att t;
    struct gs_error err;
    arena_init(&a);
    att_init(&t);
    const char *dir = folder(&a), *ui = ui_folder(&a, dir);
    struct str code;
    str_init(&code, &a);
    str_puts(&code, "{\"code\":[[\"s_nop 0\",0,1,\"/src/a.hip:2\",2,4096,2,8,0,0],"
                    "[\"s_nop 0\",0,2,\"/src/b.hip:1\",2,4100,2,8,0,0],"
                    "[\"s_nop 0\",0,3,\"/src/a.hip:99\",2,4104,2,8,0,0],"
                    "[\"s_nop 0\",0,4,\"/etc/passwd:1\",2,4108,2,8,0,0]]}");
    put(&a, ui, "code.json", code.buf);
    put(&a, ui, "source_0_a.hip", "first\n    y[i] = a * x[i];  \r\nlast");
    put(&a, ui, "snapshots.json",
        "{\"/\":{\"src\":{\"a.hip\":\"source_0_a.hip\",\"b.hip\":\"source_1_b.hip\"},"
        "\"etc\":{\"passwd\":\"../../../../../../../../etc/passwd\"}}}");
    assert_true(att_read(&t, dir, ATT_EXPLICIT, &err));
    const struct att_kernel *k = &t.kernels.v[0];
    assert_string_equal(k->instructions.v[0].source_text, "y[i] = a * x[i];");
    assert_null(k->instructions.v[1].source_text); /* the copy is missing */
    assert_null(k->instructions.v[2].source_text); /* no such line */
    assert_null(k->instructions.v[3].source_text); /* not in the folder */
    att_release(&t);
    arena_release(&a);
}

static bool noted(const struct att *t, const char *text)
{
    for (size_t i = 0; i < t->notes.n; i++)
        if (str_has(t->notes.v[i], text))
            return true;
    return false;
}

static void half_copied_folders_are_said(void **state)
{
    (void)state;
    struct arena a;
    struct att t;
    struct gs_error err;
    arena_init(&a);
    att_init(&t);
    const char *dir = folder(&a), *ui = ui_folder(&a, dir);
    put(&a, ui, "occupancy.json", "{\"0\":[[1000,1,0,0,1,1],[15");
    put(&a, ui, "se0_sm0_sl0_wv0.json", "{\"wave\":{\"instructions\":[[1000,1,0,4,");
    assert_int_equal(unlink(arena_printf(&a, "%s/se0_sm0_sl1_wv0.json", ui)), 0);
    assert_true(att_read(&t, dir, ATT_EXPLICIT, &err));
    assert_true(noted(&t, "occupancy.json' is damaged or cut off"));
    assert_true(noted(&t, "se0_sm0_sl0_wv0.json' is damaged or cut off"));
    assert_true(noted(&t, "1 of 2 wave files are missing"));
    assert_int_equal(t.kernels.v[0].hits, 6);
    assert_int_equal(t.kernels.v[0].decoded_waves, 0);
    assert_true(isnan(t.kernels.v[0].hidden_stall_pct));
    assert_true(isnan(t.kernels.v[0].mean_waves));
    assert_string_equal(t.kernels.v[0].instructions.v[1].feeders_from, "inferred");
    att_release(&t);
    arena_release(&a);
}

/* ---- bad input ---- */

static bool read_text(struct att *t, const char *text, struct gs_error *err)
{
    struct arena a;
    arena_init(&a);
    att_init(t);
    const char *dir = folder(&a);
    put(&a, dir, "stats_ui_output_agent_1_dispatch_7.csv", text);
    bool ok = att_read(t, dir, ATT_EXPLICIT, err);
    arena_release(&a);
    return ok;
}

static void bad_stats_are_said_and_the_rest_is_used(void **state)
{
    (void)state;
    struct att t;
    struct gs_error err;
    assert_false(read_text(&t, "", &err));
    assert_string_equal(strrchr(err.text, ':') + 2,
                        "'stats_ui_output_agent_1_dispatch_7.csv' is empty");
    att_release(&t);
    assert_false(read_text(&t, "CodeObj,Vaddr,Hitcount,Latency\n1,2,3,4\n", &err));
    assert_int_equal(err.code, GS_E_FORMAT);
    assert_true(str_has(err.text, "no column 'instruction'"));
    att_release(&t);
    assert_false(read_text(&t, "\x01\x02\x80\xff\n\"\"\"\x00,,", &err));
    att_release(&t);
    /* No stall and idle: they are not known, not zero. */
    assert_true(read_text(&t,
                          "Vaddr,Instruction,Hit Count,Latency (cycles),Colour\n"
                          "16,s_nop 0,2,8,red\n20,s_endpgm,2,8,\n",
                          &err));
    assert_true(noted(&t, "no column 'stall'") && noted(&t, "1 column is not known"));
    assert_true(isnan(t.kernels.v[0].stall) && isnan(t.kernels.v[0].stall_pct));
    assert_true(isnan(t.kernels.v[0].idle));
    assert_int_equal(t.kernels.v[0].latency, 16);
    assert_string_equal(t.kernels.v[0].name, "agent_1_dispatch_7");
    att_release(&t);
    /* Twice the same column, rows cut off, negative, fractional, without an instruction. */
    assert_true(read_text(&t,
                          "# made by hand\n"
                          "Vaddr,Instruction,Hitcount,Latency,Stall,Idle,Stall\n"
                          "16,s_nop 0,2,8,1,0,77\n"
                          "20,s_nop 0,-2,8,0,0,0\n"
                          "24,s_nop 0,2,8.5,0,0,0\n"
                          "28,,2,8,0,0,0\n"
                          "32,s_nop 0,2,99999999999999999999999,0,0,0\n"
                          "36,s_endpgm,2,8,0,0,0\n"
                          "40,s_nop 0,2",
                          &err));
    assert_true(noted(&t, "two columns 'stall'"));
    assert_true(noted(&t, "5 rows are cut off or without proper numbers"));
    assert_int_equal(t.kernels.v[0].hits, 4);
    assert_true(t.kernels.v[0].stall == 1);
    att_release(&t);
    /* Sums that do not fit stop at the largest number. */
    assert_true(read_text(&t,
                          "Vaddr,Instruction,Hitcount,Latency,Stall,Idle\n"
                          "16,s_nop 0,18446744073709551615,18446744073709551615,9,0\n"
                          "20,s_endpgm,18446744073709551615,18446744073709551615,9,0\n",
                          &err));
    assert_true(t.kernels.v[0].latency == QUANTITY_MOST && t.kernels.v[0].hits == QUANTITY_MOST);
    att_release(&t);
}

struct short_of_memory {
    struct att *t;
    const char *dir;
    bool ok;
};

static void read_guarded(void *ctx)
{
    struct short_of_memory *c = ctx;
    struct gs_error err;
    c->ok = att_read(c->t, c->dir, ATT_EXPLICIT, &err);
}

static void a_shortage_of_memory_leaves_nothing_open(void **state)
{
    (void)state;
    struct arena a;
    struct gs_error err;
    arena_init(&a);
    const char *dir = folder(&a);
    ui_folder(&a, dir);
    put(&a, dir, "stats_ui_output_agent_1_dispatch_9.csv", stats_of(&a, "; k\n1 0 0 s_endpgm"));
    size_t held = mem_held();
    bool had_memory = false;
    for (int64_t n = 0; !had_memory && n < 10000; n++) {
        struct att t;
        struct short_of_memory c = {&t, dir, false};
        att_init(&t);
        mem_fail_after(n);
        had_memory = mem_guard(read_guarded, &c, &err);
        mem_fail_never();
        att_release(&t);
        assert_true(!had_memory || c.ok);
        assert_int_equal(mem_held(), held);
    }
    assert_true(had_memory);
    arena_release(&a);
}

static void what_is_no_thread_trace_is_refused(void **state)
{
    (void)state;
    struct arena a;
    struct att t;
    struct gs_error err;
    arena_init(&a);
    att_init(&t);
    const char *dir = folder(&a);
    assert_false(att_read(&t, arena_printf(&a, "%s/nowhere", dir), ATT_EXPLICIT, &err));
    assert_int_equal(err.code, GS_E_IO);
    assert_false(att_is_there(&t, dir));
    assert_false(att_read(&t, dir, ATT_EXPLICIT, &err));
    assert_int_equal(err.code, GS_E_EMPTY);
    assert_true(att_read(&t, dir, ATT_BESIDE, &err));
    put(&a, dir, "stats_other.csv", "Name,Calls\nx,1\n");
    assert_true(att_read(&t, dir, ATT_BESIDE, &err));
    assert_int_equal(t.dispatches.n, 0);
    /* A folder below is found when it was asked for. */
    const char *below = arena_printf(&a, "%s/host", dir);
    assert_int_equal(mkdir(below, 0700), 0);
    put(&a, below, "stats_ui_output_agent_1_dispatch_2.csv", stats_of(&a, "; k\n1 0 0 s_endpgm"));
    assert_true(att_is_there(&t, dir));
    assert_true(att_read(&t, dir, ATT_EXPLICIT, &err));
    assert_true(noted(&t, "'stats_other.csv' is left out: no column 'instruction'"));
    assert_int_equal(t.kernels.n, 1);
    att_release(&t);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(units_are_known_by_mnemonic),
        unit_test(waits_are_understood_in_every_form),
        unit_test(branches_lead_where_the_disassembler_says),
        unit_test(registers_are_read_from_operands),
        unit_test(a_wait_names_the_loads_beyond_its_count),
        unit_test(a_wait_in_a_loop_sees_the_iteration_before),
        unit_test(only_paths_that_ran_count),
        unit_test(labels_are_followed),
        unit_test(kinds_of_memory_are_told_apart),
        unit_test(matrix_results_that_are_read_early_are_named),
        unit_test(sums_are_only_added),
        unit_test(idle_time_before_a_new_line_is_instruction_fetch),
        unit_test(blocks_and_loops_are_found),
        unit_test(dispatches_of_one_kernel_are_added),
        unit_test(decoded_waves_say_what_was_hidden),
        unit_test(copies_of_source_give_the_line),
        unit_test(half_copied_folders_are_said),
        unit_test(bad_stats_are_said_and_the_rest_is_used),
        unit_test(a_shortage_of_memory_leaves_nothing_open),
        unit_test(what_is_no_thread_trace_is_refused),
    };
    log_set_level(LOG_QUIET);
    if (!mkdtemp(root))
        return 1;
    int failed = unit_run(tests);
    char command[64];
    snprintf(command, sizeof(command), "rm -rf '%s'", root);
    return system(command) != 0 || failed;
}
