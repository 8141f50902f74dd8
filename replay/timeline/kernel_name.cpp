#include "replay/timeline/kernel_name.h"

#include <algorithm>

namespace amdahlc {
namespace {

constexpr std::string_view kLanguageNamespaces[] = {"(anonymous namespace)::", "<unnamed>::", "std::"};

/// The length of a namespace of the list at the start of `text`; 0 for none.
size_t namespaceLength(std::string_view text, std::span<const std::string_view> namespaces) {
  for (const std::string_view one : namespaces)
    if (text.starts_with(one)) return one.size();
  return 0;
}

/// The function's own name and template arguments, without return type and parameter list. Brackets are matched,
/// because the `>` of a comparison among template arguments, `(((8)>(4)))`, is not a closing bracket.
std::string_view functionPart(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  std::string open;
  size_t begin = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (open.empty() && name.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
      continue;
    }
    if (open.empty() && c == '(' && i > begin) return name.substr(begin, i - begin);
    if (open.empty() && c == ' ') begin = i + 1;
    if (c == '<' || c == '(' || c == '{') open += c;
    const char opener = c == '>' ? '<' : c == ')' ? '(' : c == '}' ? '{' : '\0';
    if (opener != '\0' && !open.empty() && open.back() == opener) open.pop_back();
  }
  return name.substr(begin);
}

}  // namespace

std::string shortKernelName(std::string_view name, size_t width, std::span<const std::string_view> namespaces) {
  // Names of copies look like calls but are not: `Memcpy HtoD (Pageable -> Device)`.
  const size_t paren = name.find('(');
  const bool isCall = paren != std::string_view::npos && paren > 0 && name[paren - 1] != ' ';
  const bool isFunction = isCall || name.find("::") != std::string_view::npos || name.starts_with("void ");
  if (isFunction) name = functionPart(name);
  std::string out;
  for (size_t i = 0; i < name.size();) {
    const size_t skipped =
        std::max(namespaceLength(name.substr(i), namespaces), namespaceLength(name.substr(i), kLanguageNamespaces));
    i += skipped;
    if (skipped == 0) out += name[i++];
  }
  // Template arguments make up most of a long name. The functor that distinguishes kernels is one of the first.
  if (out.size() <= width) return out;
  const size_t tail = width / 4;
  return out.substr(0, width - tail - 3) + "..." + out.substr(out.size() - tail);
}

}  // namespace amdahlc
