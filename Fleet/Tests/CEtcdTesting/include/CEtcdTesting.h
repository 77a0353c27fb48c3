#ifndef C_ETCD_TESTING_H
#define C_ETCD_TESTING_H

/// posix_spawn_file_actions_addclosefrom_np(3), which Swift does not see: has a program started without this one's files,
/// from a number on. An error number, or 0; ENOSYS where the C library does not have it.
int etcd_testing_close_from(void *actions, int first);

#endif
