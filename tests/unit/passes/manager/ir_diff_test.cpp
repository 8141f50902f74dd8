#include "passes/manager/ir_diff.h"

#include <doctest/doctest.h>

#include <string>

using amdahlc::unifiedDiff;

TEST_CASE("a diff has hunks with three lines around each change") {
  CHECK(unifiedDiff("a\nb\n", "a\nb\n").empty());
  CHECK(unifiedDiff("", "a\n") == "@@ -0,0 +1,1 @@\n+a\n");
  CHECK(unifiedDiff("a\n", "") == "@@ -1,1 +0,0 @@\n-a\n");
  CHECK(unifiedDiff("1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\nx\n6\n") == "@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+x\n 6\n");
  // Two changes with seven equal lines between them are two hunks, with six one.
  CHECK(unifiedDiff("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "1\n2\n3\n4\n5\n6\n7\n") ==
        "@@ -1,4 +1,3 @@\n-a\n 1\n 2\n 3\n@@ -6,4 +5,3 @@\n 5\n 6\n 7\n-b\n");
  CHECK(unifiedDiff("a\n1\n2\n3\n4\n5\n6\nb\n", "1\n2\n3\n4\n5\n6\n") ==
        "@@ -1,8 +1,6 @@\n-a\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n");
}

TEST_CASE("applying a diff to the old text gives the new one") {
  // All pairs of texts of up to four lines of three kinds.
  const auto textOf = [](int number) {
    std::string text;
    for (; number > 0; number /= 4)
      if (number % 4 > 0) text += std::string(1, static_cast<char>('a' + number % 4)) + "\n";
    return text;
  };
  for (int i = 0; i < 256; ++i)
    for (int k = 0; k < 256; ++k) {
      const std::string before = textOf(i), after = textOf(k);
      const std::string diff = unifiedDiff(before, after);
      std::string kept, made;
      for (size_t at = 0; at < diff.size(); at = diff.find('\n', at) + 1) {
        const std::string line = diff.substr(at + 1, diff.find('\n', at) - at);
        if (diff[at] == '@') continue;
        if (diff[at] != '+') kept += line;
        if (diff[at] != '-') made += line;
      }
      // Texts as short as these are one hunk, which leaves out equal lines at its ends only.
      const size_t left = before.size() - kept.size();
      if (diff.empty()) {
        REQUIRE(before == after);
        continue;
      }
      bool fits = false;
      for (size_t head = 0; head <= left; ++head)
        fits = fits || (before.substr(0, head) + kept + before.substr(head + kept.size()) == before &&
                        before.substr(0, head) + made + before.substr(head + kept.size()) == after);
      REQUIRE(fits);
    }
}
