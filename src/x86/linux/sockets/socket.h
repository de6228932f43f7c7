/* Finding sockets by descriptor. */
#ifndef M2S_X86_LINUX_SOCKETS_SOCKET_H
#define M2S_X86_LINUX_SOCKETS_SOCKET_H

#include <stdint.h>

struct context;
struct file;

/* The socket of a descriptor; NULL when it is no socket: socket_error() then
 * returns the errno, negated. */
struct file *get_socket(struct context *context, uint64_t descriptor);
int64_t socket_error(struct context *context, uint64_t descriptor);

#endif
