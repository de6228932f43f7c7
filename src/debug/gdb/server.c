/* The gdb server: stops, and the commands that are answered while one lasts. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "debug/gdb/internal.h"

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

/* ---- Serving ---- */

static void answer_v(struct gdb *gdb)
{
	const char *text = gdb->packet;

	if (!strcmp(text, "vCont?")) {
		gdb_put(gdb, "vCont;c;C;s;S;r");
	} else if (!strncmp(text, "vCont;", 6)) {
		gdb_continue_threads(gdb, text + 5);
	} else if (!strncmp(text, "vKill;", 6)) {
		gdb_put(gdb, "OK");
		gdb_send(gdb);
		gdb_kill(gdb);
	} else if (!strncmp(text, "vFile:", 6)) {
		gdb_file(gdb);
	}
}

static void answer_packet(struct gdb *gdb)
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
		gdb_continue(gdb, text);
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
		gdb_detach(gdb);
		break;
	case 'k':
		gdb_kill(gdb);
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
				      "gone; the program continues without a "
				      "debugger\n",
				      stderr);
			gdb_detach(gdb);
			break;
		}
		gdb->reply_size = 0;
		gdb_put(gdb, "%s", "");
		answer_packet(gdb);
		/* A packet that resumes the guest is answered by the next
		 * stop. */
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
		if (!gdb_wait(gdb)) {
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
	if (gdb_open_port(gdb, port, error)) {
		gdb_free(gdb);
		return NULL;
	}
	return gdb;
}

void gdb_free(struct gdb *gdb)
{
	if (!gdb)
		return;
	gdb_disconnect(gdb);
	free(gdb);
}

const struct linux_debugger *gdb_debugger(struct gdb *gdb)
{
	return &gdb->debugger;
}
