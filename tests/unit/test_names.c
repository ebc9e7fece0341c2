/* Focus: kernel names (demangling, short forms, hostile input) and the roles read from them. */
#include "unit.h"

#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "config.h"
#include "model/demangle.h"
#include "model/kernel_role.h"
#include "model/names.h"

struct pair {
    const char *in, *out;
};

static void demangles(void **state)
{
    (void)state;
    static const struct pair plain[] = {
        {"", ""},
        {"main_kernel", "main_kernel"},
        {"main_kernel.kd", "main_kernel"},
        {"main_kernel [clone .kd]", "main_kernel"},
        {".kd", ".kd"}, /* nothing would be left */
        {"_Zbroken!", "_Zbroken!"},
        {"_Z", "_Z"},
        {"Cijk_Ailk_Bljk_SB_MT64x64x8.kd", "Cijk_Ailk_Bljk_SB_MT64x64x8"},
    };
    struct arena a;
    arena_init(&a);
    for (size_t i = 0; i < ARRAY_LEN(plain); i++)
        assert_string_equal(name_demangle(&a, plain[i].in), plain[i].out);
#ifdef HAVE_DEMANGLE
    static const struct pair mangled[] = {
        {"_Z3fooi", "foo(int)"},
        {"_Z3fooi.kd", "foo(int)"},
        {"_Z3fooi [clone .kd]", "foo(int)"},
        {"__Z3fooi", "foo(int)"},
        {"_ZN5hydro4GridIdE4stepEPd", "hydro::Grid<double>::step(double*)"},
        {"_Z3fooi.constprop.0", "foo(int) [clone .constprop.0]"},
    };
    for (size_t i = 0; i < ARRAY_LEN(mangled); i++)
        assert_string_equal(name_demangle(&a, mangled[i].in), mangled[i].out);
#endif
    arena_release(&a);
}

/* 1 KiB of mangled name is libiberty's own limit; template libraries exceed it. */
static void demangles_long_names(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    struct str s;
    str_init(&s, &a);
    str_puts(&s, "_Z1fI");
    for (int i = 0; i < 300; i++)
        str_puts(&s, "Li123456E");
    str_puts(&s, "Evv");
    const char *full = name_demangle(&a, s.buf);
#ifdef HAVE_DEMANGLE
    assert_true(str_starts(full, "void f<123456, 123456, "));
#else
    assert_ptr_equal(full, s.buf);
#endif
    str_clear(&s);
    str_puts(&s, "_Z1fI");
    str_fill(&s, 'P', 60000); /* as deep as it can nest */
    str_puts(&s, "iEvv");
    assert_non_null(name_demangle(&a, s.buf));
    arena_release(&a);
}

/* Every "S_I…E" doubles what went before: 2^34 pairs if it were printed in full. */
static void bounds_exponential_names(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    struct str s;
    str_init(&s, &a);
    str_puts(&s, "_Z1fSt4pairIiiE");
    for (int i = 0; i < 34; i++) {
        char c = (char)(i < 10 ? '0' + i : 'A' + i - 10);
        str_printf(&s, "S_IS%c_S%c_E", c, c);
    }
    size_t before = mem_held();
    const char *full = name_demangle(&a, s.buf);
    assert_ptr_equal(full, s.buf); /* stays mangled */
    assert_true(mem_held() - before <= 4 * NAME_FULL_MAX);
    arena_release(&a);
}

/* Of the processor, which other programs on the machine do not lengthen. */
static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- what libiberty would need too much for (model/demangle.h) ---- */

static void repeat(struct str *s, const char *unit, size_t n)
{
    for (size_t i = 0; i < n; i++)
        str_puts(s, unit);
}

/* `pairs` scopes and templates, whose product libiberty puts on the stack, 64 bytes each. */
static const char *scopes_by_templates(struct arena *a, size_t pairs)
{
    struct str s;
    str_init(&s, a);
    str_puts(&s, "_Z1fIiEv");
    for (size_t done = 0; done < pairs; done += 20) {
        str_puts(&s, "1cI1aI");
        repeat(&s, "RT_", 20);
        repeat(&s, "1bIiE", 20);
        str_puts(&s, "EE");
    }
    return s.buf;
}

