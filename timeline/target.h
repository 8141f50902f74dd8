/// What a run executes on, and what is known about such targets: the one list of runtimes, vendors and architectures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace amdahlc {

/// What the measured run executes on; selects rules. Empty members: unknown.
struct Target {
  /// `pytorch`, `onnxruntime`, `tensorrt`
  std::string runtime;
  /// `nvidia`, `amd`, `cpu`
  std::string vendor;
  /// `sm_90`, `gfx942`; empty for a CPU
  std::string arch;
  /// `NVIDIA H100 80GB HBM3`
  std::string device;

  bool empty() const { return runtime.empty() && vendor.empty() && arch.empty() && device.empty(); }
  friend bool operator==(const Target&, const Target&) = default;
};

/// `preferred`, its unknown members filled from `fallback`: what an option says is believed before what a trace says.
Target merged(Target preferred, const Target& fallback);

/// Lower case, sorted. Rules may name others, since a trace says what it ran on; a misspelt one is worth a warning.
const std::vector<std::string>& knownRuntimes();
const std::vector<std::string>& knownVendors();

/// The vendor of a known architecture; empty for every other name.
std::string_view vendorOfArchitecture(std::string_view arch);

/// What to say after "unknown architecture": `; did you mean ...?`, or the known ones.
std::string nearestArchitectures(std::string_view arch);

/// Whether a rule's architecture admits `arch`. `sm_80` admits itself; `sm_80+` admits itself and what came later on
/// the same line of architectures. Case does not matter, nor does NVIDIA's suffix for features of one architecture
/// (`sm_90a`). A name that is not known is above nothing, and nothing is above it; but NVIDIA numbers its devices in
/// their order, those newer than the table too.
///
/// An architecture's name is the name of a product, not a number: `gfx90a` is later than `gfx908`, and `gfx1030` is on
/// another line.
bool accepts(std::string_view pattern, std::string_view arch);

}  // namespace amdahlc
