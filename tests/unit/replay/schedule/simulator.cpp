#include "tests/unit/replay/schedule/simulator.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "tests/unit/replay/schedule/run_builder.h"

namespace amdahlc::testing {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::min() / 4;

class Simulator {
 public:
  explicit Simulator(const Machine& machine) : machine_(machine) {}

  SimulatedRun run(const std::vector<Step>& program) {
    for (const Step& step : program) std::visit([this](const auto& one) { run(one); }, step);
    run(NextStep{});
    return {builder_.finish(), {lastNs_ - firstNs_, atNs_}};
  }

 private:
  struct Stream {
    int64_t freeNs = kNever;
    /// Nothing starts before.
    int64_t waitsNs = kNever;
  };
  struct Recorded {
    int64_t endNs = kNever;
    int64_t correlation = -1;
    std::string stream;
  };

  void run(const Work& work) { atNs_ += work.ns; }

  void run(const Launch& launch) {
    Stream& stream = streams_[launch.stream];
    const int64_t beginNs = atNs_, correlation = ++correlation_;
    atNs_ += machine_.launchCallNs;
    builder_.launch({beginNs, atNs_}, correlation);
    const auto [startNs, endNs] = start(stream, atNs_ + machine_.launchLatencyNs, launch.ns);
    builder_.kernel(launch.kernel, {startNs, endNs}, correlation, launch.stream);
  }

  void run(const GraphLaunch& graph) {
    const int64_t beginNs = atNs_, correlation = ++correlation_;
    atNs_ += machine_.launchCallNs;
    builder_.call("cudaGraphLaunch", {beginNs, atNs_}, correlation);
    for (const Launch& launch : graph.kernels) {
      const bool isFirst = &launch == &graph.kernels.front();
      const auto [startNs, endNs] = start(streams_[launch.stream], atNs_ + machine_.launchLatencyNs, launch.ns,
                                          isFirst ? machine_.turnAroundNs : machine_.nodeTurnAroundNs);
      builder_.kernel(launch.kernel, {startNs, endNs}, correlation, launch.stream);
    }
  }

  void run(const PageableCopy& one) { copy("Memcpy HtoD (Pageable -> Device)", one.stream, one.ns, true); }
  void run(const PageableCopyBack& one) { copy("Memcpy DtoH (Device -> Pageable)", one.stream, one.ns, true); }
  void run(const PinnedCopy& one) { copy("Memcpy HtoD (Pinned -> Device)", one.stream, one.ns, false); }

  void copy(const std::string& name, const std::string& on, int64_t ns, bool isBlocking) {
    const int64_t beginNs = atNs_, correlation = ++correlation_;
    const auto [startNs, endNs] = start(streams_[on], beginNs + machine_.copyLatencyNs, ns);
    atNs_ = isBlocking ? endNs + machine_.returnNs : beginNs + machine_.copyLatencyNs;
    builder_.call("cudaMemcpyAsync", {beginNs, atNs_}, correlation);
    builder_.copy(name, {startNs, endNs}, correlation, on);
  }

  void run(const Begin& begin) { open_.emplace_back(begin, atNs_); }
  void run(const End&) {
    const auto& [begin, startNs] = open_.back();
    if (begin.isModule)
      builder_.module(begin.name, {startNs, atNs_});
    else
      builder_.op(begin.name, {startNs, atNs_});
    open_.pop_back();
  }

  void run(const NextStep&) {
    builder_.step("ProfilerStep#" + std::to_string(steps_++), {stepNs_, atNs_});
    stepNs_ = atNs_;
  }

  void run(const Record& record) {
    events_[record.event] = {streams_[record.stream].freeNs, otherCall("cudaEventRecord"), record.stream};
  }

  void run(const Wait& wait) {
    const Recorded& event = events_[wait.event];
    Stream& stream = streams_[wait.stream];
    const int64_t beginNs = atNs_, correlation = otherCall("cudaStreamWaitEvent");
    stream.waitsNs = std::max(stream.waitsNs, event.endNs + machine_.eventToEventNs);
    builder_.stated("Stream Wait Event", {beginNs, beginNs + 10}, correlation,
                    {std::stoi(wait.stream), std::stoi(event.stream), event.correlation});
  }

  void run(const StreamSync& sync) {
    const int64_t beginNs = atNs_, correlation = ++correlation_;
    await(streams_[sync.stream].freeNs);
    builder_.call("cudaStreamSynchronize", {beginNs, atNs_}, correlation);
    builder_.stated("Stream Sync", {beginNs, atNs_}, correlation, {std::stoi(sync.stream), -1, -1});
  }

  void run(const DeviceSync&) {
    const int64_t beginNs = atNs_;
    await(lastNs_);
    builder_.call("cudaDeviceSynchronize", {beginNs, atNs_}, ++correlation_);
  }

  void await(int64_t endNs) {
    atNs_ = endNs > atNs_ ? std::max(endNs + machine_.returnNs, atNs_ + machine_.otherCallNs)
                          : atNs_ + machine_.otherCallNs;
  }

  int64_t otherCall(const std::string& name) {
    const int64_t beginNs = atNs_;
    atNs_ += machine_.otherCallNs;
    builder_.call(name, {beginNs, atNs_}, ++correlation_);
    return correlation_;
  }

  RunBuilder::Place start(Stream& stream, int64_t readyNs, int64_t ns) {
    return start(stream, readyNs, ns, machine_.turnAroundNs);
  }
  RunBuilder::Place start(Stream& stream, int64_t readyNs, int64_t ns, int64_t turnAroundNs) {
    const int64_t startNs = std::max({readyNs, stream.freeNs + turnAroundNs, stream.waitsNs});
    stream.waitsNs = kNever;
    stream.freeNs = startNs + ns;
    firstNs_ = std::min(firstNs_, startNs);
    lastNs_ = std::max(lastNs_, stream.freeNs);
    return {startNs, stream.freeNs};
  }

  const Machine& machine_;
  RunBuilder builder_;
  std::map<std::string, Stream> streams_;
  std::map<int, Recorded> events_;
  std::vector<std::pair<Begin, int64_t>> open_;
  int steps_ = 0;
  int64_t stepNs_ = 0;
  int64_t atNs_ = 0, firstNs_ = std::numeric_limits<int64_t>::max(), lastNs_ = kNever;
  int64_t correlation_ = 0;
};

}  // namespace

SimulatedRun simulate(const std::vector<Step>& program, const Machine& machine) {
  return Simulator(machine).run(program);
}

}  // namespace amdahlc::testing
