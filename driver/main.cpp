#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "driver/command.h"

namespace {

/// Says what the exception that is being handled means; the exit status.
int reportException() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    std::fputs("amdahlc: error[out-of-memory]: memory ran out; no output was written; `-max-memory=` sets the limit\n",
               stderr);
  } catch (const std::exception& exception) {
    std::fprintf(stderr,
                 "amdahlc: internal error: %s\namdahlc: this is a bug in amdahlc; no output was written; "
                 "`-verify-each` and `-print-after-all` say more\n",
                 exception.what());
  }
  return static_cast<int>(amdahlc::driver::Outcome::InputFault);
}

/// Ends the process with an error where an exception leaves a function that is `noexcept`. Without memory, destructors
/// of nlohmann::json do that: they allocate.
[[noreturn]] void endProcess() {
  if (std::current_exception()) ::_exit(reportException());
  std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(endProcess);
  try {
    return static_cast<int>(amdahlc::driver::runCommand(argc, argv));
  } catch (const std::exception&) {
    return reportException();
  }
}
