/* The key retention service, as other folders see it. */
#ifndef M2S_X86_LINUX_KEYS_KEYS_H
#define M2S_X86_LINUX_KEYS_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct context;
struct linux_system;

/* Gives a new thread or process its share of its creator's keyrings. */
void keys_clone(struct context *child, const struct context *parent,
		uint64_t flags);
/* To be called when the thread executes another program, and when it ends. */
void keys_executes(struct context *context);
void keys_leave(struct context *context);
void keys_free(struct linux_system *system);
/* Prints "keys" and "key-users" of /proc, and the files of
 * /proc/sys/kernel/keys. False when there is no such file. */
bool keys_print(struct context *context, const char *name, FILE *out);
/* Writes to /proc/sys/kernel/keys/NAME. The number of bytes taken or a negative
 * errno. */
int64_t keys_write_setting(struct context *context, const char *name,
			   const char *text, size_t size);

#endif
