/* The effect of a program file on the ids and capabilities of the process that
 * executes it: set-user-ID, set-group-ID, and the attribute
 * "security.capability" (execve(2), capabilities(7)). */
#include <endian.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "x86/linux/identity/capability.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/state.h"

struct file_capabilities {
	uint64_t permitted, inheritable;
	bool there, effective;
};

/* Only the superuser can lend others what a file promises. */
static bool honoured(const struct process *process, int file)
{
	struct statvfs volume;

	return geteuid() == 0 && !process->no_new_privileges &&
	       !ptrace_restrains(process) && fstatvfs(file, &volume) == 0 &&
	       !(volume.f_flag & ST_NOSUID);
}

static void read_file_capabilities(int file, struct file_capabilities *out)
{
	struct vfs_ns_cap_data data;
	ssize_t size = fgetxattr(file, "security.capability", &data,
				 sizeof data);
	uint32_t magic;

	if (size < (ssize_t)XATTR_CAPS_SZ_1)
		return;
	magic = le32toh(data.magic_etc);
	/* Version 1 has one word of each set; version 3 is for the superuser
	 * of one user namespace. */
	if ((magic & VFS_CAP_REVISION_MASK) == VFS_CAP_REVISION_3 &&
	    (size < (ssize_t)XATTR_CAPS_SZ_3 || data.rootid))
		return;
	out->there = true;
	out->effective = magic & VFS_CAP_FLAGS_EFFECTIVE;
	for (int i = 0; i < (size < (ssize_t)XATTR_CAPS_SZ_2 ? 1 : 2); i++) {
		out->permitted |= (uint64_t)le32toh(data.data[i].permitted)
				  << 32 * i;
		out->inheritable |= (uint64_t)le32toh(data.data[i].inheritable)
				    << 32 * i;
	}
	out->permitted &= CAPABILITY_ALL;
	out->inheritable &= CAPABILITY_ALL;
}

static void set_ids(struct credentials *new, const struct stat *status)
{
	if (status->st_mode & S_ISUID)
		new->user[EFFECTIVE] = status->st_uid;
	if ((status->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP))
		new->group[EFFECTIVE] = status->st_gid;
}

/* The superuser's programs have every capability, as if their files said so;
 * one that is so only by set-user-ID has what its file says, if it does. */
static void add_root(const struct credentials *new,
		     struct file_capabilities *file)
{
	uint32_t root;
	bool real, effective;

	if ((new->securebits & SECBIT_NOROOT) ||
	    !user_meant(new->users, 0, &root))
		return;
	real = new->user[REAL] == root;
	effective = new->user[EFFECTIVE] == root;
	if (file->there && !real && effective)
		return;
	if (real || effective)
		file->permitted = file->inheritable = CAPABILITY_ALL;
	if (effective)
		file->effective = true;
}

int identity_of_program(const struct process *process, int program,
			struct program_identity *identity)
{
	const struct credentials *old = &process->credentials;
	struct credentials *new = &identity->credentials;
	struct file_capabilities file = { 0 };
	struct stat status;
	bool ids_differ, granted;

	*new = *old;
	if (honoured(process, program) && fstat(program, &status) == 0 &&
	    user_is_mapped(old->users, status.st_uid, status.st_gid)) {
		set_ids(new, &status);
		/* Those that are said there are for the first namespace. */
		if (!old->users)
			read_file_capabilities(program, &file);
	}
	ids_differ = new->user[EFFECTIVE] != old->user[REAL] ||
		     new->group[EFFECTIVE] != old->group[REAL];
	granted = file.there;
	new->permitted = file.permitted & old->bounding;
	/* A program that takes them for granted would run into errors. */
	if (file.effective && (file.permitted & ~new->permitted))
		return -EPERM;
	add_root(new, &file);
	new->permitted = (file.permitted & old->bounding) |
			 (file.inheritable & old->inheritable);
	if (granted || ids_differ)
		new->ambient = 0;
	new->permitted |= new->ambient;
	new->effective = file.effective ? new->permitted : new->ambient;
	new->securebits &= ~SECBIT_KEEP_CAPS;
	for (int i = SAVED; i <= FILES; i++) {
		new->user[i] = new->user[EFFECTIVE];
		new->group[i] = new->group[EFFECTIVE];
	}
	identity->secure = ids_differ ||
			   (new->user[REAL] &&
			    (file.effective || (new->permitted & ~new->ambient)));
	return 0;
}
