/// The ONNX library's messages in this project's words. Private to this component.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>

namespace amdahlc::ir::onnx_import {

/// One line, lower case, without tags, context or final period.
std::string libraryMessage(std::string_view message);

/// Calls the ONNX library, which throws exceptions that it does not document. `fail` gets their text; only the lack of
/// memory goes on.
template <typename Work, typename Fail>
auto callLibrary(const Work& work, const Fail& fail) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& failure) {
    return fail(failure.what());
  }
}

}  // namespace amdahlc::ir::onnx_import
