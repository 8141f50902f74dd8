#include "replay/timeline/cpu_work.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/unit/replay/timeline/timeline_fixture.h"

using namespace amdahlc;
using namespace amdahlc::testing;

namespace {

std::string namesOf(const Timeline& t, const IdVector<HostEventId, bool>& chosen) {
  std::string out;
  for (const HostEventId event : chosen.ids())
    if (chosen[event]) out += std::string(t.text(t.host->name[event])) + " ";
  return out;
}

std::string leavesOf(Run& run) {
  const Timeline t = run.finish();
  const CpuWork work(t);
  IdVector<HostEventId, bool> leaves(work.leafOf.size(), false);
  for (const HostEventId event : leaves.ids()) leaves[event] = work.leafOf[event] == event;
  return namesOf(t, leaves);
}

std::string computingOf(Run& run) {
  const Timeline t = run.finish();
  return namesOf(t, CpuWork(t).computes);
}

void linear(Run& run) {
  run.op("aten::linear", 1, 1001);
  run.op("aten::t", 10, 20);
  run.op("aten::transpose", 11, 19);
  run.op("aten::addmm", 100, 901);
  run.op("aten::expand", 110, 120);
  run.op("aten::as_strided", 111, 115);
  run.op("aten::copy_", 130, 200);
  run.op("aten::view", 950, 960);
}

}  // namespace

TEST_CASE("the innermost operator that computes is the leaf") {
  Run run;
  linear(run);
  CHECK(leavesOf(run) == "aten::addmm ");
}

TEST_CASE("a copy is a leaf if it is not a detail of an operator that computes") {
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
  CHECK(leavesOf(run) == "aten::reshape aten::bmm aten::zero_ ");
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
  CHECK(leavesOf(run) == "aten::addmm aten::mm aten::bernoulli_ ");
}

TEST_CASE("an operator without a duration may be a leaf, and so may one of a trace with a device") {
  Run run;
  run.op("aten::relu", 10, 10);
  run.op("aten::addmm", 20, 100);
  run.launch("gemm", 1, 30);
  CHECK(leavesOf(run) == "aten::relu aten::addmm ");
}

TEST_CASE("all operators of a call compute if something inside the call does") {
  Run run;
  linear(run);
  CHECK(computingOf(run) ==
        "aten::linear aten::t aten::transpose aten::addmm aten::expand aten::as_strided aten::copy_ aten::view ");
}

TEST_CASE("a call of views and allocations computes nothing; a copy or fill inside makes a detail compute") {
  Run run;
  run.op("aten::flatten", 1, 20);
  run.op("aten::view", 5, 10);
  run.op("aten::reshape", 30, 90);
  run.op("aten::clone", 35, 80);
  run.op("aten::empty_like", 40, 45);
  run.op("aten::copy_", 50, 70);
  run.op("aten::fill_", 100, 110);
  run.op("aten::expand", 120, 130);
  run.op("aten::copy_", 122, 128);
  run.op("aten::relu", 140, 150);
  CHECK(computingOf(run) == "aten::reshape aten::clone aten::empty_like aten::copy_ aten::fill_ aten::relu ");
}

TEST_CASE("a call is the outermost operator inside the innermost module frame") {
  Run run;
  run.op("Torch-Compiled Region: 0/0", 1, 1000);
  run.op("aten::view", 5, 10);
  run.module("nn.Module: Outer_0", 20, 900);
  run.op("fused::block", 30, 500);
  run.op("aten::empty", 40, 50);
  run.module("nn.Module: Inner_0", 60, 300);
  run.add(EventKind::Frame, "forward", 65, 290);
  run.op("aten::slice", 70, 80);
  run.op("aten::as_strided", 72, 78);
  run.op("aten::add", 100, 200);
  run.op("aten::empty_strided", 110, 120);
  run.op("region", 400, 450);
  run.op("aten::t", 410, 420);
  run.op("region", 600, 700);
  run.op("aten::t", 610, 620);
  // The region inside the block belongs to its call; the other regions belong to none, and their views are calls.
  CHECK(computingOf(run) == "fused::block aten::empty aten::add aten::empty_strided region aten::t ");
}
