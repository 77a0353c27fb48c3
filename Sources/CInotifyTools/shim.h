#if !__has_include(<inotifytools/inotifytools.h>)
#error AppSettingsObserve needs libinotifytools. Install the package libinotifytools0-dev (Debian, Ubuntu) or inotify-tools-devel (Fedora), or depend on app-settings with "traits: []" to watch through the calls of the kernel.
#else

// The library's own header only forward-declares `struct inotify_event`; the second one defines it.
#include <inotifytools/inotifytools.h>
#include <inotifytools/inotify.h>

// Swift does not import a flexible array member.
static inline const char *cinotifytools_event_name(const struct inotify_event *event) {
  return event->len ? event->name : "";
}

// Whether some other part of the process uses the library's one instance. (Swift would import the variable itself as
// a mutable global, which no code may touch.)
static inline int cinotifytools_is_initialized(void) {
  extern int initialized;
  return initialized;
}

#endif
