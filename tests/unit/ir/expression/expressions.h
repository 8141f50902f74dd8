/// Short functions that build expressions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ir/expr.h"

namespace amdahlc::test {

inline ir::Expr leaf(ir::Expr::Kind kind, std::string text) {
  ir::Expr expr;
  expr.kind = kind;
  expr.text = std::move(text);
  return expr;
}
inline ir::Expr name(std::string text) { return leaf(ir::Expr::Kind::Name, std::move(text)); }
inline ir::Expr text(std::string text) { return leaf(ir::Expr::Kind::String, std::move(text)); }
inline ir::Expr regex(std::string text) { return leaf(ir::Expr::Kind::Regex, std::move(text)); }
inline ir::Expr number(int64_t value) {
  ir::Expr expr = leaf(ir::Expr::Kind::Int, "");
  expr.integer = value;
  return expr;
}
inline ir::Expr real(double value) {
  ir::Expr expr = leaf(ir::Expr::Kind::Float, "");
  expr.real = value;
  return expr;
}
inline ir::Expr make(ir::Expr::Kind kind, std::vector<ir::Expr> args) {
  ir::Expr expr = leaf(kind, "");
  expr.args = std::move(args);
  return expr;
}
inline ir::Expr call(std::string function, std::vector<ir::Expr> args) {
  ir::Expr expr = make(ir::Expr::Kind::Call, std::move(args));
  expr.text = std::move(function);
  return expr;
}

}  // namespace amdahlc::test
