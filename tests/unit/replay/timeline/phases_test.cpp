#include "replay/timeline/phases.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/unit/replay/timeline/timeline_fixture.h"

using namespace amdahlc;
using namespace amdahlc::testing;

namespace {

const std::string kStep = "autograd::engine::evaluate_function: ";

/// `name phase` of each operator, annotation and call of the device's runtime, in order.
std::string phasesOfCalls(const Timeline& t) {
  const Phases phases(t);
  std::string out;
  for (const HostEventId call : t.host->kind.ids())
    if (t.host->kind[call] != EventKind::ModuleFrame)
      out += std::string(t.text(t.host->name[call])) + " " + std::string(name(phases.of(call))) + "\n";
  return out;
}

Phase phaseOfEvent(const Timeline& t, std::string_view name) { return Phases(t).of(find(t, name)); }

Phase phaseOfCall(const Timeline& t, std::string_view name) { return Phases(t).of(findHost(t, name)); }

void numbered(Run& run, std::string_view name, int64_t startNs, int64_t endNs, int64_t number) {
  RawEvent event;
  event.kind = EventKind::Operator;
  event.name = name;
  event.startNs = startNs;
  event.durationNs = endNs - startNs;
  event.track = run.host;
  event.sequenceNumber = number;
  run.builder.add(event);
}

}  // namespace

TEST_CASE("a call has the phases of what is around it, of which the first counts") {
  Run run;
  run.annotation("ProfilerStep#1", 0, 1000);
  run.annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 10, 50);
  run.op("aten::stack", 20, 40);
  run.op("aten::mm", 100, 200);
  run.op(kStep + "MmBackward0", 300, 500);
  run.op("aten::mul", 310, 320);
  run.op("c10d::allreduce_", 330, 400);
  run.op("aten::fill_", 340, 350);
  run.annotation("Optimizer.step#SGD.step", 410, 450);
  run.op("aten::add_", 420, 430);
  run.annotation("Optimizer.zero_grad#SGD.zero_grad", 600, 650);
  run.op("aten::zero_", 610, 620);
  run.call(1, 700, 710);
  CHECK(phasesOfCalls(run.finish()) ==
        "ProfilerStep#1 other\n"
        "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__ data\n"
        "aten::stack data\n"
        "aten::mm forward\n" +
            kStep +
            "MmBackward0 backward\n"
            "aten::mul backward\n"
            "c10d::allreduce_ communication\n"
            "aten::fill_ communication\n"
            "Optimizer.step#SGD.step optimizer\n"
            "aten::add_ optimizer\n"
            "Optimizer.zero_grad#SGD.zero_grad optimizer\n"
            "aten::zero_ optimizer\n"
            "cudaLaunchKernel other\n");
}

TEST_CASE("what crosses the end of an annotation is not in it, and an annotation on another thread says nothing") {
  Run run;
  run.annotation("Optimizer.step#SGD.step", 100, 200);
  run.op("aten::mul", 110, 120);
  run.op("aten::add", 150, 250);
  run.host = run.builder.track("100", "200", false);
  run.op("aten::div", 110, 120);
  const Timeline t = run.finish();
  CHECK(phaseOfCall(t, "aten::mul") == Phase::Optimizer);
  CHECK(phaseOfCall(t, "aten::add") == Phase::Forward);
  CHECK(phaseOfCall(t, "aten::div") == Phase::Forward);
}

