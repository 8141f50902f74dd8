#include "runs/kernel_families/kernel_families.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "replay/runtimes/collectives.h"

using namespace amdahlc;

TEST_CASE("kernels of libraries belong to families by their names") {
  const struct {
    KernelFamily family;
    std::string_view kernel;
  } rows[] = {
      {KernelFamily::Gemm, "ampere_sgemm_128x64_nn"},
      {KernelFamily::Gemm, "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_64x64_tn>(Params)"},
      {KernelFamily::Gemm, "Cijk_Alik_Bljk_BBS_BH_Bias_HAS_SAV_UserArgs_MT32x32x64"},
      {KernelFamily::Gemm, "nvjet_tst_192x8_64x8_4x1_v_bz_TNT"},
      {KernelFamily::Gemv, "void gemv2T_kernel_val<int, int, float>(cublasGemvParams)"},
      {KernelFamily::Attention, "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64>>(Params)"},
      {KernelFamily::Attention, "kernel_unified_attention_2d"},
      {KernelFamily::Convolution, "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32"},
      {KernelFamily::Convolution, "igemm_wrw_gtcx2_nhwc_bf16_bx0"},
      {KernelFamily::Normalization, "void vllm::rms_norm_kernel<float, 8, 2>(float*)"},
      {KernelFamily::Softmax, "void (anonymous namespace)::softmax_warp_forward<float, float, 8>(float*)"},
      {KernelFamily::Elementwise, "void vectorized_elementwise_kernel<4, CUDAFunctor_add<float> >(int)"},
      {KernelFamily::Elementwise, "triton_poi_fused_add_relu_0"},
      {KernelFamily::Elementwise, "void vllm::rotary_embedding_kernel<float, true>(long const*)"},
      {KernelFamily::Permute, "batched_transpose_16x64_pack_1x4_half"},
      {KernelFamily::EmbeddingForward, "void split_embedding_codegen_forward_weighted_kernel<float>(int)"},
      {KernelFamily::EmbeddingBackward, "void split_embedding_backward_codegen_rowwise_adagrad_kernel<float>(int)"},
      {KernelFamily::Reduce, "void reduce_kernel<512, 1, ReduceOp<float, gemm> >(int)"},
      {KernelFamily::SplitK, "void splitKreduce_kernel<float, float>(cublasSplitKParams<float>)"},
      {KernelFamily::Concat, "void (anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 1>(float*)"},
      {KernelFamily::Index, "void vectorized_gather_kernel<16, long>(char*)"},
      {KernelFamily::Copy, "void elementwise_kernel<128, 4, direct_copy_kernel_cuda(int)::{lambda()#1}>(int)"},
      {KernelFamily::Copy, "copy_kernel"},
      {KernelFamily::Set, "void vectorized_elementwise_kernel<4, FillFunctor<float>, array>(int)"},
      {KernelFamily::Collective, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"},
      {KernelFamily::Collective, "void (anonymous namespace)::one_shot_all_reduce_kernel<float, 16, 8>(float**)"},
      {KernelFamily::Other, "spin_kernel(long)"},
      {KernelFamily::Other, ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.kernel);
    CHECK(name(kernelFamily(row.kernel)) == name(row.family));
    CHECK(isCommunicationKernel(row.kernel) == (row.family == KernelFamily::Collective));
  }
}

TEST_CASE("names of kernels tell that they change the layout of images, and whether they round float32") {
  CHECK(imageLayoutChange("void cudnn::ops::nchwToNhwcKernel<float>()") == "nchwToNhwc");
  CHECK(imageLayoutChange("batched_transpose_32x32_dword").starts_with("batched_transpose"));
  CHECK(imageLayoutChange("sm80_xmma_fprop_conv_nhwc").empty());
  CHECK(roundsToTf32("cutlass_80_tensorop_s1688gemm_128x128") == true);
  CHECK(roundsToTf32("maxwell_scudnn_128x64_relu") == false);
  CHECK(roundsToTf32("ampere_h16816gemm") == std::nullopt);
}
