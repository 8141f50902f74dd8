/// The facet `roofline`: the work of each kernel, and the least time in which the device of the run could do it.
/// Established by the pass `roofline`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/facets/stored_facet.h"
#include "passes/roofline/attainable.h"
#include "passes/roofline/kernel_work.h"

namespace amdahlc {

/// Why no times are known.
enum class RooflineSilence : uint8_t {
  /// They are known.
  None,
  /// Neither the trace nor the target names the device.
  NoDevice,
  /// No description is for the device.
  NoDescription,
  /// Several are.
  SeveralDescriptions,
};

/// What bounds a kernel; in reports `memory`, `compute`, `cache`.
enum class KernelBound : uint8_t {
  /// It does nothing, or that is not known.
  None,
  Memory,
  Compute,
  /// It ran faster than memory allows, so that some of its data was in a cache.
  Cache,
};

struct KernelRoofline {
  /// Of one run of the kernel; nullopt if its work, the device or a peak is not known.
  std::optional<Attainable> attainable;
  /// Runs of the kernel in all selected iterations together: forwards times trips of the loop around it; 1 without a
  /// trace; nullopt if the trips are not known.
  std::optional<int64_t> runs;
  KernelBound bound = KernelBound::None;
  /// It took at most 1.25 times as long as it must, and not less: from 80 % of its roof on.
  bool isAtRoof = false;
  /// It ran faster than the peaks of the device allow: the description or the binding is wrong, or it
  /// computed in a narrower type than the model.
  bool isAbovePeak = false;
  friend bool operator==(const KernelRoofline&, const KernelRoofline&) = default;

  /// The least time of all runs together, in ns; nullopt if it is not known.
  std::optional<double> totalNs() const {
    if (!attainable || !runs) return std::nullopt;
    return attainable->ns() * static_cast<double>(*runs);
  }
};

/// IR text does not contain it, because the pass finds it again from what IR text contains.
struct RooflineFacet final : ir::TransientFacetOf<RooflineFacet, ir::Facet::Roofline> {
  RooflineSilence silence = RooflineSilence::NoDevice;
  /// As the trace names it.
  std::string device;
  /// Names of the descriptions that are for the device, where there are several.
  std::vector<std::string> matching;
  std::optional<ir::HardwareDescription> hardware;
  Float32Products float32 = Float32Products::Tf32;
  /// Never null.
  std::shared_ptr<const IdVector<ir::KernelId, KernelWorkOf>> work =
      std::make_shared<const IdVector<ir::KernelId, KernelWorkOf>>();
  IdVector<ir::KernelId, KernelRoofline> kernels;
  /// Busy time over all selected iterations if each kernel took at most its least time; nullopt without a trace or
  /// hardware.
  std::optional<double> busyNs;

  friend bool operator==(const RooflineFacet& a, const RooflineFacet& b) {
    return a.silence == b.silence && a.device == b.device && a.matching == b.matching && a.hardware == b.hardware &&
           a.float32 == b.float32 && *a.work == *b.work && a.kernels == b.kernels && a.busyNs == b.busyNs;
  }
};

}  // namespace amdahlc
