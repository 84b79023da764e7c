/* Disk errors on demand: preloaded into the server, steered through a small shared file.
 *
 * The file named by AW_FAULT_FILE holds four 32-bit numbers:
 *   [0] which calls fail: 1 fsync and fdatasync, 2 pwrite, 3 both; plus 4: only the n-th of them
 *   [1] with which errno
 *   [2] n, counted down
 *   [3] how many calls were made to fail
 * It is mapped, so that a change is seen by the very next call.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

enum { SYNCS = 1, WRITES = 2, ONLY_NTH = 4 };

static volatile uint32_t *control;

__attribute__((constructor)) static void attach(void)
{
    const char *path = getenv("AW_FAULT_FILE");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (map != MAP_FAILED)
        control = map;
}

/* The errno to fail with, or 0. */
static int fault(uint32_t kind)
{
    if (!control || !(control[0] & kind))
        return 0;
    if ((control[0] & ONLY_NTH) && __atomic_sub_fetch(&control[2], 1, __ATOMIC_SEQ_CST) != 0)
        return 0;
    __atomic_fetch_add(&control[3], 1, __ATOMIC_SEQ_CST);
    return (int)control[1];
}

#define NEXT(type, name) \
    static type next; \
    if (!next) \
        next = (type)dlsym(RTLD_NEXT, name)

typedef int (*sync_call)(int);
typedef ssize_t (*write_call)(int, const void *, size_t, off64_t);

int fsync(int file)
{
    NEXT(sync_call, "fsync");
    int err = fault(SYNCS);
    return err ? (errno = err, -1) : next(file);
}

int fdatasync(int file)
{
    NEXT(sync_call, "fdatasync");
    int err = fault(SYNCS);
    return err ? (errno = err, -1) : next(file);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t place)
{
    NEXT(write_call, "pwrite64");
    int err = fault(WRITES);
    return err ? (errno = err, -1) : next(file, bytes, count, place);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t place)
{
    return pwrite64(file, bytes, count, place);
}
