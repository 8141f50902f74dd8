/// A stream over tokens that lie in memory. Private to this component.
#pragma once

#include <string>
#include <vector>

#include "antlr4-runtime.h"

namespace amdahlc::grammar {

/// The last token is the end of the file.
class TokenView : public antlr4::TokenStream {
 public:
  explicit TokenView(std::vector<antlr4::Token*> tokens) : tokens_(std::move(tokens)) {}

  antlr4::Token* LT(ssize_t k) override {
    const ssize_t at = static_cast<ssize_t>(at_) + (k > 0 ? k - 1 : k);
    if (at < 0) return nullptr;
    return tokens_[std::min(static_cast<size_t>(at), tokens_.size() - 1)];
  }
  size_t LA(ssize_t k) override { return LT(k)->getType(); }
  void consume() override { ++at_; }
  size_t index() override { return at_; }
  void seek(size_t index) override { at_ = std::min(index, tokens_.size() - 1); }
  size_t size() override { return tokens_.size(); }
  antlr4::Token* get(size_t index) const override { return tokens_[index]; }
  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}

  // The text is read from the file, and no token is made by the parser.
  std::string getSourceName() const override { return {}; }
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  std::string getText(const antlr4::misc::Interval&) override { return {}; }
  std::string getText() override { return {}; }
  std::string getText(antlr4::RuleContext*) override { return {}; }
  std::string getText(antlr4::Token*, antlr4::Token*) override { return {}; }

 private:
  std::vector<antlr4::Token*> tokens_;
  size_t at_ = 0;
};

}  // namespace amdahlc::grammar
