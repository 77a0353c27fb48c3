// The library's own header only forward-declares `struct inotify_event`; the second one defines it.
#include <inotifytools/inotifytools.h>
#include <inotifytools/inotify.h>

// Swift does not import a flexible array member.
static inline const char *cinotifytools_event_name(const struct inotify_event *event) {
  return event->len ? event->name : "";
}
