/* The register and constant reads that one ALU group can make.
 *
 * Vector slots read registers in three cycles, each of which delivers one
 * register for each channel; BANK_SWIZZLE says which source is read in which.
 * The t slot fits its reads into the same cycles and has its constants in
 * front. A group reads at most two different pairs (xy or zw) of constants.
 * Source: Mesa's r600_asm.c, tested there on hardware. */
#ifndef M2S_EVERGREEN_ISA_PORTS_H
#define M2S_EVERGREEN_ISA_PORTS_H

#include <stdbool.h>

#include "evergreen/isa/inst.h"

/* Whether the group's reads fit with the swizzles that it has. */
bool evg_ports_fit(const struct evg_alu_group *group);

/* Chooses swizzles with which they do; false when there are none. */
bool evg_ports_assign(struct evg_alu_group *group);

#endif
