#include "grammar/targets.h"

namespace amdahlc::grammar {

const std::vector<std::string>& knownRuntimes() {
  static const std::vector<std::string> kNames{"jax",        "onnxruntime", "openvino", "pytorch",
                                               "tensorflow", "tensorrt",    "tvm"};
  return kNames;
}

const std::vector<std::string>& knownVendors() {
  static const std::vector<std::string> kNames{"amd", "apple", "cpu", "intel", "nvidia"};
  return kNames;
}

}  // namespace amdahlc::grammar
