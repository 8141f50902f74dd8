#include "runs/execution_trace/link.h"

#include <doctest/doctest.h>

#include <string>

#include "runs/execution_trace/sequence_alignment.h"
#include "tests/unit/runs/execution_trace/execution_trace_fixture.h"

using namespace amdahlc;
using namespace amdahlc::testing;
using namespace amdahlc::execution_trace;

namespace {

std::vector<int64_t> idsOf(const ExecutionTrace& trace, const Links& links) {
  std::vector<int64_t> ids;
  for (const NodeId node : links.nodeOf) ids.push_back(node.isNone() ? -1 : trace.id[node]);
  return ids;
}

using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

std::optional<Alignment> aligned(std::string_view left, std::string_view right, size_t most = 100) {
  const std::vector<uint32_t> a(left.begin(), left.end()), b(right.begin(), right.end());
  return align(a, b, most);
}

}  // namespace

TEST_CASE("calls are linked by id and name, equal ones in their order if there are as many") {
  const ExecutionTrace trace = traceOf({{1, 1, "p"}, {2, 1, "a"}, {3, 1, "b"}});
  const std::vector<HostCall> calls = {{"a", 1002}, {"b", 1002}, {"b", 1003}, {"c", 1003}, {"a", -1}};
  const Links links = linkCalls(trace, calls);
  CHECK(links.byIds);
  CHECK(idsOf(trace, links) == std::vector<int64_t>{2, -1, 3, -1, -1});
  CHECK(links.linked == 2);
  CHECK(links.nodes == 3);
  CHECK(links.belongTogether);
  CHECK(describe(links) == "2 of 5 calls are linked by ids to the 3 of the execution trace");

  const auto twice = [](int64_t id) {
    return fmt::format(R"({{"id":{},"name":"f","ctrl_deps":1,"attrs":[{{"name":"rf_id","value":9}}]}})", id);
  };
  const EtRead read = readExecutionTraceText(document({twice(2), twice(3)}));
  REQUIRE(read.trace);
  const std::vector<HostCall> two = {{"f", 9}, {"f", 9}}, one = {{"f", 9}};
  CHECK(idsOf(*read.trace, linkCalls(*read.trace, two)) == std::vector<int64_t>{2, 3});
  CHECK(idsOf(*read.trace, linkCalls(*read.trace, one)) == std::vector<int64_t>{-1});
  CHECK(linkCalls(*read.trace, one).ambiguous == 1);
  CHECK_FALSE(linkCalls(*read.trace, one).belongTogether);
}

TEST_CASE("without ids the names of the most similar threads are aligned") {
  const ExecutionTrace trace = traceOf({{2, 2, "a"},
                                        {3, 3, "x", {}, {}, "", 2},
                                        {4, 2, "b"},
                                        {5, 3, "y", {}, {}, "", 2},
                                        {6, 2, "c"},
                                        {7, 3, "z", {}, {}, "", 2}});
  const std::vector<HostCall> calls = {{"x", -1, 40}, {"a", -1, 30}, {"y", -1, 40}, {"b", -1, 30},
                                       {"n", -1, 30}, {"c", -1, 30}, {"z", -1, 40}, {"a", -1, 50}};
  const Links links = linkCalls(trace, calls);
  CHECK_FALSE(links.byIds);
  CHECK(idsOf(trace, links) == std::vector<int64_t>{3, 2, 5, 4, -1, 6, 7, -1});
  CHECK(links.belongTogether);
  const std::vector<HostCall> others = {{"a", -1, 30}, {"q", -1, 30}, {"r", -1, 30}};
  CHECK_FALSE(linkCalls(trace, others).belongTogether);
  CHECK_FALSE(linkCalls(trace, {}).belongTogether);
}

TEST_CASE("an alignment has the fewest differences, and leaves out what could be otherwise") {
  CHECK(aligned("", "")->pairs.empty());
  CHECK(aligned("abc", "abc")->pairs == Pairs{{0, 0}, {1, 1}, {2, 2}});
  CHECK(aligned("abxc", "abc")->pairs == Pairs{{0, 0}, {1, 1}, {3, 2}});
  CHECK(aligned("abc", "xaybz")->pairs == Pairs{{0, 1}, {1, 3}});
  CHECK(aligned("abc", "xyz")->pairs.empty());
  CHECK(aligned("a", "")->pairs.empty());
  CHECK(aligned("", "ab")->pairs.empty());
  const auto rows = aligned("pxxxq", "pxxq");
  CHECK(rows->pairs == Pairs{{0, 0}, {4, 3}});
  CHECK(rows->ambiguous == 2);
  // Of three equal steps against two.
  CHECK(aligned("ababab", "abab")->pairs.empty());
  CHECK(aligned("1ab2ab3ab", "1ab3ab")->pairs == Pairs{{0, 0}, {6, 3}, {7, 4}, {8, 5}});
  CHECK_FALSE(aligned("abcd", "wxyz", 7));
  CHECK(aligned("abcd", "wxyz", 8));
}
