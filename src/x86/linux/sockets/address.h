/* Translation of socket addresses between guest and host. */
#ifndef M2S_X86_LINUX_SOCKETS_ADDRESS_H
#define M2S_X86_LINUX_SOCKETS_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct context;
struct host_path;
struct linux_system;
struct msghdr;
struct sockaddr_storage;

/* Reads an address. `make`: the call will bind it. The caller releases *path
 * after the host call. 0 or a negative errno. */
int address_get(struct context *context, uint64_t address, uint64_t size,
		bool make, struct sockaddr_storage *to, socklen_t *length,
		struct host_path *path);
/* Binds a local socket to a free abstract name. 0 or a negative errno. */
int64_t address_bind_any(struct context *context, int host);
/* Writes an address from the host to the guest, as accept() does. */
int address_put(struct context *context, struct sockaddr_storage *from,
		socklen_t length, uint64_t address, uint64_t size_address);
void address_translate(struct context *context, struct msghdr *header);
void address_free(struct linux_system *system);

#endif
