/// What every page holds, whatever the run: script, style, and the module that replays runs.
#pragma once

#include <string_view>

namespace amdahlc::page {

/// Texts are those of their elements, and a hash is of these bytes, as a source of a Content Security Policy.
struct Assets {
  /// Empty where the build lacks what bundles the page.
  std::string_view script;
  std::string_view scriptHash;
  std::string_view style;
  std::string_view styleHash;
  /// A module of WebAssembly as base64; empty where the build lacks the toolchain.
  std::string_view replay;
};

/// Made by `bundle.py` when the project is built.
extern const Assets kAssets;

}  // namespace amdahlc::page
