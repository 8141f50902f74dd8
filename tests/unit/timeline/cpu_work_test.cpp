#include "timeline/cpu_work.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/unit/timeline/timeline_fixture.h"

using namespace amdahlc;
using namespace amdahlc::testing;

namespace {

std::string workOf(const Timeline& t) {
  std::string out;
  for (EventIndex event = 0; event < t.size(); ++event)
    out += std::string(t.text(t.name[event])) + ":" + std::to_string(t.durationNs[event]) + " ";
  return out;
}

}  // namespace

TEST_CASE("the innermost operator that computes is the event, with the operators that it calls") {
  Run run;
  run.op("aten::linear", 1, 1001);
  run.op("aten::t", 10, 20);
  run.op("aten::transpose", 11, 19);
  run.op("aten::addmm", 100, 901);
  run.op("aten::expand", 110, 120);
  run.op("aten::as_strided", 111, 115);
  run.op("aten::copy_", 130, 200);
  run.op("aten::view", 950, 960);
  const Timeline t = run.finish();
  CHECK_FALSE(t.hasDevice);
  CHECK(workOf(t) == "aten::addmm:801 ");
  const EventIndex addmm = find(t, "aten::addmm");
  CHECK(t.host->launch[addmm] == findHost(t, "aten::addmm"));
  CHECK(t.host->launchOp[addmm] == findHost(t, "aten::addmm"));
  CHECK(t.host->operatorChain(addmm) ==
        std::vector<HostEventId>{findHost(t, "aten::addmm"), findHost(t, "aten::linear")});
}

TEST_CASE("a copy is an event if it is not a detail of an operator that computes") {
  Run run;
  run.op("aten::matmul", 1, 500);
  run.op("aten::reshape", 10, 100);
  run.op("aten::clone", 20, 90);
  run.op("aten::copy_", 30, 80);
  run.op("aten::bmm", 200, 400);
  run.op("aten::reshape", 600, 650);
  run.op("aten::view", 610, 620);
  run.op("aten::zero_", 700, 750);
  run.op("aten::empty", 800, 810);
  CHECK(workOf(run.finish()) == "aten::reshape:90 aten::bmm:200 aten::zero_:50 ");
}

TEST_CASE("compiled regions and the autograd engine are looked into; dropout is work only in training") {
  Run run;
  run.op("Torch-Compiled Region: 0/0", 1, 500);
  run.op("aten::addmm", 10, 100);
  run.op("autograd::engine::evaluate_function: AddmmBackward0", 600, 700);
  run.op("AddmmBackward0", 610, 690);
  run.op("aten::mm", 620, 680);
  run.op("aten::dropout", 800, 810);
  run.op("aten::dropout", 900, 1000);
  run.op("aten::bernoulli_", 910, 950);
  CHECK(workOf(run.finish()) == "aten::addmm:90 aten::mm:60 aten::bernoulli_:40 ");
}

TEST_CASE("with a device no operator is an event") {
  Run run;
  run.op("aten::addmm", 10, 100);
  run.launch("gemm", 1, 20);
  CHECK(workOf(run.finish()) == "gemm:50 ");
}