static void bounds_the_stack(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
#ifdef HAVE_DEMANGLE
    const char *few = scopes_by_templates(&a, 40);
    assert_true(strlen(few) < 1000);
    assert_true(str_starts(name_demangle(&a, few), "void f<int>(c<a<int&, "));
#endif
    for (size_t pairs = 600; pairs < 9000; pairs *= 2) { /* 32 MB and more */
        const char *many = scopes_by_templates(&a, pairs);
        assert_ptr_equal(name_demangle(&a, many), many);
    }
    arena_release(&a);
}

/* Long, but nothing to fear: 5 kB as template libraries write them. */
static void demangles_deep_templates(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    struct str s;
    str_init(&s, &a);
    str_puts(&s, "_ZN7cutlass6KernelI");
    for (int i = 0; i < 100; i++)
        str_puts(&s, "NS_4gemm9GemmShapeILi128ELi64ELi32EEEN4cute5tupleIJfPKdRjEEE");
    str_puts(&s, "EEvNT_6ParamsE");
    assert_true(s.len > 5000);
    const char *full = name_demangle(&a, s.buf);
#ifdef HAVE_DEMANGLE
    assert_true(str_starts(full, "void cutlass::Kernel<cutlass::gemm::GemmShape<128, 64, 32>, "));
#else
    assert_ptr_equal(full, s.buf);
#endif
    arena_release(&a);
}

/* Every token of the grammar, repeated to every length, in places where it may nest. */
static void survives_repeated_grammar(void **state)
{
    (void)state;
    static const char *const units[] = {
        "P",   "R",     "O",    "K",   "F",    "FvP", "A_",   "M",   "Dp",  "DpP",   "S_",  "T_",
        "RT_", "OT_",   "U1a",  "1aI", "N1aI", "X",   "XadL", "Z1f", "Ul",  "UlT_",  "I",   "J",
        "cv",  "cvT_I", "T_I",  "sr",  "Dv2_", "Dt",  "cl",   "sp",  "sZ",  "qu",    "nw",  "DO",
        "Dw",  "UlTt",  "TnTn", "il",  "tl1a", "on",  "gs",   "CI1", "B1a", "1bIiE", "IJE", "u1aI"};
    static const size_t lengths[] = {100, 1000, 5000, 16000, 60000};
    static const char *const begins[] = {"_Z1fI", "_Z1f", "_ZN1a", "_Z1fIiEvDp", "_ZN1Acv"};
    struct arena a;
    arena_init(&a);
    double start = seconds();
    for (size_t i = 0; i < ARRAY_LEN(units) * ARRAY_LEN(lengths) * ARRAY_LEN(begins); i++) {
        const char *unit = units[i % ARRAY_LEN(units)];
        size_t n = lengths[i / ARRAY_LEN(units) % ARRAY_LEN(lengths)] / strlen(unit);
        struct str s;
        str_init(&s, &a);
        str_puts(&s, begins[i / ARRAY_LEN(units) / ARRAY_LEN(lengths)]);
        repeat(&s, unit, n);
        str_puts(&s, "i");
        str_fill(&s, 'E', n / 2);
        str_puts(&s, "Evv");
        assert_non_null(name_demangle(&a, s.buf));
        arena_release(&a);
    }
    assert_true(seconds() - start < 20);
    arena_release(&a);
}

/* 2^n steps without any output: reading twice behind "cv", searching shared trees for packs. */
static void bounds_silent_work(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    double start = seconds();
    for (size_t depth = 10; depth < 300; depth *= 2) {
        struct str s;
        str_init(&s, &a);
        str_puts(&s, "_ZN1AcvT_");
        repeat(&s, "IT_", depth);
        str_puts(&s, "i");
        str_fill(&s, 'E', depth);
        str_puts(&s, "Ev");
        assert_ptr_equal(name_demangle(&a, s.buf), s.buf);
    }
    static const char *const packs[] = {"_Z1fIJEEvDpFv", "_Z1fIJiEEvFDp", "_Z1fIJEEvDpM1x"};
    for (size_t k = 0; k < ARRAY_LEN(packs); k++) {
        struct str s;
        str_init(&s, &a);
        str_puts(&s, packs[k]);
        str_puts(&s, "1pIiiE");
        for (int i = 0; i < 34; i++) { /* p<x, x> of what was there before */
            char c = (char)(i < 10 ? '0' + i : 'A' + i - 10);
            str_printf(&s, "S_IS%c_S%c_E", c, c);
        }
        str_puts(&s, "E");
        assert_ptr_equal(name_demangle(&a, s.buf), s.buf);
    }
    assert_true(seconds() - start < 5);
    arena_release(&a);
}

