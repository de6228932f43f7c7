/* Translation of socket messages between guest and host. */
#ifndef M2S_X86_LINUX_SOCKETS_MESSAGE_H
#define M2S_X86_LINUX_SOCKETS_MESSAGE_H

#include <limits.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "x86/linux/state.h"

enum { CONTROL_MAX = 8192 };

/* One message in host terms, made from the guest's arguments. */
struct message {
	struct msghdr header;
	struct sockaddr_storage address;
	struct iovec vectors[IOV_MAX];
	uint8_t control[CONTROL_MAX] __attribute__((aligned(8)));
};

/* The guest's struct msghdr: all fields are words except msg_namelen and
 * msg_flags. */
struct guest_header {
	uint64_t name, name_length, vectors, vector_count, control,
		control_length, flags;
};

/* Copies the guest's control data into a message. 0 or a negative errno. */
int64_t get_control(struct context *context, const struct guest_header *from,
		    struct message *message);
/* Writes a message's control data to the guest. *length becomes its size, which
 * may be cut (MSG_CTRUNC in the message's flags). 0 or a negative errno. */
int64_t put_control(struct context *context, const struct guest_header *to,
		    struct message *message, uint64_t flags, uint64_t *length);

#endif
