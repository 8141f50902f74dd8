// The one translation unit that holds doctest itself: every test executable links it and compiles its cases only.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
