/// The target of a run, and the lists of known vendors and architectures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace amdahlc {

/// The target of the measured run; selects rules. Empty members are unknown.
struct Target {
  /// `pytorch`, `onnxruntime`, `tensorrt`
  std::string runtime;
  /// `nvidia`, `amd`, `cpu`
  std::string vendor;
  /// `sm_90`, `gfx942`; empty for a CPU
  std::string arch;
  /// `NVIDIA H100 80GB HBM3`
  std::string device;

  /// Whether operators run on the processor that also launches them.
  bool isHost() const { return vendor == "cpu"; }
  /// What the time of its events is: operators that run on the host are no device work.
  std::string_view eventTimeName() const { return isHost() ? "operator time" : "device time"; }
  bool empty() const { return runtime.empty() && vendor.empty() && arch.empty() && device.empty(); }
  friend bool operator==(const Target&, const Target&) = default;
};

/// `preferred`, with its unknown members from `fallback`. Options take precedence over traces.
Target merged(Target preferred, const Target& fallback);

/// Lower case, sorted. Rules may name others, because a trace may state any target. A misspelt name gets a warning.
const std::vector<std::string>& knownVendors();

/// The vendor of a known architecture; empty for every other name.
std::string_view vendorOfArchitecture(std::string_view arch);

/// The text after "unknown architecture": `; did you mean ...?`, or the known ones.
std::string nearestArchitectures(std::string_view arch);

/// Whether a rule's architecture admits `arch`. `sm_80` admits itself. `sm_80+` admits itself and later architectures
/// of the same line. Case is ignored, and so is NVIDIA's suffix for features of one architecture (`sm_90a`). An unknown
/// name is neither above nor below another one, except that NVIDIA numbers its devices in order, also those newer than
/// the table.
///
/// An architecture's name is the name of a product, not a number: `gfx90a` is later than `gfx908`, and `gfx1030` is on
/// another line.
bool accepts(std::string_view pattern, std::string_view arch);

}  // namespace amdahlc
