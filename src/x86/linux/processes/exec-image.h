/* The parts of execve: program files, loading, the first stack. */
#ifndef M2S_X86_LINUX_PROCESSES_EXEC_IMAGE_H
#define M2S_X86_LINUX_PROCESSES_EXEC_IMAGE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "x86/linux/identity/identity.h"
#include "x86/linux/state.h"

/* ---- exec-stack.c ---- */
/* Strings of argv and envp, which can be changed for scripts. */
struct strings {
	char **list; /* NULL at the end */
	size_t count, capacity;
};

/* Adds a copy at the end, or in front. */
void strings_add(struct strings *strings, const char *text);
void strings_insert(struct strings *strings, const char *text);
void strings_free(struct strings *strings);
/* Copies all strings into one block, each ended by a zero byte. The caller
 * frees the block. */
void strings_block(const struct strings *strings, char **block, size_t *size);

/* A program that is in memory. */
struct loaded {
	const struct elf_image *image;
	uint64_t bias, interpreter_bias, entry;
	const char *path;
};

/* Builds everything above the program's first stack frame, as the kernel does
 * (System V ABI, process initialization). Returns the stack pointer or 0. */
uint64_t build_stack(struct linux_system *system,
		     const struct program_identity *identity,
		     struct guest_memory *memory,
		     const struct strings *arguments,
		     const struct strings *environment,
		     const struct loaded *loaded);
/* Prints environment, stack and auxiliary vector, for --x86-debug-loader. */
void print_start(FILE *log, const struct guest_memory *memory,
		 const struct strings *environment);

/* ---- exec-image.c ---- */
/* Opens a program for execution. Returns a descriptor or a negative errno.
 * `real` (PATH_MAX bytes) becomes the host's path. */
int open_program(struct context *context, const char *path, char *real,
		 struct error *error);
/* Expands a "#!" line: puts the interpreter in front of the arguments and into
 * `program` (PATH_MAX bytes). Returns 1 when the file has such a line, 0 when
 * not, or a negative errno. */
int expand_script(int file, const char *path, struct strings *arguments,
		  char *program);
/* Loads a program and its interpreter, and maps a stack. 0, or -1 and an errno
 * in *code. */
int load_program(struct context *context, struct guest_memory *memory,
		 const struct elf_image *image, struct loaded *loaded,
		 int *code, struct error *error);

#endif
