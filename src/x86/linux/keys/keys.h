/* The key retention service: what other folders need of it. */
#ifndef M2S_X86_LINUX_KEYS_KEYS_H
#define M2S_X86_LINUX_KEYS_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct context;
struct linux_system;

/* What a new thread or process gets of its maker's keyrings. */
void keys_clone(struct context *child, const struct context *parent,
		uint64_t flags);
/* It executes another program; it ends. */
void keys_executes(struct context *context);
void keys_leave(struct context *context);
void keys_free(struct linux_system *system);
/* "keys" and "key-users" of /proc and what is in /proc/sys/kernel/keys: false
 * when there is no such file. */
bool keys_print(struct context *context, const char *name, FILE *out);
/* A write to /proc/sys/kernel/keys/NAME: the bytes taken or a negative
 * errno. */
int64_t keys_write_setting(struct context *context, const char *name,
			   const char *text, size_t size);

#endif
