#include <doctest/doctest.h>

#include "tests/unit/runs/execution_trace/execution_trace_fixture.h"

using namespace amdahlc;
using namespace amdahlc::testing;

namespace {

EtValue integer(int64_t number) { return {std::to_string(number), "Int"}; }
EtValue text(const std::string& text) { return {'"' + text + '"', "String"}; }

EtCall record(int64_t id, const std::vector<EtValue>& values) { return {id, 1, "record_param_comms", values}; }

std::optional<int64_t> rankOf(std::vector<EtCall> calls) {
  calls.push_back({1, 1, "process"});
  return execution_trace::statedRank(traceOf(calls));
}

}  // namespace

TEST_CASE("the rank stands before the name of the operation, behind tensors and the group") {
  const EtCall sum = record(3, {tensor(2, 20, {4}), integer(147), integer(9), integer(3), text("allreduce")});
  CHECK(rankOf({sum}) == 3);
  CHECK(rankOf({sum, record(5, {integer(147), integer(0), integer(3), text("wait")})}) == 3);
  // The group is a tuple of texts.
  CHECK(rankOf({record(3, {tensor(2, 20, {4}), integer(1), listOf({text("0"), text("default")}), integer(7),
                           text("barrier"), integer(8)})}) == 7);
}

TEST_CASE("a rank is not stated where records differ, have none, or where there is no record") {
  const EtCall one = record(3, {integer(1), integer(0), integer(3), text("wait")});
  CHECK_FALSE(rankOf({one, record(5, {integer(1), integer(0), integer(4), text("wait")})}));
  CHECK_FALSE(rankOf({record(3, {tensor(2, 20, {4}), text("wait")})}));
  CHECK_FALSE(rankOf({record(3, {integer(-1), text("wait")})}));
  CHECK_FALSE(rankOf({{3, 1, "lib::f", {integer(3), text("wait")}}}));
}