TEST_CASE("a device event has the phase of its launch, and without one its name tells communication only") {
  Run run;
  run.op("aten::mm", 0, 100);
  run.launch("gemm", 1, 10);
  run.op(kStep + "MmBackward0", 300, 400);
  run.launch("gemm_backward", 2, 310);
  run.launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL(args)", 3, 330);
  run.kernel("unknown", -1, 700, 800);
  run.kernel("ncclKernel_SendRecv(args)", -1, 800, 900);
  run.launch("alone", 4, 1000);
  const Timeline t = run.finish();
  CHECK(phaseOfEvent(t, "gemm") == Phase::Forward);
  CHECK(phaseOfEvent(t, "gemm_backward") == Phase::Backward);
  CHECK(phaseOfEvent(t, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(args)") == Phase::Communication);
  CHECK(phaseOfEvent(t, "unknown") == Phase::Other);
  CHECK(phaseOfEvent(t, "ncclKernel_SendRecv(args)") == Phase::Communication);
  CHECK(phaseOfEvent(t, "alone") == Phase::Other);
}

TEST_CASE("kernels of a graph have the phase of the call that launches the graph") {
  Run run;
  run.op(kStep + "CompiledFunctionBackward", 0, 100);
  run.call(1, 10, 20);
  run.kernel("a", 1, 30, 40);
  run.kernel("b", 1, 40, 50);
  run.call(2, 200, 210);
  run.kernel("c", 2, 220, 230);
  const Timeline t = run.finish();
  CHECK(phaseOfEvent(t, "a") == Phase::Backward);
  CHECK(phaseOfEvent(t, "b") == Phase::Backward);
  CHECK(phaseOfEvent(t, "c") == Phase::Other);
}

TEST_CASE("without a device, stretches of self time have the phases of their operators") {
  Run run;
  run.op("aten::mm", 0, 100);
  run.op(kStep + "MmBackward0", 300, 400);
  run.op("aten::mul", 310, 390);
  const Timeline t = run.finish();
  CHECK(phaseOfEvent(t, "aten::mm") == Phase::Forward);
  CHECK(phaseOfEvent(t, kStep + "MmBackward0") == Phase::Backward);
  CHECK(phaseOfEvent(t, "aten::mul") == Phase::Backward);
  const auto times = phaseTimes(t, Phases(t));
  CHECK(times[static_cast<size_t>(Phase::Forward)].ns == 100);
  CHECK(times[static_cast<size_t>(Phase::Backward)].ns == 100);
  CHECK(times[static_cast<size_t>(Phase::Backward)].events == 3);
}

TEST_CASE("a closure that the optimizer calls is no part of it") {
  Run run;
  run.annotation("Optimizer.step#LBFGS.step", 0, 500);
  run.op("aten::mm", 10, 20);
  run.op("aten::add_", 300, 310);
  run.host = run.builder.track("100", "200", false);
  run.op(kStep + "MmBackward0", 100, 200);
  const Timeline t = run.finish();
  CHECK(phaseOfCall(t, "aten::mm") == Phase::Forward);
  CHECK(phaseOfCall(t, "aten::add_") == Phase::Optimizer);
  CHECK(Phases(t).trainingCall(findHost(t, "aten::mm")).isNone());
  CHECK(Phases(t).trainingCall(findHost(t, "aten::add_")) == findHost(t, "Optimizer.step#LBFGS.step"));
}

TEST_CASE("an optimizer that the backward pass calls has no closure, though steps run at the same time") {
  Run run;
  run.op(kStep + "torch::autograd::AccumulateGrad", 0, 500);
  run.annotation("Optimizer.step#SGD.step", 10, 400);
  run.op("aten::add_", 20, 30);
  run.host = run.builder.track("100", "200", false);
  run.op(kStep + "MmBackward0", 100, 200);
  const Timeline t = run.finish();
  CHECK(phaseOfCall(t, "aten::add_") == Phase::Optimizer);
  CHECK(Phases(t).trainingCall(findHost(t, "aten::add_")) == findHost(t, "Optimizer.step#SGD.step"));
}

TEST_CASE("the backward pass of another process is no closure") {
  Run run;
  run.annotation("Optimizer.step#SGD.step", 0, 500);
  run.op("aten::add_", 20, 30);
  run.host = run.builder.track("101", "101", false);
  run.op(kStep + "MmBackward0", 100, 200);
  CHECK(phaseOfCall(run.finish(), "aten::add_") == Phase::Optimizer);
}

TEST_CASE("a thread on which only the backward pass runs is all of it") {
  Run run;
  const uint32_t main = run.host;
  run.host = run.builder.track("100", "200", false);
  run.op("aten::select", 200, 210);
  run.op(kStep + "MmBackward0", 300, 400);
  run.op("aten::item", 450, 460);
  SUBCASE("unless the trace does not count the operators of the forward pass") {
    CHECK(phaseOfCall(run.finish(), "aten::item") == Phase::Forward);
    return;
  }
  const uint32_t backward = run.host;
  run.host = main;
  numbered(run, "aten::mm", 0, 100, 6);
  run.host = backward;
  SUBCASE("between its steps, too") {
    const Timeline t = run.finish();
    CHECK(phaseOfCall(t, "aten::select") == Phase::Backward);
    CHECK(phaseOfCall(t, "aten::item") == Phase::Backward);
    CHECK(Phases(t).trainingCall(findHost(t, "aten::item")) == findHost(t, "aten::item"));
    CHECK(Phases(t).backwardStep(findHost(t, "aten::item")).isNone());
  }
  SUBCASE("which calls of the forward pass disprove") {
    numbered(run, "aten::relu", 500, 510, 7);
    CHECK(phaseOfCall(run.finish(), "aten::item") == Phase::Forward);
  }
  SUBCASE("as do annotations") {
    run.annotation("epoch", 500, 510);
    CHECK(phaseOfCall(run.finish(), "aten::item") == Phase::Forward);
  }
  SUBCASE("but not those of another thread") {
    run.host = main;
    run.annotation("epoch", 500, 510);
    CHECK(phaseOfCall(run.finish(), "aten::item") == Phase::Backward);
  }
}

TEST_CASE("words of annotations name phases") {
  CHECK(phaseStatedBy("## forward ##") == Phase::Forward);
  CHECK(phaseStatedBy("Backward") == Phase::Backward);
  CHECK(phaseStatedBy("## zero_grad ##") == Phase::Optimizer);
  CHECK(phaseStatedBy("## copy_batch_to_gpu ##") == Phase::Data);
  CHECK(phaseStatedBy("## forward:sparse_arch ##") == Phase::Other);
  CHECK(phaseStatedBy("backward_lstm") == Phase::Other);
  CHECK(phaseStatedBy("##") == Phase::Other);
  CHECK(phaseStatedBy("") == Phase::Other);
}

TEST_CASE("words of annotations count outside of calls, and those of training only in a run that trains") {
  Run run;
  run.annotation("## forward ##", 0, 100);
  run.call(1, 10, 20);
  run.annotation("## backward ##", 200, 300);
  run.op("aten::ones_like", 210, 220);
  run.op("aten::lstm", 400, 500);
  run.annotation("backward", 410, 490);
  run.op("aten::mm", 420, 430);
  SUBCASE("it has a step of the backward pass") {
    run.op(kStep + "MmBackward0", 600, 610);
    const Timeline t = run.finish();
    CHECK(phaseOfCall(t, "cudaLaunchKernel") == Phase::Forward);
    CHECK(phaseOfCall(t, "aten::ones_like") == Phase::Backward);
    CHECK(phaseOfCall(t, "aten::mm") == Phase::Forward);
  }
  SUBCASE("annotations name both the backward pass and the optimizer") {
    run.annotation("optimizer", 600, 700);
    run.op("aten::add_", 610, 620);
    const Timeline t = run.finish();
    CHECK(phaseOfCall(t, "aten::ones_like") == Phase::Backward);
    CHECK(phaseOfCall(t, "aten::add_") == Phase::Optimizer);
  }
  SUBCASE("it does not train") { CHECK(phaseOfCall(run.finish(), "aten::ones_like") == Phase::Forward); }
}

TEST_CASE("copies of input to the device are data where no module and no other phase calls them") {
  const auto copy = [](Run& run, int64_t correlation, int64_t startNs, std::string_view direction = "HtoD") {
    run.op("aten::to", startNs, startNs + 50);
    run.op("aten::copy_", startNs + 10, startNs + 40);
    run.call(correlation, startNs + 20, startNs + 30);
    run.add(EventKind::Copy, "Memcpy " + std::string(direction) + " (Pinned -> Device)", startNs + 60, startNs + 70,
            correlation);
  };
  Run run;
  SUBCASE("with the operators that copy") {
    copy(run, 1, 0);
    run.op("aten::mm", 100, 200);
    const Timeline t = run.finish();
    CHECK(Phases(t).of(EventIndex{0}) == Phase::Data);
    CHECK(phaseOfCall(t, "aten::to") == Phase::Data);
    CHECK(phaseOfCall(t, "cudaLaunchKernel") == Phase::Data);
    CHECK(phaseOfCall(t, "aten::mm") == Phase::Forward);
  }
  SUBCASE("without operators") {
    run.call(1, 10, 20);
    run.add(EventKind::Copy, "Memcpy HtoD (Pinned -> Device)", 30, 40, 1);
    CHECK(Phases(run.finish()).of(EventIndex{0}) == Phase::Data);
  }
  SUBCASE("not to the host") {
    copy(run, 1, 0, "DtoH");
    CHECK(Phases(run.finish()).of(EventIndex{0}) == Phase::Forward);
  }
  SUBCASE("not in an operator that computes") {
    run.op("aten::index", 0, 100);
    copy(run, 1, 10);
    CHECK(Phases(run.finish()).of(EventIndex{0}) == Phase::Forward);
  }
  SUBCASE("not in a module") {
    run.module("nn.Module: Net_0", 0, 100);
    copy(run, 1, 10);
    CHECK(Phases(run.finish()).of(EventIndex{0}) == Phase::Forward);
  }
  SUBCASE("not in the forward pass") {
    run.annotation("DistributedDataParallel.forward", 0, 100);
    copy(run, 1, 10);
    CHECK(Phases(run.finish()).of(EventIndex{0}) == Phase::Forward);
  }
  SUBCASE("not in the optimizer") {
    run.annotation("Optimizer.step#SGD.step", 0, 100);
    copy(run, 1, 10);
    CHECK(Phases(run.finish()).of(EventIndex{0}) == Phase::Optimizer);
  }
}
