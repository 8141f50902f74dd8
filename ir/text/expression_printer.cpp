// Expressions as the rule language writes them, with the parentheses that it needs and no others, so that a text is no
// longer than the one that the expression was read from.
#include <algorithm>

#include "ir/text.h"
#include "ir/text/escape.h"
#include "ir/text/rule_words.h"

namespace amdahlc::ir {
namespace {

using Kind = Expr::Kind;

Binding tighter(Binding binding) { return static_cast<Binding>(static_cast<uint8_t>(binding) + 1); }

bool isNumber(const Expr& expr) { return expr.kind == Kind::Int || expr.kind == Kind::Float; }

/// Whether it is what `x in a..b` means.
bool isRange(const Expr& expr) {
  return expr.kind == Kind::And && expr.args.size() == 2 && expr.args[0].kind == Kind::Ge &&
         expr.args[1].kind == Kind::Le && expr.args[0].args.size() == 2 && expr.args[1].args.size() == 2 &&
         expr.args[0].args[0] == expr.args[1].args[0];
}

/// The expression that a range or a list of values tests; nullptr for another expression.
const Expr* testedBy(const Expr& expr) {
  if (isRange(expr)) return &expr.args[0].args[0];
  return expr.kind == Kind::In && expr.args.size() > 1 ? &expr.args[0] : nullptr;
}

/// Whether it is what `x in (a, b..c)` means, a list with ranges.
bool isListOfRanges(const Expr& expr) {
  if (expr.kind != Kind::Or || expr.args.size() < 2) return false;
  const Expr* tested = testedBy(expr.args[0]);
  return tested != nullptr && std::all_of(expr.args.begin() + 1, expr.args.end(),
                                          [&](const Expr& arg) { return isRange(arg) && *testedBy(arg) == *tested; });
}

class ExpressionPrinter {
 public:
  std::string take() { return std::move(out_); }

  void print(const Expr& expr, Binding least) {
    if (const Expr* tested = isListOfRanges(expr) ? testedBy(expr.args[0]) : testedBy(expr)) {
      const bool parentheses = least > Binding::Comparison;
      if (parentheses) out_ += '(';
      print(*tested, Binding::Sum);
      out_ += " in ";
      printValues(expr);
      if (parentheses) out_ += ')';
    } else if (expr.kind == Kind::Or && least <= Binding::Alternatives &&
               (least != Binding::Or || std::ranges::all_of(expr.args, isRegex))) {
      // `|` binds like an alternative.
      join(expr, 0, " | ", Binding::Not);
    } else if (const Binding own = bindingOf(expr); own < least) {
      out_ += '(';
      print(expr, Binding::Or);
      out_ += ')';
    } else {
      printBare(expr, own);
    }
  }

 private:
  static bool isRegex(const Expr& expr) { return expr.kind == Kind::Regex; }
  /// A negative number is a unary expression.
  static Binding bindingOf(const Expr& expr) {
    const bool negative = (expr.kind == Kind::Int && expr.integer < 0) || (expr.kind == Kind::Float && expr.real < 0);
    if (negative) return Binding::Unary;
    const OperatorInfo* row = findOperator(expr.kind);
    return row != nullptr ? row->binding : Binding::Primary;
  }

  void join(const Expr& expr, size_t from, std::string_view separator, Binding each) {
    for (size_t i = from; i < expr.args.size(); ++i) {
      if (i != from) out_ += separator;
      print(expr.args[i], each);
    }
  }

  void printRange(const Expr& range, bool inList) {
    const Expr &low = range.args[0].args[1], &high = range.args[1].args[1];
    const bool parentheses = !inList && !(isNumber(low) && isNumber(high));
    if (parentheses) out_ += '(';
    print(low, Binding::Sum);
    out_ += "..";
    print(high, Binding::Sum);
    if (parentheses) out_ += ')';
  }

  /// Behind `in`.
  void printValues(const Expr& expr) {
    if (isRange(expr)) return printRange(expr, false);
    out_ += '(';
    if (expr.kind == Kind::In) {
      join(expr, 1, ", ", Binding::Sum);
    } else {
      for (const Expr& arg : expr.args) {
        if (&arg != &expr.args.front()) out_ += ", ";
        if (isRange(arg))
          printRange(arg, true);
        else
          join(arg, 1, ", ", Binding::Sum);
      }
    }
    out_ += ')';
  }

  void printBare(const Expr& expr, Binding own) {
    switch (expr.kind) {
      case Kind::Int:
        out_ += std::to_string(expr.integer);
        return;
      case Kind::Float:
        appendNumber(out_, expr.real);
        return;
      case Kind::Bool:
        out_ += expr.integer != 0 ? "true" : "false";
        return;
      case Kind::String:
        appendQuoted(out_, expr.text);
        return;
      case Kind::Regex:
        out_ += regexLiteral(expr.text);
        return;
      case Kind::Name:
        out_ += expr.text;
        return;
      case Kind::Call: {
        const bool isList = expr.text == kListConstructor;
        if (!isList) out_ += expr.text;
        out_ += isList ? '[' : '(';
        join(expr, 0, ", ", Binding::Or);
        out_ += isList ? ']' : ')';
        return;
      }
      case Kind::Not:
        out_ += "not ";
        join(expr, 0, "", Binding::Comparison);
        return;
      case Kind::Neg:
        out_ += '-';
        join(expr, 0, "", Binding::Primary);
        return;
      case Kind::And:
      case Kind::Or:
        join(expr, 0, expr.kind == Kind::And ? " and " : " or ", tighter(own));
        return;
      default:
        printInfix(expr, own);
    }
  }

  void printInfix(const Expr& expr, Binding own) {
    if (expr.args.size() != 2) return;
    const size_t begin = out_.size();
    // Comparisons do not chain; arithmetic is read from the left.
    print(expr.args[0], own == Binding::Comparison ? Binding::Sum : own);
    const size_t word = out_.find_last_not_of("abcdefghijklmnopqrstuvwxyz", out_.size()) + 1;
    // Behind a keyword, `/` would begin a regular expression.
    if (expr.kind == Kind::Div && isRuleKeyword(std::string_view(out_).substr(std::max(word, begin)))) {
      out_.insert(begin, "(");
      out_ += ')';
    }
    out_ += ' ';
    out_ += findOperator(expr.kind)->spelling;
    out_ += ' ';
    print(expr.args[1], tighter(own));
  }

  std::string out_;
};

}  // namespace

std::string printExpression(const Expr& expr, bool asOperand) {
  ExpressionPrinter printer;
  printer.print(expr, asOperand ? Binding::Primary : Binding::Or);
  return printer.take();
}

}  // namespace amdahlc::ir
