#include "passes/host/family_fills.h"

namespace amdahlc {

// Most colours are those of M. Okabe and K. Ito, "Color Universal Design", 2008.
drawing::Fill fillOf(KernelFamily family) {
  constexpr bool kHatched = true;
  switch (family) {
    case KernelFamily::Gemm:
      return {"#0072b2"};
    case KernelFamily::Gemv:
      return {"#0072b2", kHatched};
    case KernelFamily::Convolution:
      return {"#56b4e9"};
    case KernelFamily::SplitK:
      return {"#56b4e9", kHatched};
    case KernelFamily::Attention:
      return {"#cc79a7"};
    case KernelFamily::Softmax:
      return {"#cc79a7", kHatched};
    case KernelFamily::Normalization:
      return {"#e69f00"};
    case KernelFamily::Reduce:
      return {"#e69f00", kHatched};
    case KernelFamily::Elementwise:
      return {"#009e73"};
    case KernelFamily::Index:
      return {"#009e73", kHatched};
    case KernelFamily::Permute:
      return {"#7a1f4f"};
    case KernelFamily::Concat:
      return {"#7a1f4f", kHatched};
    case KernelFamily::EmbeddingForward:
      return {"#8f8f2a"};
    case KernelFamily::EmbeddingBackward:
      return {"#8f8f2a", kHatched};
    case KernelFamily::Copy:
      return {"#f0e442"};
    case KernelFamily::Set:
      return {"#d8cb00", kHatched};
    case KernelFamily::Collective:
      return {"#d55e00"};
    case KernelFamily::Other:
      break;
  }
  return {"#b0b0b0"};
}

}  // namespace amdahlc