/* A short name gives a short result, so that a file of them cannot fill the memory. */
static void bounds_growth(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    for (int depth = 0; depth < 12; depth++) {
        struct str s;
        str_init(&s, &a);
        str_puts(&s, "_Z1fSt4pairIiiE");
        for (int i = 0; i < depth; i++)
            str_printf(&s, "S_IS%x_S%x_E", (unsigned)i % 10, (unsigned)i % 10);
        size_t most = DEMANGLE_GROWTH * s.len + DEMANGLE_FREE;
        assert_true(strlen(name_demangle(&a, s.buf)) <= most);
    }
    arena_release(&a);
}

static const struct pair shorts[] = {
    {"", ""},
    {" ", " "},
    {"main_kernel", "main_kernel"},
    /* not C++ */
    {"Cijk_Ailk_Bljk_HHS_BH_MT128x128x16_SE", "Cijk_Ailk_Bljk_HHS_BH_MT128x128x16_SE"},
    {"triton_poi_fused_add_0d1d2de", "triton_poi_fused_add_0d1d2de"},
    {"Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pageable -> Device)"},
    {"[CUDA memset]", "[CUDA memset]"},
    {"my kernel, with words", "my kernel, with words"},
    {"a->b", "a->b"},
    /* functions */
    {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
     "ncclDevKernel_AllReduce_Sum_f32_RING_LL"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
     "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)",
     "vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>"},
    {"hydro::Grid::step(double*)", "Grid::step"},
    {"hydro::detail::step(double*)", "step"},
    {"hydro::(anonymous namespace)::update(double*, int) [clone .constprop.0]", "update"},
    {"plain [clone .constprop.0] [clone .kd]", "plain"},
    {"unsigned int const* ns::get<unsigned int const*, char [16], 4096ul>(int)",
     "ns::get<unsigned int const*, char [16], 4096>"},
    {"std::enable_if<((4)>(3)), void>::type my::kern<((2)>(1)), (Mode)3>(int)",
     "my::kern<((2)>(1)), (Mode)3>"},
    {"void k<std::enable_if<true, int>::type>(int)", "k<enable_if<true, int>::type>"},
    {"void f<a, b, c, d, e, f>(int)", "f<a, b, c, d, …>"},
    {"void a<b<c<d<e<f>>>>>()", "a<b<c<d<…>>>>"},
    {"f<>()", "f"},
    {"void Δx::δ<ψ>(int)", "Δx::δ<ψ>"},
    /* operators */
    {"bool operator< <int>(Foo<int> const&, Foo<int> const&)", "operator< <int>"},
    {"Foo::operator()(int) const", "Foo::operator()"},
    {"Foo::operator<<(int)", "Foo::operator<<"},
    {"Foo::operator bool() const", "Foo::operator bool"},
    {"operator()", "operator()"},
    /* lambdas */
    {"foo(int)::{lambda(int)#1}::operator()(int) const", "foo::{lambda#1}"},
    {"void k<f(int) const::{lambda()#3}::operator()() const::{lambda(float)#1}>(int)",
     "k<f::{lambda#3}::{lambda#1}>"},
    {"void kernel<[lambda(int) (instance 1)]>(T1)", "kernel<{lambda#1}>"},
    {"(anonymous namespace)::{lambda()#2}::operator()() const", "{lambda#2}"},
    {"f::{lambda()#2}::operator()r::g", "r::g"}, /* no name at all */
    /* cut off, unbalanced */
    {"void foo<int, bar(int", "foo<int, bar…"},
    {"void foo<int, std::vector<std::pair<int, x>>", "foo<int, vector<pair<int, x>>…"},
    {"foo>>>(int)", "foo>>>(int)"},
    {"<<<<", "<<<<"},
    {"(int)", "(int)"},
    {"::", "::"},
};

static void shortens(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    for (size_t i = 0; i < ARRAY_LEN(shorts); i++)
        assert_string_equal(name_short(&a, shorts[i].in), shorts[i].out);
    arena_release(&a);
}

static void short_names_are_bounded(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    for (size_t n = 190; n < 220; n++) {
        struct str s;
        str_init(&s, &a);
        while (s.len < n)
            str_puts(&s, "δ"); /* two bytes: some cuts fall inside a character */
        const char *cell = name_short(&a, s.buf);
        assert_true(strlen(cell) <= NAME_SHORT_MAX);
        assert_true(utf8_valid(cell, strlen(cell)));
        assert_int_equal(str_ends(cell, "…"), s.len > NAME_SHORT_MAX - 3);
    }
    arena_release(&a);
}

