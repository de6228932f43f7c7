/* The gdb server: the connection, stops, and the commands that change or
 * resume the guest. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "m2s/gdb-internal.h"

enum { WAIT_PERIOD = 200 /* ms between looks at stop_asked() */ };

/* ---- Connection ---- */

static int open_port(struct gdb *gdb, const char *text, struct error *error)
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
		return error_set(error, "--gdb %s: expected a port, 0 to 65535 "
				 "(0: any free one)", text);
	address.sin_port = htons((uint16_t)port);
	gdb->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (gdb->listener < 0)
		return error_set(error, "--gdb: no socket: %s",
				 strerror(errno));
	setsockopt(gdb->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (bind(gdb->listener, (struct sockaddr *)&address, size) ||
	    listen(gdb->listener, 1) ||
	    getsockname(gdb->listener, (struct sockaddr *)&address, &size))
		return error_set(error, "--gdb %ld: cannot listen on "
				 "127.0.0.1: %s (choose another port, or 0)",
				 port, strerror(errno));
	fprintf(stderr, "m2s: waiting for gdb on 127.0.0.1 port %u "
		"(target remote :%u)\n", ntohs(address.sin_port),
		ntohs(address.sin_port));
	return 0;
}

/* Whose socket is at the other end: /proc/net/tcp lists both ends of a
 * connection within the machine. -1 when it does not tell. */
static long peer_user(int connection)
{
	struct sockaddr_in peer;
	socklen_t size = sizeof peer;
	char line[512];
	long user = -1;
	FILE *list;

	if (getpeername(connection, (struct sockaddr *)&peer, &size) ||
	    !(list = fopen("/proc/net/tcp", "re")))
		return -1;
	while (fgets(line, sizeof line, list)) {
		unsigned address, port, number;

		if (sscanf(line, " %*u: %x:%x %*x:%*x %*x %*x:%*x %*x:%*x "
			   "%*x %u", &address, &port, &number) == 3 &&
		    address == peer.sin_addr.s_addr &&
		    port == ntohs(peer.sin_port))
			user = number;
	}
	fclose(list);
	return user;
}

/* True when somebody has connected. */
static bool wait_for_debugger(struct gdb *gdb)
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
		user = peer_user(gdb->connection);
		if (user < 0 || user == 0 || user == (long)getuid())
			break;
		fprintf(stderr, "m2s: warning: --gdb: user %ld tried to "
			"connect\n", user);
		close(gdb->connection);
		gdb->connection = -1;
	}
	return gdb->connection >= 0;
}

static void disconnect(struct gdb *gdb)
{
	if (gdb->connection >= 0)
		close(gdb->connection);
	if (gdb->listener >= 0)
		close(gdb->listener);
	gdb->connection = gdb->listener = -1;
	gdb_close_files(gdb);
}

/* ---- Stop replies ---- */

static void put_stop(struct gdb *gdb)
{
	static const char *const watch_names[] = { "watch", "rwatch",
						   "awatch" };
	const struct linux_stop *stop = gdb->stop;
	int signal = 5; /* SIGTRAP */

	if (stop->kind == LINUX_STOP_EXITED ||
	    stop->kind == LINUX_STOP_KILLED) {
		bool killed = stop->kind == LINUX_STOP_KILLED;

		gdb_put(gdb, "%c%02x", killed ? 'X' : 'W',
			killed ? (unsigned)gdb_signal_of_linux(stop->signal)
			       : (unsigned)stop->status);
		if (gdb->multiprocess)
			gdb_put(gdb, ";process:%x", (unsigned)stop->process);
		return;
	}
	if (stop->kind == LINUX_STOP_SIGNAL)
		signal = gdb_signal_of_linux(stop->signal);
	else if (stop->kind == LINUX_STOP_INTERRUPT ||
		 stop->kind == LINUX_STOP_DEADLOCK)
		signal = 2;
	gdb_put(gdb, "T%02x", (unsigned)signal);
	if (stop->kind == LINUX_STOP_BREAKPOINT)
		gdb_put(gdb, "swbreak:;");
	if (stop->kind == LINUX_STOP_WATCH)
		gdb_put(gdb, "%s:%" PRIx64 ";", watch_names[stop->watch],
			stop->address);
	if (stop->kind == LINUX_STOP_EXEC && gdb->exec_events) {
		gdb_put(gdb, "exec:");
		gdb_put_hex(gdb, stop->path, strlen(stop->path));
		gdb_put(gdb, ";");
	}
	gdb_put(gdb, "thread:");
	gdb_put_thread(gdb, stop->thread);
	gdb_put(gdb, ";");
}

