/// Builds timelines: host operators and the kernels that they launch, one after another.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "replay/timeline/timeline.h"
#include "runs/builder/builder.h"

namespace amdahlc::testing {

/// Records launches in program order; each takes 10 us on the host and 3 us on the device.
class Recorder {
 public:
  Recorder()
      : host_(builder_.track("1", "1", false)),
        otherThread_(builder_.track("1", "2", false)),
        stream_(builder_.track("0", "7", true)) {}

  /// One framework call, given by its operators from the top level inwards, that launches `kernels`.
  void call(const std::vector<std::string>& operators, const std::vector<std::string>& kernels,
            std::vector<std::vector<int64_t>> dims = {}) {
    const int64_t length = 10'000 * static_cast<int64_t>(kernels.size() + 1);
    for (size_t i = 0; i < operators.size(); ++i) {
      RawEvent event;
      event.kind = EventKind::Operator;
      event.startNs = now_ + static_cast<int64_t>(i);
      event.durationNs = length - 2 * static_cast<int64_t>(i);
      event.name = operators[i];
      event.track = host_;
      event.facts = builder_.facts(OperatorFacts{dims, {}});
      builder_.add(event);
    }
    for (size_t i = 0; i < kernels.size(); ++i) launch(now_ + 1'000 + 10'000 * static_cast<int64_t>(i), kernels[i]);
    now_ += length + 1'000;
  }
  /// The same, on a thread of its own.
  void callOnOtherThread(const std::vector<std::string>& operators, const std::vector<std::string>& kernels) {
    std::swap(host_, otherThread_);
    call(operators, kernels);
    std::swap(host_, otherThread_);
  }
  /// A framework call whose operators, from the top level inwards, all take the same time: only the last has time of
  /// its own.
  void coveredCall(const std::vector<std::string>& operators) {
    for (const std::string& name : operators) {
      RawEvent event;
      event.kind = EventKind::Operator;
      event.startNs = now_;
      event.durationNs = 5'000;
      event.name = name;
      event.track = host_;
      builder_.add(event);
    }
    now_ += 6'000;
  }
  /// An operator around what `record` records.
  template <typename Record>
  void enclose(const std::string& name, const Record& record) {
    around(EventKind::Operator, name, record);
  }
  /// A call of a module around what `record` records.
  template <typename Record>
  void frame(const std::string& name, const Record& record) {
    around(EventKind::ModuleFrame, name, record);
  }
  /// A kernel whose launch is not in the trace.
  void kernelWithoutLaunch(const std::string& name) {
    addKernel(now_, name, -1);
    now_ += 10'000;
  }
  /// A profiler step that began at `from` and ends now.
  void step(const std::string& name, int64_t from) {
    RawEvent event;
    event.kind = EventKind::Annotation;
    event.startNs = from;
    event.durationNs = now_ - from;
    event.name = name;
    event.track = host_;
    builder_.add(event);
  }
  int64_t now() const { return now_; }
  Timeline finish(StepSelection selection = StepSelection::All, const std::string& runtime = "pytorch") {
    builder_.facts().label = "trace";
    builder_.facts().target.vendor = "nvidia";
    builder_.facts().target.runtime = runtime;
    return builder_.finish(selection);
  }

 private:
  template <typename Record>
  void around(EventKind kind, const std::string& name, const Record& record) {
    RawEvent event;
    event.kind = kind;
    event.startNs = now_;
    now_ += 1'000;
    record();
    event.durationNs = now_ - event.startNs;
    event.name = name;
    event.track = host_;
    builder_.add(event);
    now_ += 1'000;
  }
  void launch(int64_t at, const std::string& kernel) {
    RawEvent call;
    call.kind = EventKind::Runtime;
    call.startNs = at;
    call.durationNs = 2'000;
    call.name = "cudaLaunchKernel";
    call.track = host_;
    call.correlation = ++correlation_;
    builder_.add(call);
    addKernel(at + 5'000, kernel, correlation_);
  }
  void addKernel(int64_t at, const std::string& name, int64_t correlation) {
    RawEvent event;
    event.kind = EventKind::Kernel;
    event.startNs = at;
    event.durationNs = 3'000;
    event.name = name;
    event.track = stream_;
    event.correlation = correlation;
    builder_.add(event);
  }

  TimelineBuilder builder_;
  uint32_t host_, otherThread_, stream_;
  int64_t now_ = 0;
  int64_t correlation_ = 0;
};

}  // namespace amdahlc::testing
