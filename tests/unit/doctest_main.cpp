// The one translation unit with doctest itself. Every test executable links it and compiles only its cases.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
