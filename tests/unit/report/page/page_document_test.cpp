#include "report/page/page_document.h"

#include <doctest/doctest.h>

#include "report/page/page_assets.h"

namespace amdahlc::page {
namespace {

size_t count(std::string_view text, std::string_view part) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++found;
  return found;
}

TEST_CASE("a page is one document with a policy, the summary, the data and the script") {
  if (absenceOfPage()) return;
  const std::string page = write({.title = "run <1>",
                                  .summary = "<h1>run</h1>\n",
                                  .report = "{}\n",
                                  .runs = "[{\"label\":\"</script><!--&\u2028\"}]",
                                  .columns = {{"0/strings", encodedText("names")}}});
  CHECK(page.starts_with("<!doctype html>\n"));
  CHECK(page.ends_with("</script>\n</body>\n</html>\n"));
  CHECK(count(page, "<title>run &lt;1&gt;: amdahlc</title>") == 1);
  CHECK(count(page, "default-src 'none'; script-src '" + std::string(kAssets.scriptHash) + "' 'wasm-unsafe-eval';") ==
        1);
  CHECK(count(page, "<style>" + std::string(kAssets.style) + "</style>") == 1);
  CHECK(count(page, "<script>" + std::string(kAssets.script) + "</script>") == 1);
  CHECK(count(page, "<section id=\"summary\">\n<h1>run</h1>\n</section>") == 1);
  CHECK(count(page,
              "<script type=\"application/octet-stream\" id=\"c0\">" + encodedText("names").base64 + "</script>") == 1);
  CHECK(count(page,
              "\"columns\":[{\"id\":\"c0\",\"name\":\"0/strings\",\"type\":\"text\",\"length\":5,\"encoding\":"
              "\"planes\",\"planes\":1,\"deflated\":false}]") == 1);
  // A name cannot end the element that it is in.
  CHECK(count(page, "\"runs\":[{\"label\":\"\\u003c/script\\u003e\\u003c!--\\u0026\u2028\"}]}</script>") == 1);
  CHECK(count(page, "<script") == (kAssets.replay.empty() ? 4 : 5));
}

TEST_CASE("a text is no markup") {
  using namespace std::string_view_literals;
  CHECK(escaped("<a href=\"b\">'&amp;") == "&lt;a href=&quot;b&quot;&gt;&#39;&amp;amp;");
  CHECK(escaped("a\0b\x1b\n\u202e\xff"sv) == "a?b????");
}

}  // namespace
}  // namespace amdahlc::page
