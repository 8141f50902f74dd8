#include "runs/trace/nsys_tracks.h"

#include <fmt/format.h>

namespace amdahlc::trace {

NsysDevices::NsysDevices(SqliteFile& database) {
  using Cell = SqliteFile::Cell;
  database.eachRow("TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId", "pid"},
                   [&](Cell gpuCell, Cell cudaCell, Cell pidCell) {
                     const auto gpu = gpuCell.integer(), cuda = cudaCell.integer(), pid = pidCell.integer();
                     if (gpu && cuda && pid) ofProcess_.emplace(std::pair(*pid, *cuda), *gpu);
                   });
  database.eachRow("TARGET_INFO_GPU", {"id", "name", "computeMajor", "computeMinor"},
                   [&](Cell id, Cell name, Cell major, Cell minor) {
                     if (const auto number = id.integer())
                       devices_.emplace(*number, Device{std::string(name.text().value_or("")),
                                                        major.integer().value_or(-1), minor.integer().value_or(-1)});
                   });
}

int64_t NsysDevices::deviceOf(NsysProcess process, int64_t cudaId) const {
  const auto known = ofProcess_.find({process.pid(), cudaId});
  return known == ofProcess_.end() ? cudaId : known->second;
}

void NsysDevices::describe(int64_t device, Target& target) const {
  const auto known = devices_.find(device);
  if (known == devices_.end()) return;
  target.device = known->second.name;
  if (known->second.computeMajor >= 0 && known->second.computeMinor >= 0)
    target.arch = fmt::format("sm_{}{}", known->second.computeMajor, known->second.computeMinor);
}

void NsysTracks::note(const NsysStream& stream, int64_t cudaId) {
  const auto [known, added] = deviceOf_.emplace(stream, devices_.deviceOf(stream.process, cudaId));
  if (!added) return;
  ++equalStreams_[{known->second, stream.number}];
  if (!devices_.knows(stream.process, cudaId)) unidentified_[cudaId].insert(stream.process);
}

int64_t NsysTracks::deviceOf(const NsysStream& stream, int64_t cudaId) const {
  const auto known = deviceOf_.find(stream);
  return known == deviceOf_.end() ? devices_.deviceOf(stream.process, cudaId) : known->second;
}

uint32_t NsysTracks::deviceTrack(const NsysStream& stream, int64_t cudaId) {
  if (lastTrack_ && lastTrack_->first == stream) return lastTrack_->second;
  const int64_t device = deviceOf(stream, cudaId);
  std::string thread = std::to_string(stream.number);
  if (const auto equal = equalStreams_.find({device, stream.number}); equal != equalStreams_.end() && equal->second > 1)
    thread += fmt::format(" (process {}, context {})", stream.process.pid(), stream.context);
  const uint32_t track = builder_.track(std::to_string(device), thread, true);
  lastTrack_ = {stream, track};
  return track;
}

uint32_t NsysTracks::hostTrack(int64_t global) {
  if (const auto known = hostTracks_.find(global); known != hostTracks_.end()) return known->second;
  const NsysProcess process = NsysProcess::of(global);
  processes_.insert(process);
  std::string pid = std::to_string(process.pid());
  const auto [first, added] = machineOfPid_.emplace(process.pid(), process.machine());
  if (first->second != process.machine()) pid += fmt::format(" (machine {})", process.machine());
  return hostTracks_[global] = builder_.track(pid, std::to_string(global & 0xFFFFFF), false);
}

std::optional<uint32_t> NsysTracks::findHostTrack(int64_t global) const {
  const auto known = hostTracks_.find(global);
  return known == hostTracks_.end() ? std::nullopt : std::optional(known->second);
}

int64_t NsysTracks::correlationOf(NsysProcess process, std::optional<int64_t> correlation) {
  constexpr int64_t kMaxCorrelation = UINT32_MAX;  // CUPTI's have 32 bits
  if (!correlation || *correlation <= 0) return -1;
  if (*correlation > kMaxCorrelation) {
    ++badCorrelations_;
    return -1;
  }
  const auto known = processNumbers_.emplace(process, static_cast<int64_t>(processNumbers_.size())).first;
  return known->second << 32 | *correlation;
}

void NsysTracks::reportProblems() {
  builder_.problem("impossible-correlation", badCorrelations_,
                   "events have a correlation of more than 32 bits; their launches are unknown");
  int64_t shared = 0;
  for (const auto& [number, processes] : unidentified_) shared += processes.size() > 1;
  builder_.problem("shared-device-number", shared,
                   "devices have the same number in several processes, and the file does not say whether they are the "
                   "same device; they count as one");
}

}  // namespace amdahlc::trace
