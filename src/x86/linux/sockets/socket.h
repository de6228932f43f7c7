/* Sockets among the descriptors. */
#ifndef M2S_X86_LINUX_SOCKETS_SOCKET_H
#define M2S_X86_LINUX_SOCKETS_SOCKET_H

#include <stdint.h>

struct context;
struct file;

/* NULL when it is none: socket_error() says what is wrong. */
struct file *get_socket(struct context *context, uint64_t descriptor);
int64_t socket_error(struct context *context, uint64_t descriptor);

#endif
