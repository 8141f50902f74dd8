#include "grammar/lsp/uri.h"

#include <doctest/doctest.h>

namespace amdahlc::lsp {
namespace {

TEST_CASE("a path and its URI") {
  CHECK(uriOf("/a b/é%.akp") == "file:///a%20b/%C3%A9%25.akp");
  CHECK(pathOf("file:///a%20b/%C3%A9%25.akp") == "/a b/é%.akp");
  CHECK(pathOf(uriOf("/x/:?#[]@!$&'()*+,;=")) == "/x/:?#[]@!$&'()*+,;=");
}

TEST_CASE("several URIs of one path") {
  for (const char* uri : {"file:///a/b.akp", "file:/a/b.akp", "FILE:///a/b.akp", "file://localhost/a/b.akp",
                          "file:///a/./c/../b.akp", "file:///a/%62.akp", "file:///a/b.akp?x#y"})
    CHECK(pathOf(uri) == "/a/b.akp");
}

TEST_CASE("what names no file here") {
  for (const char* uri : {"", "untitled:a", "http://a/b", "file:", "file:a", "file://host/a", "file://host",
                          "file:///%", "file:///%0", "file:///%0g", "file:///%00", "file:///%-1"})
    CHECK_FALSE(pathOf(uri));
}

}  // namespace
}  // namespace amdahlc::lsp
