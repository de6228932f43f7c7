/* Kernels from source for whoever is no compiler: runs m2s-clc, with a cache
 * of its results on disk. No LLVM in here. */
#ifndef M2S_OPENCL_RT_CLC_COMPILE_H
#define M2S_OPENCL_RT_CLC_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum clc_task {
	CLC_BUILD,   /* clBuildProgram: source to kernel binary */
	CLC_COMPILE, /* clCompileProgram: source to object */
	CLC_LINK,    /* clLinkProgram: objects to kernel binary or library */
};

/* A part of a request. */
struct clc_part {
	const char *name;  /* that a header is included by; for messages */
	const void *bytes;
	size_t size;
};

struct clc_request {
	enum clc_task task;
	const char *compiler;     /* path of m2s-clc */
	const char *source;       /* not for CLC_LINK */
	const char *name;         /* of it, for messages; NULL: none */
	const struct clc_part *parts; /* CLC_COMPILE: headers; CLC_LINK:
					 objects */
	size_t part_count;
	const char *options;      /* as given to the call; NULL: none */
	const char *cache_folder; /* made when missing; NULL: no cache */
	bool confined; /* the program can include `parts`, no file of the host */
	/* Asked now and then; true ends the compiler, which is an error. NULL:
	 * nobody. */
	bool (*stop)(void *owner);
	void *stop_owner;
};

enum clc_status {
	CLC_DONE,          /* binary is there; the log may hold warnings */
	CLC_BUILD_ERROR,   /* the program is wrong: see the log */
	CLC_BAD_OPTIONS,   /* an option is: see the log */
	CLC_NOT_AVAILABLE, /* clang or m2s-clc is missing: see the log */
};

struct clc_result {
	enum clc_status status;
	void *binary;      /* for evg_program_read, or for clc_object_read */
	size_t binary_size;
	char *log;         /* what the compiler said; never NULL */
	bool from_cache;
};

/* Does the task. 0 and *result (clc_result_free), whatever became of the program;
 * -1 and *error for what is nobody's program's fault: the compiler was
 * killed, or this host has no memory files.
 *
 * The cache is keyed by task, source, objects, options, and what tells that
 * m2s-clc, clang or a function library changed (tools.h). Programs that include files are compiled every
 * time. Only successes are kept. Entries are written to a file of their own
 * and renamed, and carry a checksum; one that is damaged, or a folder that
 * cannot be written, only costs the compilation. Several processes may share a
 * folder. The entries longest unused go when there are more than 256 MB. */
int clc_compile(const struct clc_request *request, struct clc_result *result,
		struct error *error);
void clc_result_free(struct clc_result *result);

/* The folder for cache_folder: $XDG_CACHE_HOME/m2s or ~/.cache/m2s; to be
 * freed. NULL when there is neither variable. */
char *clc_default_cache(void);

/* Splits build options into words, as a shell does with quotes and
 * backslashes, but without any expansion. An array that ends in NULL; each
 * word and the array are to be freed. NULL and *error for an open quote. */
char **clc_split_options(const char *options, struct error *error);

#endif