/* 64 KiB of every unpleasant pattern; quadratic time would take minutes. */
static void hostile_names_take_linear_time(void **state)
{
    (void)state;
    static const char *const units[] = {
        "<",       "a<",    "(",          "a(",        "[",           "{",         "::",
        "a::",     "f()::", ">",          ")",         "a>",          "operator",  ", ",
        "{lambda", "(a<",   "a<b(",       "operator<", "[abi:",       "()[abi:",   "f()[abi:x]",
        "_",       "aB",    " [clone x]", " ",         "\xCE",        "conv_",     "a<b>::",
        "_Z",      "S_",    "N1a",        "a<b>",      "x<(y)<(z), ", "operator ", "']",
    };
    struct arena a;
    arena_init(&a);
    double start = seconds();
    for (size_t i = 0; i < ARRAY_LEN(units); i++) {
        struct str s;
        str_init(&s, &a);
        str_puts(&s, i % 2 ? "void k<" : "");
        while (s.len < 65000)
            str_puts(&s, units[i]);
        const char *cell = name_short(&a, name_demangle(&a, s.buf));
        assert_in_range(strlen(cell), 1, NAME_SHORT_MAX);
        kernel_role_of(s.buf);
        kernel_library_of(s.buf);
    }
    assert_true(seconds() - start < 20);
    arena_release(&a);
}

struct known {
    enum kernel_role role;
    const char *library; /* "" for none */
    const char *name;
};

