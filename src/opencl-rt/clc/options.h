/* m2s-clc's command line. */
#ifndef M2S_OPENCL_RT_CLC_OPTIONS_H
#define M2S_OPENCL_RT_CLC_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "opencl-rt/clc/backend.h"
#include "opencl-rt/clc/overlay.h"

enum task {
	TASK_BUILD,   /* source to kernel binary */
	TASK_COMPILE, /* source to object: clCompileProgram */
	TASK_LINK,    /* objects to kernel binary or library: clLinkProgram */
};

struct options {
	enum task task;
	const char *source;   /* "-": standard input */
	const char *name;     /* of the source, for messages; NULL: none */
	struct overlay_file *headers; /* to compile with */
	size_t header_count, header_capacity;
	struct overlay_file *objects; /* to link */
	size_t object_count, object_capacity;
	bool library;         /* link them to a library */
	const char *output;   /* "-": standard output; NULL: from the source */
	/* Where a program goes that we should be able to compile; NULL:
	 * nowhere. */
	const char *refused;
	char **clang;         /* arguments for clang, ends in NULL */
	size_t clang_count, clang_capacity;
	/* Own copies of the headers' and objects' paths. */
	char **paths;
	size_t path_count, path_capacity;
	char *build_options;  /* options as clBuildProgram would get them */
	bool clear_cache;
	bool debug;           /* -g */
	enum stage print_after;
	bool schedule_report;
	unsigned without;     /* passes that do not run: 1 << stage */
	unsigned registers;   /* the most of a kernel; 0: any */
	/* Of --read-path= and --write-path=: part of an argument; or NULL. */
	const char *read_path, *write_path;
	bool unoptimized;     /* -cl-opt-disable, -O0 */
	enum front_end front_end;
	enum evg_chip chip;
	double time_limit;    /* processor seconds for each step */
	bool confined;        /* includes nothing but the headers */
	bool verbose, help, version;
};

/* Reads the command line. Build options are checked here, so that an invalid
 * option is not taken for an error in the program. 0, or -1 and *error. The
 * caller frees *options with options_free in both cases. */
int options_read(struct options *options, int argc, char **argv,
		 struct error *error);
void options_free(struct options *options);
void options_print_help(FILE *stream);

#endif