/* ---- Memory ---- */

static void read_memory(struct gdb *gdb, const char *text)
{
	uint8_t bytes[GDB_PACKET / 2];
	uint64_t address, size;
	size_t got;

	if (!gdb_number_and(&text, ',', &address) ||
	    !gdb_number(&text, &size) || *text) {
		gdb_put(gdb, "E01");
		return;
	}
	if (size > sizeof bytes)
		size = sizeof bytes;
	got = linux_debug_read(gdb->system, address, bytes, size);
	if (!got && size)
		gdb_put(gdb, "E14");
	else
		gdb_put_hex(gdb, bytes, got);
}

static void write_memory(struct gdb *gdb, const char *text, bool binary)
{
	uint8_t bytes[GDB_PACKET];
	uint64_t address, size;
	long given;

	if (!gdb_number_and(&text, ',', &address) ||
	    !gdb_number_and(&text, ':', &size)) {
		gdb_put(gdb, "E01");
		return;
	}
	if (binary) {
		given = gdb->packet + gdb->packet_size - text;
		memcpy(bytes, text, (size_t)given);
	} else {
		given = gdb_bytes(text, 0, bytes, sizeof bytes);
	}
	if (given < 0 || (uint64_t)given != size)
		gdb_put(gdb, "E01");
	else if (linux_debug_write(gdb->system, address, bytes, size) != size)
		gdb_put(gdb, "E14");
	else
		gdb_put(gdb, "OK");
}

/* Z and z: "type,address,kind". */
static void set_point(struct gdb *gdb, const char *text, bool insert)
{
	static const enum linux_watch kinds[] = {
		LINUX_WATCH_WRITE, LINUX_WATCH_READ, LINUX_WATCH_ACCESS
	};
	uint64_t type, address, size;
	int result;

	if (!gdb_number_and(&text, ',', &type) ||
	    !gdb_number_and(&text, ',', &address) ||
	    !gdb_number(&text, &size)) {
		gdb_put(gdb, "E01");
		return;
	}
	if (*text) /* conditions and commands of the debugger's agent */
		return;
	if (type <= 1)
		result = linux_debug_breakpoint(gdb->system, address, insert);
	else if (type <= 4)
		result = linux_debug_watchpoint(gdb->system, address, size,
						kinds[type - 2], insert);
	else
		return; /* an empty reply: no such kind */
	gdb_put(gdb, result ? "E01" : "OK");
}

/* ---- Threads ---- */

static bool exists(struct gdb *gdb, int thread)
{
	return linux_debug_cpu(gdb->system, thread) != NULL;
}

/* H: the thread of the commands that follow. */
static void choose_thread(struct gdb *gdb, const char *text)
{
	char what = *text;
	int thread;

	text += what != 0;
	if (!gdb_thread(gdb, &text, &thread) || *text) {
		gdb_put(gdb, "E01");
		return;
	}
	if (what == 'c') {
		gdb->resume_thread = thread ? thread : -1;
	} else if (what == 'g') {
		if (thread <= 0)
			thread = gdb->stop->thread;
		if (!exists(gdb, thread)) {
			gdb_put(gdb, "E03");
			return;
		}
		gdb->thread = thread;
	} else {
		gdb_put(gdb, "E01");
		return;
	}
	gdb_put(gdb, "OK");
}

static void is_alive(struct gdb *gdb, const char *text)
{
	int thread;

	gdb_put(gdb, gdb_thread(gdb, &text, &thread) && exists(gdb, thread)
			     ? "OK"
			     : "E01");
}

/* ---- Going on ---- */

struct action {
	enum linux_resume how;
	uint64_t start, end;
	int signal;
	int thread; /* -1: all that no action before is for */
};

