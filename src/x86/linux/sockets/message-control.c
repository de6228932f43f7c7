/* Control data of messages: descriptors that are sent, credentials. */
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "x86/linux/confine/confine.h"
#include "x86/linux/files/files.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/sockets/message.h"
#include "x86/linux/state.h"

static uint64_t round_to(uint64_t value, unsigned word)
{
	return (value + word - 1) / word * word;
}

/* Control messages: the header's length is a word, and data and the next
 * header start at multiples of a word. Descriptors are translated. */
int64_t get_control(struct context *context, const struct guest_header *from,
		    struct message *message)
{
	unsigned word = context->abi32 ? 4 : 8, head = word + 8;
	uint64_t at = 0;
	size_t used = 0;

	while (from->control && at + head <= from->control_length) {
		struct cmsghdr *to =
			(struct cmsghdr *)(message->control + used);
		uint64_t length, size;
		int32_t kind[2];

		if (guest_get_word(context, from->control + at, &length) ||
		    guest_get(context, from->control + at + word, kind, 8))
			return -EFAULT;
		if (length < head || length > from->control_length - at)
			return -EINVAL;
		size = length - head;
		if (used + CMSG_SPACE(size) > CONTROL_MAX)
			return -ENOBUFS;
		to->cmsg_len = CMSG_LEN(size);
		to->cmsg_level = kind[0];
		to->cmsg_type = kind[1];
		if (guest_get(context, from->control + at + head,
			      CMSG_DATA(to), size))
			return -EFAULT;
		if (kind[0] == SOL_SOCKET && kind[1] == SCM_RIGHTS)
			for (size_t i = 0; i + 4 <= size; i += 4) {
				int32_t descriptor;
				struct file *file;

				memcpy(&descriptor, CMSG_DATA(to) + i, 4);
				file = file_get(context->process, descriptor);
				if (!file)
					return -EBADF;
				descriptor = file->host;
				memcpy(CMSG_DATA(to) + i, &descriptor, 4);
			}
		else if (kind[0] == SOL_SOCKET &&
			 kind[1] == SCM_CREDENTIALS && size >= 4)
			memcpy(CMSG_DATA(to), &(int32_t){ getpid() }, 4);
		used += CMSG_SPACE(size);
		at += round_to(length, word);
	}
	message->header.msg_control = used ? message->control : NULL;
	message->header.msg_controllen = used;
	return 0;
}

/* An open file of some guest that a host descriptor is too (held), or NULL. */
static struct file *find_same(const struct linux_system *system, int host)
{
	pid_t own = getpid();

	for (const struct process *process = system->processes; process;
	     process = process->next)
		for (int i = 0; process->files && i < process->files->count;
		     i++) {
			struct file *file = process->files->list[i].file;

			if (file && syscall(SYS_kcmp, own, own, KCMP_FILE,
					    file->host, host) == 0)
				return file_hold(file);
		}
	return NULL;
}

/* A folder outside the root, sent by some host process, is no gift. */
static int32_t receive_descriptor(struct context *context, int host,
				  bool close_on_exec)
{
	struct stat status;
	struct file *same;

	if (confine_has_root(context->process->system) &&
	    fstat(host, &status) == 0 && S_ISDIR(status.st_mode) &&
	    !confine_is_inside(context->process->system, host)) {
		close(host);
		host = open("/dev/null", O_PATH | O_CLOEXEC);
	}
	/* Descriptors that guests sent are still the same open files. */
	same = find_same(context->process->system, host);
	if (same) {
		close(host);
		return (int32_t)file_install(context->process, same, 0,
					     close_on_exec);
	}
	same = file_create(host, FILE_HOST);
	same->host_nonblock = fcntl(host, F_GETFL) & O_NONBLOCK;
	return (int32_t)file_install(context->process, same, 0, close_on_exec);
}

/* Installs the descriptors of a message that fit `room` bytes and closes the
 * others: how many bytes they take. */
static size_t receive_rights(struct context *context, struct cmsghdr *header,
			     size_t size, uint64_t room, bool close_on_exec)
{
	size_t used = 0;

	for (size_t i = 0; i + 4 <= size; i += 4) {
		int32_t descriptor;

		memcpy(&descriptor, CMSG_DATA(header) + i, 4);
		if (used + 4 > room) {
			close(descriptor);
			continue;
		}
		descriptor = receive_descriptor(context, descriptor,
						close_on_exec);
		if (descriptor < 0)
			continue;
		memcpy(CMSG_DATA(header) + used, &descriptor, 4);
		used += 4;
	}
	return used;
}

int64_t put_control(struct context *context, const struct guest_header *to,
		    struct message *message, uint64_t flags, uint64_t *length)
{
	unsigned word = context->abi32 ? 4 : 8, head = word + 8;

	*length = 0;
	for (struct cmsghdr *from = CMSG_FIRSTHDR(&message->header); from;
	     from = CMSG_NXTHDR(&message->header, from)) {
		size_t size = from->cmsg_len - CMSG_LEN(0);
		int32_t kind[2] = { from->cmsg_level, from->cmsg_type };
		uint64_t at = to->control + *length;

		uint64_t room = to->control_length > *length + head
					? to->control_length - *length - head
					: 0;

		if (kind[0] == SOL_SOCKET && kind[1] == SCM_RIGHTS)
			size = receive_rights(context, from, size, room,
					      flags & MSG_CMSG_CLOEXEC);
		if (size < from->cmsg_len - CMSG_LEN(0) || size > room) {
			message->header.msg_flags |= MSG_CTRUNC;
			if (!room || !size)
				break;
			size = size < room ? size : room;
		}
		if (guest_put_word(context, at, head + size) ||
		    guest_put(context, at + word, kind, 8) ||
		    guest_put(context, at + head, CMSG_DATA(from), size))
			return -EFAULT;
		*length += round_to(head + size, word);
	}
	if (*length > to->control_length)
		*length = to->control_length;
	return 0;
}
