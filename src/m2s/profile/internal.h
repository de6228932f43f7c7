/* The profile's state and its sums. Internal to m2s/profile. */
#ifndef M2S_M2S_PROFILE_INTERNAL_H
#define M2S_M2S_PROFILE_INTERNAL_H

#include <elfutils/libdw.h>
#include <stdio.h>

#include "loader/elf.h"
#include "m2s/profile/profile.h"

enum { PROFILE_NO_FILE = UINT32_MAX };

/* A file of which code has been executed. */
struct profile_file {
	char *name;
	uint64_t device, inode;
	bool opened;
	struct elf_image *image; /* NULL: not opened, or not readable */
	Dwarf *lines;            /* NULL: has no debug information */
};

/* A thread in one program: execve() begins another one. */
struct profile_thread {
	struct machine_profile *owner;
	int process, thread;
	uint64_t memory;       /* its serial number */
	char *program;         /* path */
	bool wide;             /* 64-bit code */
	struct space *space;   /* while it executes */
	struct x86_profile *profile;
};

struct machine_profile {
	unsigned width;
	struct profile_thread **thread;
	size_t thread_count, thread_capacity;
	struct profile_file *file;
	size_t file_count, file_capacity;
	struct x86_profile *idle;
};

/* Sums of rows: those of an instruction of a file, of a line, a function, a
 * process. */
struct profile_sum {
	uint64_t executions, part[X86_CORE_PARTS];
	uint64_t branches, taken, wrong;
};

struct profile_place {
	uint32_t file;
	uint64_t offset;       /* in the file; without a file the address */
	uint64_t address;      /* the program's, of the first thread */
	bool wide;
	struct x86_profile_row row; /* the sum of the threads */
	char *function;        /* "name", "[file]" or "[memory]" */
	char *line;            /* "file:line", or "" */
};

/* places.c */
/* All instructions of all threads, those of the same place of a file summed, in
 * order of file and offset. The caller frees them with profile_places_free(). */
struct profile_place *profile_places(struct machine_profile *profile,
				     size_t *count);
void profile_places_free(struct profile_place *places, size_t count);

void profile_sum_add(struct profile_sum *sum, const struct x86_profile_row *row);
/* Adds all rows of a thread. */
void profile_sum_add_all(struct profile_sum *sum,
			 const struct x86_profile *profile);
uint64_t profile_sum_slots(const struct profile_sum *sum);

/* groups.c: sums of the places with the same text. */
struct profile_group {
	const char *name;
	const struct profile_place *first, *worst; /* the one with most slots */
	struct profile_sum sum;
};

/* The groups by function or by line, the one with most slots first. */
struct profile_group *profile_groups(const struct profile_place *places,
				     size_t count, bool lines,
				     size_t *group_count);

/* branches.c: those that were mispredicted or lost time, the worst first. The
 * caller frees the list. */
const struct profile_place **
profile_hot_branches(const struct profile_place *places, size_t count,
		     size_t *used);
/* The slots of retirement that a branch lost. */
uint64_t profile_branch_loss(const struct profile_place *place);

/* write.c and table.c */
extern const char *const profile_part_names[X86_CORE_PARTS];
void profile_write_csv(struct machine_profile *profile,
		       const struct profile_place *places, size_t count,
		       FILE *stream);
void profile_write_text(struct machine_profile *profile,
			const struct profile_place *places, size_t count,
			FILE *stream);

#endif
