/* struct siginfo of guests. */
#ifndef M2S_X86_LINUX_SIGNALS_INFORMATION_H
#define M2S_X86_LINUX_SIGNALS_INFORMATION_H

#include <stdbool.h>
#include <stdint.h>

struct signal_information;

/* CLD_EXITED and so on, for a status as wait4() reports it. */
int signal_end_code(int status);
/* struct siginfo for guests of either ABI: 128 bytes. */
void signal_pack(const struct signal_information *information, bool abi32,
		 uint8_t *bytes);
void signal_unpack(struct signal_information *information, bool abi32,
		   const uint8_t *bytes);

#endif
