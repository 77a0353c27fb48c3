#include "Linux.h"

static int argument_count;
static char **argument_values;

// Glibc calls constructors with what main() gets. Swift's own CommandLine reads /proc, which need not be there.
__attribute__((constructor)) static void take_arguments(int count, char **values) {
  argument_count = count;
  argument_values = values;
}

char **csettings_arguments(int *count) {
  *count = argument_count;
  return argument_values;
}
