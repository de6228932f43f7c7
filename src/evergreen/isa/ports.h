/* The register and constant reads that one ALU group can make.
 *
 * Vector slots read registers in three cycles, each of which delivers one
 * register for each channel; BANK_SWIZZLE says in which cycle each source is
 * read. The t slot fits its reads into the same cycles, and reads its constants
 * first. A group reads at most two different pairs (xy or zw) of constants.
 * Source: Mesa's r600_asm.c, tested there on hardware. */
#ifndef M2S_EVERGREEN_ISA_PORTS_H
#define M2S_EVERGREEN_ISA_PORTS_H

#include <stdbool.h>

#include "evergreen/isa/inst.h"

/* Whether the group's reads fit with the swizzles that the group has. */
bool evg_ports_fit(const struct evg_alu_group *group);

/* Sets swizzles with which the group's reads fit; false when there are none. */
bool evg_ports_assign(struct evg_alu_group *group);

#endif
