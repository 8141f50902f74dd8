/// The keys and words that comparisons read in reports. The tables of reports take the keys and the words of `trust`
/// from here; the word of a state is that of `ir::KernelState`, and `report/outputs/run_fields.h` asserts that both are
/// one.
#pragma once

#include <string_view>

namespace amdahlc::comparison::keys {

inline constexpr std::string_view kReportSchema = "amdahlc.report/2";
// Of a report.
inline constexpr std::string_view kSchema = "schema", kRuns = "runs";
// Of a run.
inline constexpr std::string_view kLabel = "label", kVerdict = "verdict", kTrust = "trust", kTarget = "target",
                                  kTrace = "trace", kKernels = "kernels", kAggregates = "aggregates",
                                  kBinding = "binding";
inline constexpr std::string_view kOfRun[] = {kLabel, kVerdict, kTrust,      kTarget,
                                              kTrace, kKernels, kAggregates, kBinding};
// Of their parts.
inline constexpr std::string_view kDevice = "device", kBusy = "busy_ns", kUndisturbedBusy = "undisturbed_busy_ns",
                                  kWall = "wall_ns", kWindow = "window_ns", kForwards = "forwards",
                                  kAmbiguous = "ambiguous_ns", kUnknown = "unknown_ns", kStatistic = "statistic",
                                  kCategory = "category", kScope = "scope";
// Of kernels and groups. The label of a kernel has the key of that of a run.
inline constexpr std::string_view kName = "name", kNodes = "nodes", kState = "state", kDuration = "duration_ns";
// Times by recording and iteration. Those of a trace are of three quantities.
inline constexpr std::string_view kSamples = "samples_ns", kBusySamples = "busy", kWallSamples = "wall",
                                  kWindowSamples = "window";
// Values of `trust` and `state`.
inline constexpr std::string_view kTrustLimited = "limited", kTrustNone = "none", kNoDeviceWork = "no-device-work",
                                  kMissed = "missed", kAmbiguousKernel = "ambiguous";

}  // namespace amdahlc::comparison::keys
