/* Which vector instructions compute with integers, and which with floating-point
 * numbers. */
#include <Zydis/Zydis.h>
#include <string.h>

#include "base/memory.h"
#include "x86/timing/uops/build.h"

/* How names begin, behind the V of AVX. What is not here belongs to both: loads,
 * moves, shuffles, conversions, logic of floating-point numbers. */
static const struct {
	const char *name;
	enum x86_domain domain;
} beginnings[] = {
#define DOMAIN(name, domain) { name, X86_DOMAIN_ ## domain },
#include "x86/timing/uops/domains.def"
#undef DOMAIN
};

static enum x86_domain domain_of(const struct x86_inst *inst)
{
	const char *name;

	if (inst->class != X86_CLASS_VECTOR)
		return X86_DOMAIN_NONE;
	name = ZydisMnemonicGetString(inst->mnemonic);
	if (!name)
		return X86_DOMAIN_NONE;
	name += inst->vex && *name == 'v';
	for (unsigned i = 0; i < ARRAY_SIZE(beginnings); i++)
		if (!strncmp(name, beginnings[i].name,
			     strlen(beginnings[i].name)))
			return beginnings[i].domain;
	return X86_DOMAIN_NONE;
}

void x86_build_domain(struct x86_build *build)
{
	enum x86_domain domain = domain_of(build->inst);

	for (unsigned i = 0; i < build->count; i++)
		if (build->uop[i].kind == X86_UOP_COMPUTE)
			build->uop[i].domain = (uint8_t)domain;
}
