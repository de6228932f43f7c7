/* Paths, buffers and structures that arguments point to. Both ABIs' layouts
 * are made from lists of fields. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "fuzz/calls/calls.h"

enum {
	ADDRESSES = ARENA_OBJECTS, /* of sockets */
	VECTORS = ADDRESSES + 0x600,
	MESSAGES = VECTORS + 0x200,
	CONTROLS = MESSAGES + 0x200,
	TIMES = CONTROLS + 0x100,
	SETS = TIMES + 0x140,
	ACTIONS = SETS + 0x40,
	POLLS = ACTIONS + 0x80,
	STRINGS = POLLS + 0x100,
	CLONES = STRINGS + 0x80,
	SMALL = CLONES + 0x120, /* limits, stacks, lists, ... */
	END = SMALL + 0x500,
};
_Static_assert((int)END <= (int)ARENA_SIZE, "the arena is too small");

static const struct object_kind kinds[] = {
	{ 's', ARENA_PATHS, ARENA_PATH, ARENA_PATH_COUNT },
	{ 'y', ADDRESSES, 128, 12 },
	{ 'i', VECTORS, 64, 6 },
	{ '1', MESSAGES, 64, 8 },
	{ '2', MESSAGES, 128, 4 },
	{ 't', TIMES, 16, 18 },
	{ 'q', SETS, 16, 4 },
	{ 'Q', ACTIONS, 32, 4 },
	{ 'j', POLLS, 64, 4 },
	{ 'v', STRINGS, 32, 3 },
	{ 'E', STRINGS, 32, 3 },
	{ 'C', CLONES, 88, 3 },
	{ '3', SMALL, 128, 4 },
	{ '4', SMALL, 64, 16 },
	{ '5', SMALL, 16, 64 },
	{ '6', SMALL, 16, 64 },
	{ '7', SMALL, 64, 16 },
	{ '8', SMALL, 16, 64 },
};

const struct object_kind *arena_kind(char letter)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].letter == letter)
			return kinds + i;
	return NULL;
}

/* ---- Paths ---- */

/* "%o": the folder around the root. "%p": the simulator's process id. */
static const char *const paths[ARENA_PATH_COUNT] = {
	"a", "/a", "b", "/b", "d", "/d", "d/1", "/e", "/w", "/w/f", "w/new",
	"new", "/new", "/new/", "d/2", "l", "up", "/out", "/rel", "/up/outside",
	"loop", "p", "x", "/0", "", "/", ".", "..", "/../a", "../../../..",
	"../outside/secret", "%o/secret", "%o", "/out/secret", "/rel/secret",
	"/d/../../outside/dir", "/proc/self/exe", "/proc/self/cwd/../outside",
	"/proc/self/root/../outside/secret", "/proc/self/fd/4/../outside",
	"/proc/self/fd/3", "/proc/self/fd/5", "/proc/self/mem",
	"/proc/self/maps", "/proc/%p/mem", "/proc/%p/fd/3", "/proc/%p/root",
	"/proc/%p/cwd/secret", "/proc/1/root", "/proc/self/task", "/proc",
	"/proc/self/comm", "/proc/self/oom_score_adj", "/proc/self/../%p/maps",
	"/proc/sys/kernel/hostname", "/dev", "/dev/null", "/dev/full",
	"/dev/urandom", "/dev/fd/4", "/dev/shm/new", "/dev/../..", "/dev/tty",
	"long",
};

static void fill_path(char *to, const char *from)
{
	const char *end = to + ARENA_PATH - 1;

	for (; *from && to < end; from++) {
		if (*from != '%') {
			*to++ = *from;
			continue;
		}
		if (*++from == 'o')
			to += snprintf(to, (size_t)(end - to), "%s",
				       world_outside);
		else
			to += snprintf(to, (size_t)(end - to), "%d",
				       (int)getpid());
	}
	*to = 0;
}

