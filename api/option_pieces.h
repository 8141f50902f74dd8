/// Values of options that are lists.
#pragma once

#include <string>
#include <vector>

#include "support/source.h"

namespace amdahlc::api {

/// A part of a value, with its range.
struct Piece {
  std::string text;
  SourceRange range;
};

/// The parts between `separator`; blanks around them are dropped. The value of a configuration file may be written with
/// escapes; then all parts share its range.
std::vector<Piece> split(const std::string& value, SourceRange range, char separator);

}  // namespace amdahlc::api
