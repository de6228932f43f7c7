/* What a thread with Landlock's layers may do to others: ports of the network,
 * signals, sockets without a path, tracing. */
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "x86/linux/landlock/landlock.h"
#include "x86/linux/landlock/ruleset.h"
#include "x86/linux/state.h"

/* ---- Ports ---- */

static bool port_allowed(const struct landlock_domain *domain, uint16_t port,
			 uint64_t access)
{
	for (; domain; domain = domain->outer) {
		const struct ruleset *rules = domain->rules;
		uint64_t denied = access & rules->net;

		for (size_t i = 0; i < rules->port_count; i++)
			if (rules->ports[i].port == port)
				denied &= ~rules->ports[i].allowed;
		if (denied)
			return false;
	}
	return true;
}

static bool handles_ports(const struct landlock_domain *domain)
{
	while (domain && !domain->rules->net)
		domain = domain->outer;
	return domain;
}

static int host_option(const struct file *file, int option)
{
	int value = -1;
	socklen_t size = sizeof value;

	getsockopt(file->host, SOL_SOCKET, option, &value, &size);
	return value;
}

/* The port of an address: it, -1 when none is to be checked, or a negative
 * errno below that. */
static int port_of(const struct sockaddr_storage *address, socklen_t size,
		   int family, bool make)
{
	const struct sockaddr_in *internet =
		(const struct sockaddr_in *)address;
	const struct sockaddr_in6 *internet6 =
		(const struct sockaddr_in6 *)address;

	if (size < sizeof address->ss_family)
		return -EINVAL;
	if (address->ss_family == AF_UNSPEC) {
		if (!make)
			return -1; /* takes a connection back */
		if (family == AF_INET &&
		    internet->sin_addr.s_addr != htonl(INADDR_ANY))
			return -EAFNOSUPPORT;
	} else if (address->ss_family != family) {
		return -EINVAL;
	}
	if (family == AF_INET6 && address->ss_family == AF_INET6)
		return size < 24 ? -EINVAL : ntohs(internet6->sin6_port);
	return size < sizeof *internet ? -EINVAL : ntohs(internet->sin_port);
}

static int check_port(struct context *context, const struct file *file,
		      const struct sockaddr_storage *address, socklen_t size,
		      bool make)
{
	int family = host_option(file, SO_DOMAIN), port;

	if (!handles_ports(context->landlock) ||
	    (family != AF_INET && family != AF_INET6) ||
	    host_option(file, SO_PROTOCOL) != IPPROTO_TCP)
		return 0;
	port = port_of(address, size, family, make);
	if (port < 0)
		return port == -1 ? 0 : port;
	return port_allowed(context->landlock, (uint16_t)port,
			    make ? NET_BIND : NET_CONNECT)
		       ? 0
		       : -EACCES;
}

/* ---- Scopes ---- */

/* Whether a layer keeps a thread from what those around it have. */
static bool is_scoped(const struct landlock_domain *domain,
		      const struct landlock_domain *other, uint64_t scope)
{
	for (; domain; domain = domain->outer)
		if ((domain->rules->scoped & scope) &&
		    !domain_contains(domain, other))
			return true;
	return false;
}

/* The layers in which the socket with an abstract name was made; none, too,
 * when it is the host's. */
static const struct landlock_domain *
owner_of(const struct linux_system *system, const struct sockaddr_un *local,
	 socklen_t size)
{
	for (const struct process *process = system->processes; process;
	     process = process->next)
		for (int i = 0; process->files && i < process->files->count;
		     i++) {
			const struct file *file = process->files->list[i].file;
			struct sockaddr_un own;
			socklen_t length = sizeof own;

			if (file && file->is_socket &&
			    getsockname(file->host, (struct sockaddr *)&own,
					&length) == 0 &&
			    length == size && !memcmp(&own, local, size))
				return file->socket.domain;
		}
	return NULL;
}

int landlock_address(struct context *context, const struct file *file,
		     const struct sockaddr_storage *address, socklen_t size,
		     bool make)
{
	const struct sockaddr_un *local = (const struct sockaddr_un *)address;

	if (address->ss_family != AF_UNIX)
		return check_port(context, file, address, size, make);
	if (make || size <= offsetof(struct sockaddr_un, sun_path) ||
	    local->sun_path[0])
		return 0;
	return is_scoped(context->landlock,
			 owner_of(context->process->system, local, size),
			 SCOPE_ABSTRACT)
		       ? -EPERM
		       : 0;
}

/* The layers of a process: of its thread that runs now, or of its first. */
static const struct landlock_domain *domain_of(const struct process *process)
{
	const struct context *context = process->system->current;

	if (!context || context->ended || context->process != process)
		for (context = process->system->contexts;
		     context && (context->ended || context->process != process);)
			context = context->next;
	return context ? context->landlock : NULL;
}

/* A process that has ended has no layers any more, and a signal has no effect
 * on it. */
bool landlock_may_signal(const struct process *from, const struct process *to)
{
	return from == to || to->ended ||
	       !is_scoped(domain_of(from), domain_of(to), SCOPE_SIGNAL);
}

bool landlock_may_trace(const struct process *from, const struct process *to)
{
	return from == to || domain_contains(domain_of(from), domain_of(to));
}
