/* The gdb server's connection: one debugger, of this machine and this user. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "debug/gdb/internal.h"

enum { WAIT_PERIOD = 200 /* ms between looks at stop_asked() */ };

int gdb_open_port(struct gdb *gdb, const char *text, struct error *error)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t size = sizeof address;
	char *end;
	long port = strtol(text, &end, 10);
	int one = 1;

	if (end == text || *end || port < 0 || port > 65535)
		return error_set(error, "--gdb %s: expected a port from 0 to "
					"65535 (0: any free port)", text);
	address.sin_port = htons((uint16_t)port);
	gdb->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (gdb->listener < 0)
		return error_set(error, "--gdb: cannot make a socket: %s",
				 strerror(errno));
	setsockopt(gdb->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (bind(gdb->listener, (struct sockaddr *)&address, size) ||
	    listen(gdb->listener, 1) ||
	    getsockname(gdb->listener, (struct sockaddr *)&address, &size))
		return error_set(error, "--gdb %ld: cannot listen on "
				 "127.0.0.1: %s (choose another port, or 0)",
				 port, strerror(errno));
	/* Behind a wall (base/wall) there is another network. */
	gdb->connections = fopen("/proc/net/tcp", "re");
	fprintf(stderr, "m2s: waiting for gdb on 127.0.0.1 port %u "
		"(target remote :%u)\n", ntohs(address.sin_port),
		ntohs(address.sin_port));
	return 0;
}

/* The user of the socket at the other end: /proc/net/tcp lists both ends of a
 * connection inside the machine. -1 when it does not tell. */
static long peer_user(FILE *list, int connection)
{
	struct sockaddr_in peer;
	socklen_t size = sizeof peer;
	char line[512];
	long user = -1;

	if (!list || getpeername(connection, (struct sockaddr *)&peer, &size))
		return -1;
	rewind(list);
	while (fgets(line, sizeof line, list)) {
		unsigned address, port, number;

		if (sscanf(line, " %*u: %x:%x %*x:%*x %*x %*x:%*x %*x:%*x "
			   "%*x %u", &address, &port, &number) == 3 &&
		    address == peer.sin_addr.s_addr &&
		    port == ntohs(peer.sin_port))
			user = number;
	}
	return user;
}

bool gdb_wait(struct gdb *gdb)
{
	while (gdb->connection < 0 && !gdb->stop_asked(gdb->stop_owner)) {
		struct pollfd ready = { .fd = gdb->listener,
					.events = POLLIN };
		long user;

		if (poll(&ready, 1, WAIT_PERIOD) <= 0)
			continue;
		gdb->connection = accept4(gdb->listener, NULL, NULL,
					  SOCK_CLOEXEC);
		if (gdb->connection < 0)
			continue;
		user = peer_user(gdb->connections, gdb->connection);
		if (user < 0 || user == 0 || user == (long)getuid())
			break;
		fprintf(stderr, "m2s: warning: --gdb: user %ld tried to "
			"connect\n", user);
		close(gdb->connection);
		gdb->connection = -1;
	}
	return gdb->connection >= 0;
}

void gdb_disconnect(struct gdb *gdb)
{
	if (gdb->connection >= 0)
		close(gdb->connection);
	if (gdb->listener >= 0)
		close(gdb->listener);
	if (gdb->connections)
		fclose(gdb->connections);
	gdb->connections = NULL;
	gdb->connection = gdb->listener = -1;
	gdb_close_files(gdb);
}
