/* Packets of the gdb remote protocol: "$data#checksum", acknowledged by + or
 * - until both sides agree not to. */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "debug/gdb/internal.h"

enum { LOOK_PERIOD = 200 /* ms between looks at stop_asked() */ };

static const char digits[] = "0123456789abcdef";

/* ---- Making ---- */

void gdb_put(struct gdb *gdb, const char *format, ...)
{
	va_list arguments;
	size_t room = sizeof gdb->reply - gdb->reply_size;
	int length;

	va_start(arguments, format);
	length = vsnprintf(gdb->reply + gdb->reply_size, room, format,
			   arguments);
	va_end(arguments);
	if (length > 0)
		gdb->reply_size += (size_t)length < room ? (size_t)length
							  : room - 1;
}

void gdb_put_hex(struct gdb *gdb, const void *bytes, size_t size)
{
	const uint8_t *from = bytes;

	for (size_t i = 0; i < size && gdb->reply_size + 2 <= GDB_PACKET;
	     i++) {
		gdb->reply[gdb->reply_size++] = digits[from[i] >> 4];
		gdb->reply[gdb->reply_size++] = digits[from[i] & 15];
	}
}

void gdb_put_binary(struct gdb *gdb, const void *bytes, size_t size)
{
	const char *from = bytes;

	for (size_t i = 0; i < size && gdb->reply_size + 2 <= GDB_PACKET;
	     i++) {
		if (from[i] && strchr("#$}*", from[i])) {
			gdb->reply[gdb->reply_size++] = '}';
			gdb->reply[gdb->reply_size++] = from[i] ^ 0x20;
		} else {
			gdb->reply[gdb->reply_size++] = from[i];
		}
	}
}

static void send_bytes(struct gdb *gdb, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size && !gdb->lost) {
		ssize_t sent = send(gdb->connection, at, size, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR &&
		    !gdb->stop_asked(gdb->stop_owner))
			continue;
		if (sent <= 0) {
			gdb->lost = true;
			return;
		}
		at += sent;
		size -= (size_t)sent;
	}
}

void gdb_send(struct gdb *gdb)
{
	char frame[GDB_PACKET + 5];
	unsigned sum = 0;

	frame[0] = '$';
	memcpy(frame + 1, gdb->reply, gdb->reply_size);
	for (size_t i = 0; i < gdb->reply_size; i++)
		sum += (uint8_t)gdb->reply[i];
	frame[gdb->reply_size + 1] = '#';
	frame[gdb->reply_size + 2] = digits[sum >> 4 & 15];
	frame[gdb->reply_size + 3] = digits[sum & 15];
	send_bytes(gdb, frame, gdb->reply_size + 4);
	gdb->reply_size = 0;
}

/* ---- Taking ---- */

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool gdb_number(const char **text, uint64_t *value)
{
	const char *start = *text;

	*value = 0;
	while (digit(**text) >= 0 && *text - start < 16)
		*value = *value << 4 | (uint64_t)digit(*(*text)++);
	return *text > start;
}

bool gdb_number_and(const char **text, char separator, uint64_t *value)
{
	if (!gdb_number(text, value) || **text != separator)
		return false;
	++*text;
	return true;
}

long gdb_bytes(const char *text, char end, void *bytes, size_t size)
{
	uint8_t *to = bytes;
	size_t count = 0;

	while (*text && *text != end) {
		int high = digit(text[0]), low = digit(text[1]);

		if (high < 0 || low < 0 || count == size)
			return -1;
		to[count++] = (uint8_t)(high << 4 | low);
		text += 2;
	}
	return (long)count;
}

/* Waits up to `timeout` ms for bytes and takes them. */
static void take_bytes(struct gdb *gdb, int timeout)
{
	struct pollfd ready = { .fd = gdb->connection, .events = POLLIN };
	ssize_t got;

	if (gdb->lost || poll(&ready, 1, timeout) <= 0)
		return;
	if (gdb->in_size == sizeof gdb->in) {
		/* A packet that does not fit, or no packets at all. */
		gdb->lost = true;
		return;
	}
	got = recv(gdb->connection, gdb->in + gdb->in_size,
		   sizeof gdb->in - gdb->in_size, 0);
	if (got > 0)
		gdb->in_size += (size_t)got;
	else if (got == 0 || errno != EINTR)
		gdb->lost = true;
}

static void drop_bytes(struct gdb *gdb, size_t count)
{
	gdb->in_size -= count;
	memmove(gdb->in, gdb->in + count, gdb->in_size);
}

/* Copies a packet's data without its escapes. False: an escape at its end. */
static bool unescape(struct gdb *gdb, const uint8_t *data, size_t size)
{
	gdb->packet_size = 0;
	for (size_t i = 0; i < size; i++) {
		uint8_t byte = data[i];

		if (byte == '}') {
			if (++i == size)
				return false;
			byte = data[i] ^ 0x20;
		}
		gdb->packet[gdb->packet_size++] = (char)byte;
	}
	gdb->packet[gdb->packet_size] = 0;
	return true;
}

enum taken { TAKEN_NONE, TAKEN_BAD, TAKEN_GOOD };

/* Takes one packet out of the received bytes, if there is a whole one.
 * Whatever is not a packet is passed over. */
static enum taken take_packet(struct gdb *gdb)
{
	const uint8_t *start, *end;
	size_t before, size;
	unsigned sum = 0;
	int high, low;
	bool good;

	start = memchr(gdb->in, '$', gdb->in_size);
	if (!start) {
		gdb->in_size = 0;
		return TAKEN_NONE;
	}
	before = (size_t)(start - gdb->in);
	drop_bytes(gdb, before);
	end = memchr(gdb->in, '#', gdb->in_size);
	if (!end || (size_t)(end - gdb->in) + 3 > gdb->in_size) {
		if (gdb->in_size > GDB_PACKET + 4)
			gdb->lost = true;
		return TAKEN_NONE;
	}
	size = (size_t)(end - gdb->in) - 1;
	for (size_t i = 0; i < size; i++)
		sum += gdb->in[1 + i];
	high = digit((char)end[1]);
	low = digit((char)end[2]);
	good = size <= GDB_PACKET && high >= 0 && low >= 0 &&
	       (sum & 255) == (unsigned)(high << 4 | low) &&
	       unescape(gdb, gdb->in + 1, size);
	drop_bytes(gdb, size + 4);
	if (!gdb->no_ack)
		send_bytes(gdb, good ? "+" : "-", 1);
	return good ? TAKEN_GOOD : TAKEN_BAD;
}

bool gdb_receive(struct gdb *gdb)
{
	while (!gdb->lost && !gdb->stop_asked(gdb->stop_owner)) {
		enum taken taken;

		do
			taken = take_packet(gdb);
		while (taken == TAKEN_BAD);
		if (taken == TAKEN_GOOD)
			return true;
		take_bytes(gdb, LOOK_PERIOD);
	}
	return false;
}

bool gdb_look(struct gdb *gdb)
{
	take_bytes(gdb, 0);
	while (gdb->in_size && (gdb->in[0] == '+' || gdb->in[0] == '-'))
		drop_bytes(gdb, 1);
	if (gdb->in_size && gdb->in[0] == 3) {
		drop_bytes(gdb, 1);
		return true;
	}
	return gdb->lost;
}
