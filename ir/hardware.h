/// What a device can do at best: the peaks and the bandwidth of its data sheet. `hardware/` has the shipped ones.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/type.h"

namespace amdahlc::ir {

/// Floating-point or integer operations per second, by the type of the operands. A multiply-add is two.
using PeakByType = std::map<ElementType, int64_t>;

struct HardwareDescription {
  /// As `-hardware=` names it: the name of its file, without folder and ending.
  std::string key;
  /// `NVIDIA H100 SXM`
  std::string name;
  /// Regular expressions (RE2), one of which matches the whole name of the device as traces state it.
  std::vector<std::string> devices;
  /// Data sheets and measurements, for users.
  std::vector<std::string> sources;
  /// Of the device's own memory.
  int64_t memoryBytesPerS = 0;
  std::optional<int64_t> memoryBytes;
  /// The last cache before memory.
  std::optional<int64_t> cacheBytes;
  /// What the host needs to launch a kernel.
  std::optional<int64_t> launchNs;
  /// Of units that multiply matrices, without sparsity.
  PeakByType matrixPerS;
  /// Of those units on float32 that is rounded to TF32; nullopt if they do not do that.
  std::optional<int64_t> tf32PerS;
  PeakByType vectorPerS;

  /// Whether it describes a device that traces give this name.
  bool isFor(std::string_view device) const;
  friend bool operator==(const HardwareDescription&, const HardwareDescription&) = default;
};

/// The descriptions that a command has loaded.
struct KnownHardware {
  std::vector<HardwareDescription> descriptions;
  /// The user named the only one: it counts for all runs, whatever their device is called. Otherwise each run has the
  /// one that is for its device.
  bool isChosen = false;
};

}  // namespace amdahlc::ir
