#include <cstdio>
#include <exception>
#include <new>

#include "driver/command.h"

int main(int argc, char** argv) {
  try {
    return static_cast<int>(amdahlc::driver::runCommand(argc, argv));
  } catch (const std::bad_alloc&) {
    std::fputs(
        "amdahlc: error[out-of-memory]: memory ran out; no output was written; `-max-memory=` sets the "
        "limit\n",
        stderr);
  } catch (const std::exception& exception) {
    std::fprintf(stderr,
                 "amdahlc: internal error: %s\namdahlc: this is a bug in amdahlc; no output was written; "
                 "`-verify-each` and `-print-after-all` say more\n",
                 exception.what());
  }
  return static_cast<int>(amdahlc::driver::ExitCode::InputFault);
}
