/* The machine's names (uts_namespaces(7)): the host's until a guest sets them,
 * which changes them for the run. */
#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/utsname.h>

#include "x86/linux/calls.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/state.h"
#include "x86/linux/uts.h"

enum { NAME_MAX_LENGTH = sizeof((struct uts_name *)NULL)->text - 1 };

void uts_names(const struct linux_system *system, struct utsname *names)
{
	if (uname(names) != 0)
		memset(names, 0, sizeof *names);
	if (system->uts_name[UTS_HOST].set)
		memcpy(names->nodename, system->uts_name[UTS_HOST].text,
		       sizeof names->nodename);
	if (system->uts_name[UTS_DOMAIN].set)
		memcpy(names->domainname, system->uts_name[UTS_DOMAIN].text,
		       sizeof names->domainname);
}

static void set_name(struct linux_system *system, enum uts_which which,
		     const char *text, size_t length)
{
	struct uts_name *name = system->uts_name + which;

	memset(name, 0, sizeof *name);
	memcpy(name->text, text, length);
	name->set = true;
}

static int64_t set_by_call(struct context *context, const uint64_t *a,
			   enum uts_which which)
{
	char text[NAME_MAX_LENGTH];
	int length = (int)a[1];

	if (!has_capability(context->process, CAP_SYS_ADMIN))
		return -EPERM;
	if (length < 0 || length > NAME_MAX_LENGTH)
		return -EINVAL;
	if (guest_get(context, a[0], text, (size_t)length))
		return -EFAULT;
	set_name(context->process->system, which, text, (size_t)length);
	return 0;
}

int64_t call_sethostname(struct context *context, const uint64_t *a)
{
	return set_by_call(context, a, UTS_HOST);
}

int64_t call_setdomainname(struct context *context, const uint64_t *a)
{
	return set_by_call(context, a, UTS_DOMAIN);
}

int64_t uts_write(struct context *context, enum uts_which which,
		  const char *text, size_t size)
{
	size_t length = 0;

	if (context->process->credentials.user[3])
		return -EACCES;
	while (length < size && length < NAME_MAX_LENGTH && text[length] &&
	       text[length] != '\n')
		length++;
	set_name(context->process->system, which, text, length);
	return (int64_t)size;
}
