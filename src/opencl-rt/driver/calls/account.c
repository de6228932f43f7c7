#include "opencl-rt/driver/calls/account.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/driver/calls/symbols.h"

void account_free(struct opencl_account *account)
{
	if (!account)
		return;
	for (size_t i = 0; i < account->kernel_count; i++)
		free(account->kernels[i].name);
	free(account->kernels);
	free(account->commands);
	free(account);
}

void account_bytes(struct opencl_account *account, uint64_t bytes)
{
	if (account)
		account->bytes += bytes;
}

uint64_t account_bytes_now(const struct opencl_account *account)
{
	return account ? account->bytes : 0;
}

void account_call(struct opencl_account *account, enum opencl_call call,
		  const struct call_count *count)
{
	struct call_count *sum;

	if (!account)
		return;
	sum = &account->calls[call];
	sum->calls += count->calls;
	sum->failed += count->failed;
	sum->bytes += count->bytes;
	sum->time += count->time;
}

void account_command(struct opencl_account *account,
		     const struct command_count *count)
{
	struct command_count *sum;
	size_t i = 0;

	if (!account)
		return;
	while (i < account->command_count &&
	       account->commands[i].type != count->type)
		i++;
	if (i == account->command_count) {
		ARRAY_GROW(account->commands, account->command_count,
			   account->command_capacity);
		account->commands[account->command_count++] =
		    (struct command_count){.type = count->type};
	}
	sum = &account->commands[i];
	sum->commands += count->commands;
	sum->failed += count->failed;
	sum->bytes += count->bytes;
	sum->time += count->time;
}

static struct kernel_count *find_kernel(struct opencl_account *account,
					const char *name)
{
	for (size_t i = 0; i < account->kernel_count; i++)
		if (!strcmp(account->kernels[i].name, name))
			return &account->kernels[i];
	ARRAY_GROW(account->kernels, account->kernel_count,
		   account->kernel_capacity);
	account->kernels[account->kernel_count] = (struct kernel_count){
	    .name = xstrdup(name), .shortest = UINT64_MAX};
	return &account->kernels[account->kernel_count++];
}

void account_launch(struct opencl_account *account, const char *kernel,
		    uint64_t work_items, picoseconds time)
{
	struct kernel_count *sum;

	if (!account)
		return;
	sum = find_kernel(account, kernel);
	sum->launches++;
	sum->work_items += work_items;
	sum->time += time;
	if (time < sum->shortest)
		sum->shortest = time;
	if (time > sum->longest)
		sum->longest = time;
}

void account_build(struct opencl_account *account,
		   const struct build_count *count)
{
	if (!account)
		return;
	account->builds.builds += count->builds;
	account->builds.cached += count->cached;
	account->builds.failed += count->failed;
	account->builds.seconds += count->seconds;
}

void account_object(struct opencl_account *account, enum object_kind kind)
{
	if (account)
		account->objects[kind].made++;
}

void account_left(struct opencl_account *account, enum object_kind kind)
{
	if (account)
		account->objects[kind].left++;
}

/* --- The report ---------------------------------------------------------- */

static double microseconds(picoseconds time)
{
	return (double)time / 1e6;
}

static void register_totals(const struct opencl_account *account,
			    struct stats *stats)
{
	struct stats_section *section =
	    stats_section(stats, "opencl", "OpenCL");
	struct call_count calls = {0};
	struct command_count commands = {0};
	struct kernel_count kernels = {0};

	for (size_t i = 0; i < OPENCL_CALL_COUNT; i++) {
		calls.calls += account->calls[i].calls;
		calls.failed += account->calls[i].failed;
		calls.time += account->calls[i].time;
	}
	for (size_t i = 0; i < account->command_count; i++) {
		commands.commands += account->commands[i].commands;
		commands.failed += account->commands[i].failed;
		commands.time += account->commands[i].time;
	}
	for (size_t i = 0; i < account->kernel_count; i++) {
		kernels.launches += account->kernels[i].launches;
		kernels.work_items += account->kernels[i].work_items;
		kernels.time += account->kernels[i].time;
	}
#define STATS_REGISTRATION
#include "opencl-rt/driver/calls/total.stat.def"
}

static void register_builds(const struct build_count *count, bool host,
			    struct stats *stats)
{
	struct stats_section *section =
	    stats_section(stats, "opencl", "Builds");

#define STATS_REGISTRATION
#include "opencl-rt/driver/calls/build.stat.def"
}

static void register_call(const struct call_count *count, const char *call,
			  struct stats *stats)
{
	struct stats_name name;
	struct stats_section *section =
	    stats_section(stats, "opencl", stats_name(&name, "Call %s", call));

#define STATS_REGISTRATION
#include "opencl-rt/driver/calls/call.stat.def"
}

static void register_command(const struct command_count *count,
			     struct stats *stats)
{
	const char *type = constant_name(SYMBOLS_COMMAND_TYPE, count->type);
	struct stats_name name;
	struct stats_section *section = stats_section(
	    stats, "opencl",
	    stats_name(&name, "Command %s", type ? type : "unknown"));

#define STATS_REGISTRATION
#include "opencl-rt/driver/calls/command.stat.def"
}

static void register_kernel(const struct kernel_count *count,
			    struct stats *stats)
{
	struct stats_name name;
	struct stats_section *section = stats_section(
	    stats, "opencl", stats_name(&name, "Kernel %s", count->name));

#define STATS_REGISTRATION
#include "opencl-rt/driver/calls/kernel.stat.def"
}

static void register_objects(const struct object_count *count, const char *noun,
			     struct stats *stats)
{
	struct stats_name name;
	struct stats_section *section = stats_section(
	    stats, "opencl", stats_name(&name, "Objects %s", noun));

#define STATS_REGISTRATION
#include "opencl-rt/driver/calls/object.stat.def"
}

void account_register(const struct opencl_account *account, bool host,
		      struct stats *stats)
{
	static const char *const nouns[] = {
#define KIND(id, noun, error) #noun,
	    OBJECT_KINDS
#undef KIND
	};

	register_totals(account, stats);
	register_builds(&account->builds, host, stats);
	for (size_t i = 0; i < account->kernel_count; i++)
		register_kernel(&account->kernels[i], stats);
	for (size_t i = 0; i < account->command_count; i++)
		register_command(&account->commands[i], stats);
	for (size_t i = 0; i < OPENCL_CALL_COUNT; i++)
		if (account->calls[i].calls)
			register_call(&account->calls[i],
				      call_name((enum opencl_call)i), stats);
	for (size_t i = OBJECT_CONTEXT; i < OBJECT_KIND_COUNT; i++)
		if (account->objects[i].made)
			register_objects(&account->objects[i], nouns[i], stats);
}