static void apply(struct gdb *gdb, const struct action *action, int thread)
{
	linux_debug_resume(gdb->system, thread, action->how, action->start,
			   action->end);
	/* The signal that it stopped for is dropped unless sent again. */
	if (action->signal || (gdb->stop->kind == LINUX_STOP_SIGNAL &&
			       thread == gdb->stop->thread))
		linux_debug_signal(gdb->system, thread, action->signal);
}

static void apply_all(struct gdb *gdb, const struct action *list,
		      size_t count)
{
	static const struct action hold = { .how = LINUX_RESUME_HOLD,
					    .thread = -1 };
	int thread = 0;

	while ((thread = linux_debug_next_thread(gdb->system, thread))) {
		size_t i = 0;

		while (i < count && list[i].thread != -1 &&
		       list[i].thread != thread)
			i++;
		if (i < count)
			apply(gdb, &list[i], thread);
		else
			linux_debug_resume(gdb->system, thread, hold.how, 0,
					   0);
	}
	gdb->go_on = true;
}

/* One action of vCont: "c", "C05", "s", "S05", "rSTART,END", each with an
 * optional ":thread". */
static bool parse_action(struct gdb *gdb, const char **text,
			 struct action *action)
{
	char kind = *(*text)++;
	uint64_t signal;

	*action = (struct action){ .how = LINUX_RESUME_RUN, .thread = -1 };
	switch (kind) {
	case 'C':
	case 'S':
		if (!gdb_number(text, &signal))
			return false;
		action->signal = gdb_signal_to_linux(signal);
		break;
	case 'r':
		if (!gdb_number_and(text, ',', &action->start) ||
		    !gdb_number(text, &action->end))
			return false;
		break;
	case 'c':
	case 's':
		break;
	default:
		return false;
	}
	if (kind == 's' || kind == 'S' || kind == 'r')
		action->how = LINUX_RESUME_STEP;
	if (**text == ':') {
		++*text;
		if (!gdb_thread(gdb, text, &action->thread))
			return false;
	}
	return **text == ';' || !**text;
}

static void continue_threads(struct gdb *gdb, const char *text)
{
	struct action list[256];
	size_t count = 0;

	while (*text == ';') {
		text++;
		if (count == ARRAY_SIZE(list) ||
		    !parse_action(gdb, &text, &list[count++])) {
			gdb_put(gdb, "E01");
			return;
		}
	}
	if (count)
		apply_all(gdb, list, count);
	else
		gdb_put(gdb, "E01");
}

/* c [address], s [address], C signal[;address], S signal[;address] */
static void continue_plainly(struct gdb *gdb, const char *text)
{
	bool step = gdb->packet[0] == 's' || gdb->packet[0] == 'S';
	struct action actions[2] = {
		{ .how = step ? LINUX_RESUME_STEP : LINUX_RESUME_RUN,
		  .thread = gdb->resume_thread },
		{ .how = LINUX_RESUME_RUN, .thread = -1 },
	};
	uint64_t value;

	if (step && actions[0].thread <= 0)
		actions[0].thread = gdb->stop->thread;
	if (gdb->packet[0] == 'C' || gdb->packet[0] == 'S') {
		if (!gdb_number(&text, &value)) {
			gdb_put(gdb, "E01");
			return;
		}
		actions[0].signal = gdb_signal_to_linux(value);
		/* A signal is for one thread. */
		if (actions[0].thread <= 0)
			actions[0].thread = gdb->stop->thread;
		text += *text == ';';
	}
	if (*text) {
		if (!gdb_number(&text, &value) || *text) {
			gdb_put(gdb, "E01");
			return;
		}
		linux_debug_set_rip(gdb->system, gdb->stop->thread, value);
	}
	apply_all(gdb, actions, 2);
}

static void detach(struct gdb *gdb)
{
	linux_debug_detach(gdb->system);
	gdb->go_on = true;
}

static void kill_process(struct gdb *gdb)
{
	linux_debug_kill(gdb->system);
	gdb->go_on = true;
}

/* ---- Serving ---- */

static void answer_v(struct gdb *gdb)
{
	const char *text = gdb->packet;

	if (!strcmp(text, "vCont?")) {
		gdb_put(gdb, "vCont;c;C;s;S;r");
	} else if (!strncmp(text, "vCont;", 6)) {
		continue_threads(gdb, text + 5);
	} else if (!strncmp(text, "vKill;", 6)) {
		gdb_put(gdb, "OK");
		gdb_send(gdb);
		kill_process(gdb);
	} else if (!strncmp(text, "vFile:", 6)) {
		gdb_file(gdb);
	}
}

