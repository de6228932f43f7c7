/* Scripted tests of a network: [ Network.<n>.Commands ] of its file.
 *
 * Command[<i>] = <cycle> <command> <argument> ...; commands run in the order of
 * their cycles, and commands of one cycle in the order of the file. A command
 * runs after everything else that happens in its cycle. End nodes leave
 * messages in their input buffers until a Receive takes them. */
#ifndef M2S_NETWORK_SCRIPT_H
#define M2S_NETWORK_SCRIPT_H

#include "network/network.h"

bool network_has_script(const struct network *network);

/* Runs every command. -1 and an error "file:line: ..." for the first command
 * that fails. Adds the number of commands that checked something to *checks. To
 * be called once, on a network without other users. */
int network_script_run(struct network *network, uint64_t *checks,
		       struct error *error);

void network_script_help(FILE *stream);

#endif