static const struct known known[] = {
    /* the runtime's blits */
    {ROLE_COPY, "ROCclr", "__amd_rocclr_copyBuffer"},
    {ROLE_COPY, "ROCclr", "__amd_rocclr_copyBufferAligned"},
    {ROLE_FILL, "ROCclr", "__amd_rocclr_fillBufferAligned"},
    {ROLE_OTHER, "ROCclr", "__amd_rocclr_streamOpsWrite"},
    /* collectives, not reductions */
    {ROLE_COLLECTIVE, "NCCL/RCCL", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x<4096ul>)"},
    {ROLE_COLLECTIVE, "NCCL/RCCL", "ncclKernel_ReduceScatter_RING_LL_Sum_half"},
    {ROLE_COLLECTIVE, "NCCL/RCCL", "ncclDevKernel_Generic_1(x)"},
    {ROLE_COLLECTIVE, "NCCL/RCCL", "ncclDevKernel_Broadcast_RING_LL(x)"},
    {ROLE_COLLECTIVE, "MSCCL", "mscclKernel_Sum_half_Simple"},
    {ROLE_COLLECTIVE, "", "my_reduce_scatter_kernel"},
    {ROLE_COLLECTIVE, "", "void cross_device_reduce_1stage<__half, 8>(x)"},
    {ROLE_ELEMENTWISE, "PyTorch",
     "void at::native::elementwise_kernel<128, 2, at::native::broadcast_impl<int> >(x)"},
    {ROLE_OTHER, "", "broadcast_ghost_cells"},
    /* words, not parts of words */
    {ROLE_OTHER, "", "convert_f16_to_f32"},
    {ROLE_OTHER, "", "consume_particles(double*)"},
    {ROLE_OTHER, "", "memory_bound_step"},
    {ROLE_OTHER, "", "surface_normals"},
    {ROLE_OTHER, "", "condition_check"},
    {ROLE_FILL, "", "memset_kernel"},
    /* products */
    {ROLE_GEMM, "Tensile", "Cijk_Ailk_Bljk_HHS_BH_MT128x128x16_SE_1LDSB0"},
    {ROLE_GEMM, "hipBLASLt", "Cijk_Alik_Bljk_BBS_BH_Bias_S_SAV_UserArgs_MT256x256x64"},
    {ROLE_GEMM, "rocBLAS", "void rocblas_gemvt_kernel<256, float>(x)"},
    {ROLE_GEMM, "CK", "void ck::kernel_gemm_xdl_cshuffle_v1<ck::GridwiseGemm<int> >(x)"},
    {ROLE_GEMM, "CUTLASS", "void cutlass::Kernel2<cutlass_80_tensorop_s16816gemm_f16_nn>(x)"},
    {ROLE_GEMM, "cuBLAS", "ampere_sgemm_128x64_tn"},
    {ROLE_GEMM, "cuBLAS", "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn"},
    {ROLE_GEMM, "cuBLAS", "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32"},
    {ROLE_GEMM, "cuBLAS", "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NTT"},
    {ROLE_GEMM, "cuBLAS", "void gemv2T_kernel_val<int, int, float>(x)"},
    {ROLE_GEMM, "cuBLAS", "void cublasLt::splitKreduce_kernel<32, 16, int>(x)"},
    {ROLE_GEMM, "Triton", "matmul_kernel"},
    {ROLE_GEMM, "Triton", "triton_tem_fused_mm_2"},
    {ROLE_GEMM, "", "layer_norm_gemm_kernel"}, /* the product is the larger part */
    /* convolutions */
    {ROLE_CONV, "cuDNN", "void implicit_convolve_sgemm<float, float, 128>(x)"},
    {ROLE_CONV, "cuDNN", "volta_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1"},
    {ROLE_CONV, "cuDNN", "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32"},
    {ROLE_CONV, "MIOpen", "miopenSp3AsmConv_v21_1_2_gfx9_fp16_stride1"},
    {ROLE_CONV, "MIOpen", "MIOpenConv1x1"},
    {ROLE_CONV, "MIOpen", "igemm_fwd_gtcx_nhwc_fp16_bx0_ex1_bt128x64x32"},
    {ROLE_CONV, "MIOpen", "gridwise_convolution_implicit_gemm_v4r1"},
    {ROLE_CONV, "CK", "void ck::kernel_grouped_conv_fwd_multiple_abd_xdl_cshuffle<ck::G>(x)"},
    {ROLE_CONV, "CUTLASS", "void cutlass::Kernel2<cutlass_80_tensorop_s16816fprop_optimized>(x)"},
    {ROLE_CONV, "", "my_conv2d"},
    /* attention */
    {ROLE_ATTENTION, "FlashAttention", "void pytorch_flash::flash_fwd_kernel<Traits<64> >(x)"},
    {ROLE_ATTENTION, "FlashAttention", "FlashAttnFwd"},
    {ROLE_ATTENTION, "ck_tile", "void ck_tile::kentry<ck_tile::FmhaFwdKernel<ck_tile::P> >(x)"},
    {ROLE_ATTENTION, "", "_attn_fwd"},
    {ROLE_ATTENTION, "", "fmha_fwd_hd128_bf16_causal"},
    {ROLE_ATTENTION, "vLLM", "void vllm::paged_attention_v2_kernel<float>(x)"},
    {ROLE_ATTENTION, "CK", "void ck::kernel_batched_gemm_softmax_gemm_xdl_cshuffle_v1<x>(x)"},
    /* the rest of a network */
    {ROLE_MOE, "", "fused_moe_kernel"},
    {ROLE_MOE, "vLLM", "void vllm::moe::topkGatingSoftmax<8, 64>(x)"},
    {ROLE_NORM, "MIOpen", "MIOpenBatchNormFwdTrainSpatial"},
    {ROLE_NORM, "PyTorch",
     "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<f>(x)"},
    {ROLE_NORM, "vLLM", "void vllm::rms_norm_kernel<c10::Half>(x)"},
    {ROLE_NORM, "Triton", "triton_red_fused_native_layer_norm_3"},
    {ROLE_NORM, "", "cuComputePartGradGammaBeta"},
    {ROLE_SOFTMAX, "Triton", "triton_per_fused__softmax_1"},
    {ROLE_SOFTMAX, "PyTorch",
     "void at::native::(anonymous namespace)::cunn_SoftMaxForward<4, f>(x)"},
    {ROLE_REDUCTION, "Triton", "triton_red_fused_sum_0"},
    {ROLE_REDUCTION, "PyTorch",
     "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<f> >(x)"},
    {ROLE_REDUCTION, "CUB", "void cub::DeviceReduceKernel<cub::Policy600, int>(x)"},
    {ROLE_ELEMENTWISE, "Triton", "triton_poi_fused_convolution_relu_4"},
    {ROLE_ELEMENTWISE, "PyTorch",
     "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >(x)"},
    {ROLE_ELEMENTWISE, "vLLM", "void vllm::act_and_mul_kernel<c10::Half>(x)"},
    {ROLE_OPTIMIZER, "PyTorch",
     "void at::native::multi_tensor_apply_kernel<M<4>, at::native::FusedAdamMathFunctor<f, 4> "
     ">(x)"},
    {ROLE_ELEMENTWISE, "PyTorch",
     "void at::native::multi_tensor_apply_kernel<M<4>, at::native::BinaryOpScalarFunctor<f> >(x)"},
    {ROLE_LAYOUT, "PyTorch",
     "void at::native::(anonymous namespace)::CatArrayBatchedCopy<f, 2>(x)"},
    {ROLE_LAYOUT, "vLLM", "void vllm::reshape_and_cache_kernel<float>(x)"},
    {ROLE_LAYOUT, "", "batched_transpose_32x32"},
    {ROLE_EMBEDDING, "PyTorch", "void at::native::index_elementwise_kernel<128, 4, x>(x)"},
    {ROLE_RANDOM, "PyTorch", "void at::native::fused_dropout_kernel_vec<float>(x)"},
    {ROLE_QUANT, "vLLM", "void vllm::dynamic_scaled_int8_quant_kernel<float>(x)"},
    /* libraries of algorithms */
    {ROLE_FFT, "rocFFT", "fft_rtc_fwd_len256_factors_4_4_4_4_wgs_64_tpt_64_sp_op_CI_CI"},
    {ROLE_FFT, "cuFFT", "void regular_fft<1024u, EPT<8u> >(x)"},
    {ROLE_FFT, "cuFFT", "void vector_fft<512u, 8u>(x)"},
    {ROLE_SPARSE, "cuSPARSE", "csrmv_adaptive"},
    {ROLE_SPARSE, "rocSPARSE", "void rocsparse::csrmvn_general_kernel<256u, 8u>(x)"},
    {ROLE_SORT_SCAN, "CUB", "void cub::DeviceRadixSortOnesweepKernel<int>(x)"},
    {ROLE_SORT_SCAN, "rocPRIM", "void rocprim::detail::onesweep_iteration_kernel<int>(x)"},
    {ROLE_FILL, "Thrust",
     "void thrust::cuda_cub::core::_kernel_agent<thrust::x::__uninitialized_fill::f<x> >(x)"},
    /* simulations: not for us to guess */
    {ROLE_OTHER, "", "LennardJones_force"},
    {ROLE_OTHER, "", "update_velocity(double*, double*)"},
    {ROLE_OTHER, "", "jacobi_step"},
    {ROLE_OTHER, "Kokkos",
     "void Kokkos::Impl::cuda_parallel_launch_local_memory<Kokkos::Impl::ParallelFor<Force, int> "
     ">(x)"},
    {ROLE_OTHER, "", ""},
    {ROLE_OTHER, "", "void f(ck::Gemm, nccl, softmax)"}, /* parameters do not count */
};