static void answer(struct gdb *gdb)
{
	const char *text = gdb->packet + 1;

	switch (gdb->packet[0]) {
	case '?':
		put_stop(gdb);
		break;
	case 'g':
		gdb_read_registers(gdb);
		break;
	case 'G':
		gdb_write_registers(gdb, text);
		break;
	case 'p':
		gdb_read_register(gdb, text);
		break;
	case 'P':
		gdb_write_register(gdb, text);
		break;
	case 'm':
		read_memory(gdb, text);
		break;
	case 'M':
		write_memory(gdb, text, false);
		break;
	case 'X':
		write_memory(gdb, text, true);
		break;
	case 'Z':
		set_point(gdb, text, true);
		break;
	case 'z':
		set_point(gdb, text, false);
		break;
	case 'H':
		choose_thread(gdb, text);
		break;
	case 'T':
		is_alive(gdb, text);
		break;
	case 'c':
	case 's':
	case 'C':
	case 'S':
		continue_plainly(gdb, text);
		break;
	case 'v':
		answer_v(gdb);
		break;
	case 'q':
	case 'Q':
		gdb_query(gdb);
		break;
	case 'D':
		gdb_put(gdb, "OK");
		gdb_send(gdb);
		detach(gdb);
		break;
	case 'k':
		kill_process(gdb);
		break;
	}
}

static void serve(struct gdb *gdb)
{
	gdb->go_on = false;
	while (!gdb->go_on) {
		if (!gdb_receive(gdb)) {
			if (gdb->lost)
				fputs("m2s: warning: --gdb: the debugger has "
				      "gone; the program goes on without it\n",
				      stderr);
			detach(gdb);
			break;
		}
		gdb->reply_size = 0;
		gdb_put(gdb, "%s", "");
		answer(gdb);
		/* What resumes the guest is answered by the next stop. */
		if (!gdb->go_on)
			gdb_send(gdb);
		if (gdb->next_no_ack)
			gdb->no_ack = true;
	}
}

static void stopped(void *owner, struct linux_system *system,
		    const struct linux_stop *stop)
{
	struct gdb *gdb = owner;
	bool gone = stop->kind == LINUX_STOP_EXITED ||
		    stop->kind == LINUX_STOP_KILLED;

	gdb->system = system;
	gdb->stop = stop;
	gdb->thread = stop->thread;
	gdb->resume_thread = -1;
	gdb->reply_size = 0;
	if (stop->kind == LINUX_STOP_START) {
		if (!wait_for_debugger(gdb)) {
			linux_debug_detach(system);
			return;
		}
		close(gdb->listener); /* one debugger, once */
		gdb->listener = -1;
	} else if (!gdb->lost) {
		if (stop->text) {
			gdb_put(gdb, "O");
			gdb_put_hex(gdb, stop->text, strlen(stop->text));
			gdb_put_hex(gdb, "\n", 1);
			gdb_send(gdb);
		}
		put_stop(gdb);
		gdb_send(gdb);
	}
	if (!gone)
		serve(gdb);
	gdb->stop = NULL;
}

static bool interrupted(void *owner)
{
	return gdb_look(owner);
}

struct gdb *gdb_create(const char *port, bool (*stop)(void *owner),
		       void *stop_owner, struct error *error)
{
	struct gdb *gdb = xcalloc(1, sizeof *gdb);

	gdb->debugger = (struct linux_debugger){ gdb, stopped, interrupted };
	gdb->stop_asked = stop;
	gdb->stop_owner = stop_owner;
	gdb->listener = gdb->connection = -1;
	for (int i = 0; i < GDB_FILES; i++)
		gdb->files[i] = -1;
	if (open_port(gdb, port, error)) {
		gdb_free(gdb);
		return NULL;
	}
	return gdb;
}

void gdb_free(struct gdb *gdb)
{
	if (!gdb)
		return;
	disconnect(gdb);
	free(gdb);
}

const struct linux_debugger *gdb_debugger(struct gdb *gdb)
{
	return &gdb->debugger;
}
