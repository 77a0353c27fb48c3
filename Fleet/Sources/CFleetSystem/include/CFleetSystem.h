#ifndef C_FLEET_SYSTEM_H
#define C_FLEET_SYSTEM_H

// Calls that Swift does not see, since the C library has them for GNU programs only.

/// mallopt(3): memory that is freed goes back to the system. Without it, each thread keeps what its largest document took.
void fleet_return_memory(void);

/// madvise(2): takes this program's code out of this process's memory. What is needed again comes from the kernel's cache
/// of the file, some pages at a time, which is a matter of microseconds. To start, and to read and check a document, takes
/// code that is not needed to keep a connection alive: a third of what is resident.
void fleet_unmap_code(void);

#endif