static void fill_paths(uint8_t *arena)
{
	for (int i = 0; i < ARENA_PATH_COUNT; i++)
		fill_path((char *)arena + ARENA_PATHS + i * ARENA_PATH,
			  paths[i]);
	/* The last runs on into one that is too long. */
	memset(arena + ARENA_PATHS + (ARENA_PATH_COUNT - 1) * ARENA_PATH, 'n',
	       ARENA_LONG + 0x1200 - (ARENA_PATH_COUNT - 1) * ARENA_PATH);
}

/* ---- Structures ---- */

struct writer {
	uint8_t *at;
	unsigned word;
};

static void put(struct writer *writer, unsigned size, uint64_t value)
{
	memcpy(writer->at, &value, size);
	writer->at += size;
}

static void word(struct writer *writer, uint64_t value)
{
	put(writer, writer->word, value);
}

static uint64_t guest(unsigned offset)
{
	return GUEST_ARENA + offset;
}

static void fill_addresses(uint8_t *arena)
{
	static const struct {
		char kind; /* p path, a abstract */
		const char *name;
	} local[] = {
		{ 'p', "socket" }, { 'p', "/w/socket" }, { 'p', "a" },
		{ 'p', "../outside/socket" }, { 'p', "%o/socket" },
		{ 'a', WORLD_ABSTRACT }, { 'a', "own" }, { 'a', "" },
	};
	const struct sockaddr_in in = {
		.sin_family = AF_INET, .sin_port = htons(WORLD_PORT),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const struct sockaddr_in6 in6 = {
		.sin6_family = AF_INET6, .sin6_port = htons(WORLD_PORT),
		.sin6_addr = IN6ADDR_LOOPBACK_INIT,
	};
	uint8_t *at = arena + ADDRESSES;

	for (size_t i = 0; i < ARRAY_SIZE(local); i++, at += 128) {
		char name[ARENA_PATH];

		at[0] = AF_UNIX;
		fill_path(name, local[i].name);
		memcpy(at + 2 + (local[i].kind == 'a'), name,
		       strnlen(name, 107));
	}
	memcpy(at, &in, sizeof in);
	memcpy(at + 128, &in6, sizeof in6);
	at[256] = AF_NETLINK;
}

static void fill_vectors(uint8_t *arena, unsigned word_size)
{
	static const uint32_t lengths[] = { 100, 4096, 1, 0x8000, 0, 16 };

	for (unsigned i = 0; i < 24; i++) {
		struct writer writer = {
			arena + VECTORS + i * 2 * word_size, word_size
		};

		word(&writer, i % 7 == 5 ? 0
			      : i % 7 == 6
				      ? GUEST_BASE + GUEST_SIZE - 8
				      : guest(ARENA_BUFFERS + 0x100 * i));
		word(&writer, lengths[i % ARRAY_SIZE(lengths)]);
	}
}

/* struct mmsghdr: a msghdr and a length. */
static void fill_messages(uint8_t *arena, unsigned word_size)
{
	for (unsigned i = 0; i < 8; i++) {
		struct writer writer = { arena + MESSAGES + i * 8 * word_size,
					 word_size };

		word(&writer, i % 3 ? guest(ADDRESSES + 128 * i) : 0);
		word(&writer, 110);
		word(&writer, guest(VECTORS + 64 * (i % 6)));
		word(&writer, i % 3 + 1);
		word(&writer, guest(CONTROLS + 64 * (i % 4)));
		word(&writer, i % 2 ? 64 : word_size + 16);
	}
	for (unsigned i = 0; i < 4; i++) {
		struct writer writer = { arena + CONTROLS + 64 * i, word_size };

		word(&writer, word_size + (i == 3 ? 1000 : 16));
		put(&writer, 4, SOL_SOCKET);
		put(&writer, 4, i == 1 ? SCM_CREDENTIALS : SCM_RIGHTS);
		put(&writer, 4, i == 1 ? 100 : 3); /* pid, or descriptors */
		put(&writer, 4, i == 1 ? 0 : 4);
		put(&writer, 4, i == 1 ? 0 : 5);
	}
}

static void fill_times(uint8_t *arena, unsigned word_size)
{
	static const int64_t times[][2] = {
		{ 0, 0 }, { 0, 1000 }, { 0, 1000 }, { 1, 0 }, { 0, 1 },
		{ 100, 5 }, { -1, 0 }, { 0, -1 }, { 0, 1000000000 },
		{ 1, 0x3ffffffe }, { 0, 0x3fffffff }, { INT32_MAX, 0 },
		{ INT64_MAX, 999999999 }, { INT64_MIN, 0 }, { 1 << 30, 999 },
		{ 0, 50 }, { 60, 0 }, { 0, 999999 },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(times); i++) {
		struct writer writer = { arena + TIMES + i * 2 * word_size,
					 word_size };

		word(&writer, (uint64_t)times[i][0]);
		word(&writer, (uint64_t)times[i][1]);
	}
}

static void fill_signals(uint8_t *arena, unsigned word_size)
{
	static const uint64_t sets[] = { 0, UINT64_MAX, 0x2200, 1 << 13 };
	static const uint64_t handlers[] = { 0, 1, GUEST_HANDLER, 8 };

	for (unsigned i = 0; i < 4; i++) {
		struct writer set = { arena + SETS + 16 * i, word_size };
		struct writer action = { arena + ACTIONS + 32 * i, word_size };

		put(&set, 8, sets[i]);
		word(&set, 8);
		word(&action, handlers[i]);
		word(&action, 0x04000000 | SA_SIGINFO |
				      (i & 1 ? SA_ONSTACK : 0));
		word(&action, GUEST_RESTORER);
		word(&action, sets[i]);
	}
}

static void fill_polls(uint8_t *arena)
{
	for (unsigned i = 0; i < 32; i++) {
		struct writer writer = { arena + POLLS + 8 * i, 4 };

		put(&writer, 4, i % 24);
		put(&writer, 2, i & 1 ? POLLIN | POLLPRI : POLLOUT | POLLHUP);
	}
}

static void fill_strings(uint8_t *arena, unsigned word_size)
{
	for (unsigned i = 0; i < 3; i++) {
		struct writer writer = { arena + STRINGS + 32 * i, word_size };

		for (unsigned j = 0; j < 3; j++)
			word(&writer, j < i || i == 2
					      ? guest(ARENA_PATH * (i + j))
					      : 0);
	}
}

/* Words that mean something at many places of many structures. */
static void fill_small(uint8_t *arena)
{
	static const uint64_t values[] = {
		1, 3, 0, 4096, 2, 100, GUEST_ARENA + ARENA_BUFFERS, 64,
		UINT64_C(0x300000001), UINT64_C(0x100000000), 0x19980330,
		0x20080522, UINT64_C(0x1000000000001), 14, 7, 0x4141,
		UINT64_C(0xfff00010000), 0x8001, UINT64_MAX, 1000, 5,
		GUEST_ARENA + SMALL, 0xff, 16,
	};

	for (unsigned i = 0; i < 0x400 / 8; i++)
		memcpy(arena + SMALL + 8 * i, &values[i * 5 % 24], 8);
}

static void fill_clones(uint8_t *arena)
{
	static const uint64_t flags[] = {
		0x10f00, 0, 0x1000 | 0x4000 /* PIDFD, VFORK */
	};

	for (unsigned i = 0; i < 3; i++) {
		struct writer writer = { arena + CLONES + 88 * i, 8 };

		word(&writer, flags[i]);
		for (unsigned j = 0; j < 3; j++)
			word(&writer, guest(ARENA_BUFFERS + 8 * j));
		word(&writer, i ? SIGCHLD : 0);
		word(&writer, i ? 0 : guest(ARENA_BUFFERS));
		word(&writer, i ? 0 : 0x1000);
	}
}

void arena_fill(uint8_t *arena, bool narrow)
{
	unsigned size = narrow ? 4 : 8;

	fill_paths(arena);
	fill_addresses(arena);
	fill_vectors(arena, size);
	fill_messages(arena, size);
	fill_times(arena, size);
	fill_signals(arena, size);
	fill_polls(arena);
	fill_strings(arena, size);
	fill_clones(arena);
	fill_small(arena);
}
