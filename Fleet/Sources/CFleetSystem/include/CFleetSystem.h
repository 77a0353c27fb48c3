#ifndef C_FLEET_SYSTEM_H
#define C_FLEET_SYSTEM_H

// Calls that Swift does not see, since the C library has them for GNU programs only.

/// memfd_create(2): a file in memory that has no name and is not left to other programs; -1 with errno set if there cannot
/// be one.
int fleet_memory_file(void);

/// mallopt(3): memory that is freed goes back to the system. Without it, each thread keeps what its largest document took.
void fleet_return_memory(void);

/// madvise(2): takes this program's code out of this process's memory. What is needed again comes from the kernel's cache
/// of the file, some pages at a time, which is a matter of microseconds. Starting, and reading and checking a document, uses
/// code that keeping a connection alive does not need: a third of what is resident.
void fleet_unmap_code(void);

#endif
