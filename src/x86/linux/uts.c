/* The machine's names (uts_namespaces(7)): the host's until a guest sets them,
 * which changes them for the run. */
#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/utsname.h>

#include "x86/linux/calls.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/namespaces/namespace.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/state.h"
#include "x86/linux/uts.h"

enum { NAME_MAX_LENGTH = sizeof((struct uts_name *)NULL)->text - 1 };

static struct uts_name *names_of(const struct context *context)
{
	struct namespace *space = namespace_of(context, SLOT_UTS);

	return space ? space->uts_name : context->process->system->uts_name;
}

void uts_names(const struct context *context, struct utsname *names)
{
	const struct uts_name *own = names_of(context);

	if (uname(names) != 0)
		memset(names, 0, sizeof *names);
	if (own[UTS_HOST].set)
		memcpy(names->nodename, own[UTS_HOST].text,
		       sizeof names->nodename);
	if (own[UTS_DOMAIN].set)
		memcpy(names->domainname, own[UTS_DOMAIN].text,
		       sizeof names->domainname);
}

static void set_name(struct context *context, enum uts_which which,
		     const char *text, size_t length)
{
	struct uts_name *name = names_of(context) + which;

	memset(name, 0, sizeof *name);
	memcpy(name->text, text, length);
	name->set = true;
}

static int64_t set_by_call(struct context *context, const uint64_t *a,
			   enum uts_which which)
{
	const struct namespace *space = namespace_of(context, SLOT_UTS);
	char text[NAME_MAX_LENGTH];
	int length = (int)a[1];

	if (!has_capability_in(context->process, space ? space->owner : NULL,
			       CAP_SYS_ADMIN))
		return -EPERM;
	if (length < 0 || length > NAME_MAX_LENGTH)
		return -EINVAL;
	if (guest_get(context, a[0], text, (size_t)length))
		return -EFAULT;
	set_name(context, which, text, (size_t)length);
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
	set_name(context, which, text, length);
	return (int64_t)size;
}
