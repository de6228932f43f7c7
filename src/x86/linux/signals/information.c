/* struct siginfo of guests. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "x86/linux/signals/information.h"
#include "x86/linux/signals/kind.h"
#include "x86/linux/state.h"

int signal_end_code(int status)
{
	if (!(status & 0x7f))
		return CLD_EXITED;
	return status & WCOREFLAG ? CLD_DUMPED : CLD_KILLED;
}

static void put32(uint8_t *bytes, size_t at, uint64_t value)
{
	uint32_t word = (uint32_t)value;

	memcpy(bytes + at, &word, sizeof word);
}

static void put_word(uint8_t *bytes, size_t at, bool abi32, uint64_t value)
{
	memcpy(bytes + at, &value, abi32 ? 4 : 8);
}

/* SIGTRAP has other codes, too: of breakpoints (SI_KERNEL) and ptrace. What
 * a guest passes need not be the number of a signal. */
static bool has_address(int number, int code)
{
	return code > 0 && number > 0 && number <= SIGNALS &&
	       (FAULT_SIGNALS & SIGNAL_BIT(number)) &&
	       (number != SIGTRAP || code <= TRAP_HWBKPT);
}

void signal_pack(const struct signal_information *information, bool abi32,
		 uint8_t *bytes)
{
	int number = information->number, code = information->code;
	size_t at = abi32 ? 12 : 16;

	memset(bytes, 0, 128);
	put32(bytes, 0, (uint64_t)number);
	put32(bytes, 4, (uint64_t)information->error);
	put32(bytes, 8, (uint64_t)code);
	if (!number)
		return;
	if (has_address(number, code)) {
		put_word(bytes, at, abi32, information->address);
		return;
	}
	if (number == SIGSYS && code > 0) {
		put_word(bytes, at, abi32, information->address);
		at += abi32 ? 4 : 8;
		put32(bytes, at, (uint64_t)information->status);
		put32(bytes, at + 4, information->value);
		return;
	}
	if (code == SI_TIMER) {
		put32(bytes, at, (uint64_t)information->timer);
		put32(bytes, at + 4, (uint64_t)information->overrun);
		put_word(bytes, at + 8, abi32, information->value);
		return;
	}
	if (information->poll) {
		put_word(bytes, at, abi32, information->value);
		put32(bytes, at + (abi32 ? 4 : 8),
		      (uint64_t)information->status);
		return;
	}
	put32(bytes, at, (uint64_t)information->pid);
	put32(bytes, at + 4, (uint64_t)information->uid);
	if (number == SIGCHLD && code > 0)
		put32(bytes, at + 8, (uint64_t)information->status);
	else
		put_word(bytes, at + 8, abi32, information->value);
}

void signal_unpack(struct signal_information *information, bool abi32,
		   const uint8_t *bytes)
{
	size_t at = abi32 ? 12 : 16;

	*information = (struct signal_information){ 0 };
	memcpy(&information->number, bytes, 4);
	memcpy(&information->error, bytes + 4, 4);
	memcpy(&information->code, bytes + 8, 4);
	memcpy(&information->pid, bytes + at, 4);
	memcpy(&information->uid, bytes + at + 4, 4);
	memcpy(&information->value, bytes + at + 8, abi32 ? 4 : 8);
	memcpy(&information->status, bytes + at + 8, 4);
	if (has_address(information->number, information->code))
		memcpy(&information->address, bytes + at, abi32 ? 4 : 8);
	if (information->number == SIGSYS && information->code > 0) {
		memcpy(&information->address, bytes + at, abi32 ? 4 : 8);
		at += abi32 ? 4 : 8;
		information->value = 0;
		memcpy(&information->status, bytes + at, 4);
		memcpy(&information->value, bytes + at + 4, 4);
	}
}
