/* Compilation of kernels from source for other parts of m2s: runs m2s-clc and
 * caches its results on disk. This file uses no LLVM. */
#ifndef M2S_OPENCL_RT_CLC_COMPILE_H
#define M2S_OPENCL_RT_CLC_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "evergreen/isa/chip.h"

enum clc_task {
	CLC_BUILD,   /* clBuildProgram: source to kernel binary */
	CLC_COMPILE, /* clCompileProgram: source to object */
	CLC_LINK,    /* clLinkProgram: objects to kernel binary or library */
};

/* A part of a request. */
struct clc_part {
	/* Name by which a header is included; for messages. */
	const char *name;
	const void *bytes;
	size_t size;
};

struct clc_request {
	enum clc_task task;
	const char *compiler;     /* path of m2s-clc */
	const char *source;       /* not for CLC_LINK */
	const char *name;         /* of the source, for messages; NULL: none */
	const struct clc_part *parts; /* CLC_COMPILE: headers; CLC_LINK:
					 objects */
	size_t part_count;
	const char *options;      /* as given to the call; NULL: none */
	enum evg_chip chip;       /* whose code it becomes */
	const char *cache_folder; /* made when missing; NULL: no cache */
	bool confined; /* the program can include `parts`, no file of the host */
	/* Called now and then; true ends the compiler, which is an error. NULL:
	 * never called. */
	bool (*stop)(void *owner);
	void *stop_owner;
};

enum clc_status {
	CLC_DONE,          /* binary is there; the log may hold warnings */
	CLC_BUILD_ERROR,   /* the program has an error: see the log */
	CLC_BAD_OPTIONS,   /* an option is invalid: see the log */
	CLC_NOT_AVAILABLE, /* clang or m2s-clc is missing: see the log */
};

struct clc_result {
	enum clc_status status;
	void *binary;      /* for evg_program_read, or for clc_object_read */
	size_t binary_size;
	char *log;         /* the compiler's messages; never NULL */
	bool from_cache;
};

/* Does the task. 0 and *result (clc_result_free), also when the program has
 * errors; -1 and *error for errors that the program has not caused: the
 * compiler was killed, or this host has no memory files.
 *
 * The cache's key consists of the task, the source, the objects, the options,
 * the chip, and a description of m2s-clc, clang and the function libraries (tools.h).
 * Programs that include files are compiled every time. Only successes are kept.
 * An entry is written to a file of its own, which is then renamed, and has a
 * checksum. A damaged entry, or a folder that cannot be written, costs only the
 * compilation. Several processes may share a folder. Beyond 256 MB the entries
 * that were unused for longest are removed. */
int clc_compile(const struct clc_request *request, struct clc_result *result,
		struct error *error);
void clc_result_free(struct clc_result *result);

/* The folder for cache_folder: $XDG_CACHE_HOME/m2s or ~/.cache/m2s, which the
 * caller frees. NULL when neither variable is set. */
char *clc_default_cache(void);

/* Splits build options into words as a shell does, with quotes and backslashes
 * but without expansion. Returns an array that ends in NULL; the caller frees
 * each word and the array. NULL and *error for an open quote. */
char **clc_split_options(const char *options, struct error *error);

#endif
