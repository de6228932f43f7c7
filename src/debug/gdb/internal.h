/* The parts of the gdb server. */
#ifndef M2S_DEBUG_GDB_INTERNAL_H
#define M2S_DEBUG_GDB_INTERNAL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "debug/gdb/gdb.h"

enum {
	/* Bytes of data in the longest packet, both ways. */
	GDB_PACKET = 0x4000,
	GDB_FILES = 16,       /* open at a time through vFile */
};

struct gdb {
	struct linux_debugger debugger;
	bool (*stop_asked)(void *owner);
	void *stop_owner;
	int listener, connection; /* -1: closed */
	/* The host's list of TCP connections and their users, or NULL. */
	FILE *connections;
	bool lost;                /* the debugger went away */
	/* Bytes received and not yet parsed. */
	uint8_t in[2 * GDB_PACKET];
	size_t in_size;
	/* The packet being answered, unescaped and zero-terminated. */
	char packet[GDB_PACKET + 1];
	size_t packet_size;
	/* The answer. */
	char reply[GDB_PACKET + 1];
	size_t reply_size;
	/* Features agreed with the debugger. */
	bool no_ack, next_no_ack, multiprocess, exec_events;
	/* The stop being served. */
	struct linux_system *system;
	const struct linux_stop *stop;
	bool go_on;
	int thread;               /* the thread of g, m, ... */
	int resume_thread;        /* the thread of c and s; -1: all */
	int files[GDB_FILES];
};

/* ---- connection.c ---- */
int gdb_open_port(struct gdb *gdb, const char *text, struct error *error);
/* True when a debugger has connected, false when the user wants to end. */
bool gdb_wait(struct gdb *gdb);
void gdb_disconnect(struct gdb *gdb);

/* ---- packet.c ---- */
/* Adds to the reply. Text that does not fit is cut. */
void gdb_put(struct gdb *gdb, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void gdb_put_hex(struct gdb *gdb, const void *bytes, size_t size);
/* Adds bytes with the protocol's escapes. */
void gdb_put_binary(struct gdb *gdb, const void *bytes, size_t size);
/* Sends the reply as a packet and empties it. */
void gdb_send(struct gdb *gdb);
/* Waits for the next packet: true, or false when the debugger is gone or the
 * user wants to end. */
bool gdb_receive(struct gdb *gdb);
/* Reads the bytes that have arrived, without waiting. True when they are an
 * interruption or the debugger is gone. */
bool gdb_look(struct gdb *gdb);
/* Reads a hexadecimal number at *text and moves *text behind it. False if there
 * is none. */
bool gdb_number(const char **text, uint64_t *value);
/* Reads "number SEPARATOR" likewise. False if the text differs. */
bool gdb_number_and(const char **text, char separator, uint64_t *value);
/* Reads pairs of hexadecimal digits up to the end of the text or `end`. Returns
 * the number of bytes, or -1 when they are malformed or more than `size`. */
long gdb_bytes(const char *text, char end, void *bytes, size_t size);

/* ---- registers.c ---- */
void gdb_describe_target(struct gdb *gdb, FILE *stream);
/* Answers g, G, p, P. */
void gdb_read_registers(struct gdb *gdb);
void gdb_write_registers(struct gdb *gdb, const char *hex);
void gdb_read_register(struct gdb *gdb, const char *text);
void gdb_write_register(struct gdb *gdb, const char *text);

/* ---- query.c ---- */
/* Answers packets that begin with q or Q. */
void gdb_query(struct gdb *gdb);
/* Adds a thread id to the reply: "p64.65" or "65". */
void gdb_put_thread(struct gdb *gdb, int thread);
/* Reads a thread id; -1 means all threads, 0 any. False when it is
 * malformed. */
bool gdb_thread(const struct gdb *gdb, const char **text, int *thread);

/* ---- resume.c; after each the guest goes on ---- */
/* vCont: ";action[:thread]", any number of times. */
void gdb_continue_threads(struct gdb *gdb, const char *text);
/* c [address], s [address], C signal[;address], S signal[;address] */
void gdb_continue(struct gdb *gdb, const char *text);
void gdb_detach(struct gdb *gdb);
void gdb_kill(struct gdb *gdb);

/* ---- file.c ---- */
/* Answers packets that begin with vFile:. */
void gdb_file(struct gdb *gdb);
void gdb_close_files(struct gdb *gdb);

/* ---- signal.c ---- */
/* Convert between the protocol's signal numbers and Linux's. */
int gdb_signal_of_linux(int signal);
int gdb_signal_to_linux(uint64_t signal);

#endif
