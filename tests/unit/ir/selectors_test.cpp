#include "ir/selectors.h"

#include <doctest/doctest.h>

namespace amdahlc::ir {
namespace {

void checkRead(std::string_view text, SelectorKind kind, std::string_view selected) {
  CAPTURE(text);
  CHECK(parseSelector(text).kind == kind);
  CHECK(parseSelector(text).text == selected);
}

TEST_CASE("a prefix gives the kind, two slashes are a regular expression, and other text is a bare name") {
  checkRead("kernel:3", SelectorKind::KernelId, "3");
  checkRead("id:3", SelectorKind::KernelId, "3");
  checkRead("op:MatMul", SelectorKind::OperatorType, "MatMul");
  checkRead("/^re/", SelectorKind::Regex, "^re");
  checkRead("/encoder/MatMul", SelectorKind::Any, "/encoder/MatMul");
  checkRead("//", SelectorKind::Any, "//");
  checkRead("regex:a", SelectorKind::Any, "regex:a");
  checkRead("node:", SelectorKind::Node, "");
  checkRead("node", SelectorKind::Any, "node");
  checkRead("device", SelectorKind::Device, "");
  checkRead("device:a", SelectorKind::Any, "device:a");
  checkRead("host-op:mm", SelectorKind::HostOperator, "mm");
}

TEST_CASE("every kind is read again from its spelling and from its name") {
  for (const SelectorRow& row : selectorTable()) {
    const std::string_view text = row.subject == SelectorSubject::Whole ? "" : "a.b";
    checkRead(describe(row.kind, text), row.kind, text);
    CHECK(selectorKindFromName(row.name) == row.kind);
    CHECK(name(row.kind) == row.name);
  }
  CHECK_FALSE(selectorKindFromName("kernels"));
}

TEST_CASE("every kind with a name has a key") {
  for (const SelectorRow& row : selectorTable()) {
    size_t keys = 0;
    for (const SelectorKey& key : selectorKeys()) keys += key.kind == row.kind;
    CHECK((keys >= 1) == (row.subject != SelectorSubject::Whole));
  }
}

}  // namespace
}  // namespace amdahlc::ir
