/// Processes, devices, streams and threads of a report of Nsight Systems. Internal to its reader.
///
/// Numbers of devices and correlations are unique within a process, numbers of streams perhaps within a context only,
/// and one report may hold several processes and devices.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "runs/builder/builder.h"
#include "runs/trace/sqlite_file.h"

namespace amdahlc::trace {

/// A process: the upper 40 bits of the 64 that name a process (`globalPid`) or a thread (`globalTid`). The lower 24 of
/// these are the system's number of the process; the others name its machine.
struct NsysProcess {
  int64_t id = -1;
  static NsysProcess of(int64_t global) { return {static_cast<int64_t>(static_cast<uint64_t>(global) >> 24)}; }
  int64_t pid() const { return id & 0xFFFFFF; }
  int64_t machine() const { return id >> 24; }
  auto operator<=>(const NsysProcess&) const = default;
};

/// A stream is of a context, which is of a process.
struct NsysStream {
  NsysProcess process;
  int64_t context = -1;
  int64_t number = -1;
  auto operator<=>(const NsysStream&) const = default;
};

class NsysDevices {
 public:
  explicit NsysDevices(SqliteFile& database);
  /// The device that a process calls `cudaId`, with the number that the report gives it: with `CUDA_VISIBLE_DEVICES`
  /// the two differ.
  int64_t deviceOf(NsysProcess process, int64_t cudaId) const;
  /// Whether the report says which device that is.
  bool knows(NsysProcess process, int64_t cudaId) const { return ofProcess_.contains({process.pid(), cudaId}); }
  /// Sets name and architecture of the target, where the report has them.
  void describe(int64_t device, Target& target) const;

 private:
  struct Device {
    std::string name;
    int64_t computeMajor = -1;
    int64_t computeMinor = -1;
  };
  std::map<std::pair<int64_t, int64_t>, int64_t> ofProcess_;
  std::map<int64_t, Device> devices_;
};

/// Tracks and correlations that are unique in the file.
class NsysTracks {
 public:
  NsysTracks(SqliteFile& database, TimelineBuilder& builder) : devices_(database), builder_(builder) {}

  /// Every stream with work must be noted before the first track of a device: the name of a track depends on whether
  /// streams have equal numbers. `cudaId` is the number that the process gives the device.
  void note(const NsysStream& stream, int64_t cudaId);
  /// The device of a stream; of a stream without work the one of that number.
  int64_t deviceOf(const NsysStream& stream, int64_t cudaId) const;
  uint32_t deviceTrack(const NsysStream& stream, int64_t cudaId);
  /// Of a `globalTid`.
  uint32_t hostTrack(int64_t global);
  /// The process of all threads so far; an unknown one if they are of several.
  NsysProcess onlyProcess() const { return processes_.size() == 1 ? *processes_.begin() : NsysProcess{}; }
  /// nullopt if no event has this thread.
  std::optional<uint32_t> findHostTrack(int64_t global) const;
  /// A number for (process, correlation) that is unique in the file; in the first process the correlation itself. -1
  /// for none.
  int64_t correlationOf(NsysProcess process, std::optional<int64_t> correlation);
  void reportProblems();
  const NsysDevices& devices() const { return devices_; }

 private:
  const NsysDevices devices_;
  TimelineBuilder& builder_;
  std::map<NsysStream, int64_t> deviceOf_;
  /// By device and number: how many streams have it.
  std::map<std::pair<int64_t, int64_t>, int64_t> equalStreams_;
  /// By the number that processes give a device which the report does not identify.
  std::map<int64_t, std::set<NsysProcess>> unidentified_;
  std::optional<std::pair<NsysStream, uint32_t>> lastTrack_;
  std::unordered_map<int64_t, uint32_t> hostTracks_;
  std::set<NsysProcess> processes_;
  std::map<int64_t, int64_t> machineOfPid_;
  std::map<NsysProcess, int64_t> processNumbers_;
  int64_t badCorrelations_ = 0;
};

}  // namespace amdahlc::trace
