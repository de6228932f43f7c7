/* What the files of the system call trace share. Internal to this folder.
 *
 * All functions write to `out`. Where guest memory cannot be read, they write
 * the address. */
#ifndef M2S_X86_LINUX_TRACE_CALL_PRINT_H
#define M2S_X86_LINUX_TRACE_CALL_PRINT_H

#include <stdio.h>

#include "x86/linux/state.h"

enum { TRACE_LIST_MAX = 16 }; /* a longer list is cut */

struct trace_names {
	const struct trace_item {
		uint64_t value;
		const char *text;
	} *item;
	size_t count;
};

/* trace_open_flags, ... */
#define LIST(kind) extern const struct trace_names trace_##kind;
#define N(value)
#define V(value, name)
#define END(kind)
#include "x86/linux/trace/call-names.def"

/* ---- trace/call-print.c ---- */
/* The name of one value, or the value. */
void trace_name(FILE *out, uint64_t value, const struct trace_names *names);
/* Writes the names of all bits. `printed`: a name was already written. */
void trace_bits(FILE *out, uint64_t value, const struct trace_names *names,
		bool printed);
void trace_signal(FILE *out, int number);
/* Writes a text in quotes, with escapes. `more`: the text was cut. */
void trace_text(FILE *out, const uint8_t *text, size_t size, bool more);
void trace_address(FILE *out, uint64_t value);
/* Writes the first bytes of a buffer. */
void trace_bytes(FILE *out, const struct context *context, uint64_t address,
		 uint64_t size);
void trace_string(FILE *out, const struct context *context, uint64_t address);
/* argv: ["a", "b"] */
void trace_strings(FILE *out, const struct context *context,
		   uint64_t address);
/* Writes the address of the environment and its number of variables. */
void trace_environment(FILE *out, const struct context *context,
		       uint64_t address);
/* Bytes of a pointer in the guest. */
unsigned trace_word(const struct context *context);

/* ---- trace/call-structures.c ---- */
/* Write structures at an address of the guest. Functions for structures whose
 * layout differs between calls look at the name of the call. */
void trace_stat(FILE *out, const struct context *context, uint64_t address);
void trace_statx(FILE *out, const struct context *context, uint64_t address);
void trace_time(FILE *out, const struct context *context, uint64_t address);
void trace_set(FILE *out, const struct context *context, uint64_t address);
void trace_action(FILE *out, const struct context *context, uint64_t address);
void trace_status(FILE *out, const struct context *context, uint64_t address);
void trace_limit(FILE *out, const struct context *context, uint64_t address);
void trace_polls(FILE *out, const struct context *context, uint64_t address,
		 uint64_t count);
void trace_socket_address(FILE *out, const struct context *context,
			  uint64_t address, uint64_t size);
/* Writes an array of struct iovec, with the bytes or only with their
 * addresses. */
void trace_vectors(FILE *out, const struct context *context, uint64_t address,
		   uint64_t count, bool bytes);
/* Writes the number of entries that getdents64() returned in `size` bytes. */
void trace_entries(FILE *out, const struct context *context, uint64_t address,
		   int64_t size);
/* Writes all arguments of clone(). */
void trace_clone(FILE *out, const struct context *context);
void trace_clone3(FILE *out, const struct context *context, uint64_t address);
void trace_pair(FILE *out, const struct context *context, uint64_t address);

/* ---- trace/call-arguments.c ---- */
/* Whether a letter stands for an argument that the call fills in. */
bool trace_is_output(char letter);
/* Write one argument, before the call and after it. */
void trace_input(FILE *out, const struct context *context, size_t index);
void trace_output(FILE *out, const struct context *context, size_t index,
		  int64_t result);
/* Writes the flags of open(). */
void trace_open_mode(FILE *out, uint64_t flags);

#endif
