// Uses the C library's getopt_long_only, which reads long options with one or two dashes. The option libraries of
// Debian 12 (CLI11 2.1, Boost.Program_options) do not. It also accepts abbreviations. Those are errors here, because a
// new option could change their meaning.
#include <fmt/format.h>
#include <getopt.h>

#include <algorithm>
#include <string>

#include "driver/options.h"
#include "support/edit_distance.h"

namespace amdahlc::driver {
namespace {

// Values of `option::val`, above every character that getopt may return for itself.
constexpr int kFirstOption = 256;

std::vector<option> longOptions() {
  std::vector<option> options;
  const auto add = [&](std::string_view name, OptionId id, Arity arity) {
    const int argument = arity == Arity::Flag       ? no_argument
                         : arity == Arity::Optional ? optional_argument
                                                    : required_argument;
    options.push_back({name.data(), argument, nullptr, kFirstOption + static_cast<int>(id)});
  };
  for (const OptionRow& row : optionTable()) add(row.name, row.id, row.arity);
  for (const OptionAlias& alias : optionAliases())
    add(alias.name, alias.id, alias.oldArity.value_or(row(alias.id).arity));
  options.push_back({nullptr, 0, nullptr, 0});
  return options;
}

std::string nameOf(std::string_view argument) {
  argument.remove_prefix(std::min(argument.find_first_not_of('-'), argument.size()));
  return std::string(argument.substr(0, argument.find('=')));
}

class CommandLineReader {
 public:
  CommandLineReader(SourceManager& sources, DiagnosticEngine& diagnostics)
      : sources_(sources), diagnostics_(diagnostics) {}

  Invocation read(int argc, char** argv) {
    const std::vector<option> options = longOptions();
    opterr = 0;
    optind = 1;
    for (;;) {
      const int at = optind;
      // `-`: operands come in order, as code 1; `:`: distinguishes a missing value from an unknown option.
      const int code = getopt_long_only(argc, argv, "-:", options.data(), nullptr);
      if (code == -1) break;
      const std::string argument = argv[at];
      if (code == 1)
        addInput(argument);
      else if (code >= kFirstOption)
        addOption(static_cast<OptionId>(code - kFirstOption), argument);
      else if (code == ':' || optopt >= kFirstOption)
        reportArity(row(static_cast<OptionId>(optopt - kFirstOption)), argument);
      else
        reportUnknown(argument);
      if (code == '?' && optind == at) break;  // `-:`: getopt would go on inside the argument
    }
    for (int i = optind; i < argc; ++i) addInput(argv[i]);
    return std::move(invocation_);
  }

 private:
  SourceRange wholeArgument(const std::string& text) {
    return {sources_.add("<command line>", text), 0, static_cast<uint32_t>(text.size())};
  }

  void addInput(const std::string& argument) {
    const SourceRange range = wholeArgument(argument);
    if (argument.empty())
      diagnostics_.error(DiagId::OptionUnknown, range, "an empty argument is not a file name");
    else
      invocation_.inputs.push_back({argument, range});
  }

  void addOption(OptionId id, const std::string& argument) {
    const OptionRow& option = row(id);
    const std::string name = nameOf(argument);
    const OptionAlias* alias = findAlias(name);
    if (name != option.name && !alias) return reportUnknown(argument);
    const std::string value = optarg ? optarg : "";
    const bool apart = optarg && argument.find('=') == std::string::npos;
    SourceRange range = wholeArgument(apart ? argument + " " + value : argument);
    range.begin = range.end - static_cast<uint32_t>(value.size());
    if (!optarg) range.begin = 0;
    // Two options became one flag: each of them may be given once.
    const auto repeats = [&](const Occurrence& given) {
      return given.id == id && (option.arity != Arity::Flag || given.spelling == name);
    };
    const auto first = std::ranges::find_if(invocation_.options, repeats);
    if (option.arity != Arity::Many && first != invocation_.options.end())
      diagnostics_.error(DiagId::OptionRepeated, range, fmt::format("option `-{}` may be given once only", option.name))
          .secondary(first->range, "first given here");
    invocation_.options.push_back({id, std::string(alias ? alias->value : "") + value, range, name});
  }

  void reportArity(const OptionRow& option, const std::string& argument) {
    const SourceRange range = wholeArgument(argument);
    const std::string name = nameOf(argument);
    const OptionAlias* alias = findAlias(name);
    if (name != option.name && !alias)
      reportUnknown(argument);
    else if ((alias ? alias->oldArity.value_or(option.arity) : option.arity) == Arity::Flag)
      diagnostics_.error(DiagId::OptionValue, range, fmt::format("option `-{}` takes no value", name));
    else
      diagnostics_.error(DiagId::OptionValue, range,
                         fmt::format("option `-{}` needs a value; write `-{}={}`", name, name,
                                     alias && alias->oldArity ? "..." : option.argument));
  }

  void reportUnknown(const std::string& argument) {
    const std::string name = nameOf(argument);
    std::vector<std::string> names;
    std::string hint;
    for (const OptionRow& offered : optionTable()) {
      if (offered.topic == Topic::Hidden) continue;
      const std::string known(offered.name);
      names.push_back("-" + known);
      // For an abbreviation, suggests an option that begins with it, not one of similar spelling.
      if (hint.empty() && !name.empty() && known.starts_with(name)) hint = fmt::format("; did you mean `-{}`?", known);
    }
    if (hint.empty()) hint = didYouMean("-" + name, names);
    diagnostics_.error(DiagId::OptionUnknown, wholeArgument(argument),
                       fmt::format("unknown option `{}`{}", argument.substr(0, argument.find('=')),
                                   hint.empty() ? "; `-help` lists them" : hint));
  }

  SourceManager& sources_;
  DiagnosticEngine& diagnostics_;
  Invocation invocation_;
};

}  // namespace

Invocation readCommandLine(int argc, char** argv, SourceManager& sources, DiagnosticEngine& diagnostics) {
  return CommandLineReader(sources, diagnostics).read(argc, argv);
}

}  // namespace amdahlc::driver
