// Linux interfaces that Swift's Glibc module leaves out. Declarations only, no code.
#ifndef CLINUX_H
#define CLINUX_H

#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#endif