static void knows_roles(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        const char *library = kernel_library_of(known[i].name);
        enum kernel_role role = kernel_role_of(known[i].name);
        library = library ? library : "";
        if (role != known[i].role || strcmp(library, known[i].library) != 0)
            print_error("'%s'\n", known[i].name);
        assert_string_equal(kernel_role_info(role)->label, kernel_role_info(known[i].role)->label);
        assert_string_equal(library, known[i].library);
    }
}

static void describes_roles(void **state)
{
    (void)state;
    for (int r = 0; r < ROLE_COUNT; r++) {
        const struct kernel_role_info *info = kernel_role_info((enum kernel_role)r);
        assert_true(*info->label && *info->rocinsight && *info->doc);
    }
    assert_string_equal(kernel_role_info(ROLE_ATTENTION)->rocinsight, "SDPA");
    assert_string_equal(kernel_role_info(ROLE_COLLECTIVE)->rocinsight, "NCCL");
    assert_ptr_equal(kernel_role_info(ROLE_COUNT), kernel_role_info(ROLE_OTHER));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(demangles),
        unit_test(demangles_long_names),
        unit_test(bounds_exponential_names),
        unit_test(bounds_the_stack),
        unit_test(demangles_deep_templates),
        unit_test(survives_repeated_grammar),
        unit_test(bounds_silent_work),
        unit_test(bounds_growth),
        unit_test(shortens),
        unit_test(short_names_are_bounded),
        unit_test(hostile_names_take_linear_time),
        unit_test(knows_roles),
        unit_test(describes_roles),
    };
    return unit_run(tests);
}
