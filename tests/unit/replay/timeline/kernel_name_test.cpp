#include "replay/timeline/kernel_name.h"

#include <doctest/doctest.h>

namespace {

constexpr std::string_view kNamespaces[] = {"at::native::", "c10::"};

std::string shortKernelName(std::string_view name, size_t width) {
  return amdahlc::shortKernelName(name, width, kNamespaces);
}

}  // namespace

TEST_CASE("return type, parameters and shared namespaces are left out") {
  CHECK(shortKernelName("void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::Half, float>(int, "
                        "float, c10::Half const*)",
                        80) == "vectorized_layer_norm_kernel<Half, float>");
  CHECK(shortKernelName("void (anonymous namespace)::softmax_warp_forward<float, 7>(float*)", 80) ==
        "softmax_warp_forward<float, 7>");
  CHECK(shortKernelName("std::enable_if<(((8)>(4))), void>::type internal::gemvx::kernel<int, (8>4)>(int)", 80) ==
        "internal::gemvx::kernel<int, (8>4)>");
  CHECK(shortKernelName("Memcpy DtoH (Device -> Pinned)", 80) == "Memcpy DtoH (Device -> Pinned)");
  CHECK(shortKernelName("ampere_sgemm_128x64_nn", 80) == "ampere_sgemm_128x64_nn");
  CHECK(shortKernelName("ncclKernel_Sum(ncclDevComm*, unsigned long)", 80) == "ncclKernel_Sum");
  CHECK(shortKernelName("", 80) == "");
  CHECK(shortKernelName("a::(((", 80) == "a::");
}

TEST_CASE("long names lose their middle and fit") {
  const std::string shortened = shortKernelName("kernel_" + std::string(200, 'x') + "_nt", 40);
  CHECK(shortened.size() == 40);
  CHECK(shortened.starts_with("kernel_"));
  CHECK(shortened.ends_with("_nt"));
}
