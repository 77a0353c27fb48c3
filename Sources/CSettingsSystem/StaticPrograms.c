// What a program that is linked without shared libraries must not do.
#include "Linux.h"

#include <nss.h>
#include <stddef.h>
#include <sys/auxv.h>

void csettings_use_builtin_name_services(void) {
  // Where the dynamic linker is, if the program has one: getauxval(3).
  if (getauxval(AT_BASE) != 0) return;
  __nss_configure_lookup("passwd", "files");
  __nss_configure_lookup("group", "files");
  __nss_configure_lookup("initgroups", "files");
  __nss_configure_lookup("hosts", "files dns");
}

// In place of the runtime's own with the linker's option --wrap, which static programs are linked with. At each start the
// runtime looks beside the program for one that prints backtraces, which is never installed there; and where /proc is not
// mounted, it cannot say where the program is, and ended it.
const char *__wrap_swift_copyAuxiliaryExecutablePath(const char *name) {
  (void)name;
  return NULL;
}
