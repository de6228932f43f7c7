/* How a request leaves the program: by the reserved system call, which only
 * simulated programs have, or in others by a call of the simulator's library,
 * which lies beside this one. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opencl-rt/api/library.h"

typedef int native_request(struct opencl_header *header);

static pthread_once_t searched = PTHREAD_ONCE_INIT;
static _Atomic(native_request *) native; /* NULL: not found, or not needed */

/* This library's folder with another file name; to be freed. */
static char *beside(const char *name)
{
	char *own = NULL, *slash, *path = NULL;
	Dl_info info;

	if (dladdr((void *)(uintptr_t)library_transport, &info))
		own = realpath(info.dli_fname, NULL);
	slash = own ? strrchr(own, '/') : NULL;
	if (slash)
		path = malloc((size_t)(slash - own) + strlen(name) + 2);
	if (path)
		sprintf(path, "%.*s/%s", (int)(slash - own), own, name);
	free(own);
	return path;
}

static void search(void)
{
	char *path = beside(OPENCL_NATIVE_LIBRARY);
	void *library, *entry;

	if (!path)
		return;
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	entry = library ? dlsym(library, OPENCL_NATIVE_ENTRY) : NULL;
	if (entry)
		native = (native_request *)(uintptr_t)entry;
	else if (access(path, F_OK) == 0)
		fprintf(stderr, "libm2s-opencl: %s\n", dlerror());
	free(path);
}

int library_transport(struct opencl_header *header)
{
	if (!native) {
		if (syscall(OPENCL_SYSTEM_CALL, header) == 0)
			return 0;
		if (errno != ENOSYS && errno != EPERM)
			return -1;
		pthread_once(&searched, search);
		if (!native)
			return -1;
	}
	return native(header);
}
