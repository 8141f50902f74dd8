// The one translation unit with doctest itself. All other sources of unit_tests compile only their cases.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
