# Laws that the reports of one run must obey, whatever the configuration: reads
# the evergreen, memory, network and kernel report (in this order, values
# separated by commas) and prints each law that does not hold.
BEGIN { FS = "," }
FNR == 1 { file++; next }
file == 1 { evergreen[$1, $2] = $3; evergreen_row($1, $2, $3) }
file == 2 { memory[$1, $2] = $3; modules[$1]; level($1, $2, $3) }
file == 3 { network_row($1, $2, $3) }
file == 4 { kernel_row($1, $2, $3) }

function same(law, a, b) {
	laws++
	if (a != b)
		printf "%s: %s and %s\n", law, a, b
}
function at_most(law, a, b) {
	laws++
	if (!(a <= b))
		printf "%s: %s above %s\n", law, a, b
}
# For ratios that the report rounds to six digits.
function near(law, a, b) {
	laws++
	if (a - b > 1e-4 * b || b - a > 1e-4 * b)
		printf "%s: %s and %s\n", law, a, b
}

function evergreen_row(section, name, value,  part, k) {
	if (section ~ /^ComputeUnit/) {
		units[section]
		if (name == "ALUEngine.VLIWOccupancy") {
			split(value, part, " ")
			for (k = 1; k <= 5; k++)
				width[k] += part[k]
		} else
			unit_sum[name] += value
	}
	if (name ~ /\.Account\./) {
		sub(/\.Account\..*/, "", name)
		account[section, name] += value
		engines[name]
	}
}

# The module's name without its number is its level.
function level(section, name, value) {
	sub(/[0-9]+$/, "", section)
	levels[section]
	level_sum[section, name] += value
}

function network_row(section, name, value,  net) {
	if (section ~ /\.(Node|Link)\./ && name ~ /Utilization$/)
		at_most(section " " name, value, 1.000001)
	net = section
	sub(/\.(General|Node|Link)(\..*)?$/, "", net)
	if (section ~ /\.General$/ && name == "Transfers")
		transfers[net] = value
	if (section ~ /\.Node\./)
		net_sum[net, name] += value
	if (section ~ /\.Link\./ && section !~ /link_(Switch|[^.]*\.in)\.out_buf/)
		link_sum[net, name] += value
}

function kernel_row(section, name, value,  part, k) {
	kernels[section]
	if (name == "ALU_Group_Size") {
		split(value, part, " ")
		for (k = 1; k <= 5; k++) {
			kernel_groups += part[k]
			kernel_slots += k * part[k]
		}
	} else
		kernel_sum[name] += value
	if (name ~ /^Mix\./)
		mix[section] += value
	if (name == "VLIWOccupancy.Average")
		occupancy[section] = value
	if (match(name, /^VLIWOccupancy\.Share\[/)) {
		vliw[section] += value
		filled[section] += value / 100 * substr(name, RLENGTH + 1, 1)
	}
	if (name ~ /^Divergence\.Active[0-9]/)
		active[section] += value
	if (name == "Inst_Count")
		instructions[section] = value
	if (name ~ /\.Share\./) {
		sub(/\.Share\..*/, "", name)
		share[section, name] += value
	}
}

function emulator(name) { return evergreen["Emulator", name] }

# The timing model did what the emulator did.
function check_counts(  k, part, u, e) {
	same("wavefront instructions of the device",
	     evergreen["Device", "Instructions"], emulator("Instructions"))
	same("of its compute units", unit_sum["Instructions"],
	     emulator("Instructions"))
	same("CF instructions", unit_sum["CFEngine.Instructions"],
	     emulator("CFInstructions"))
	same("ALU groups", unit_sum["ALUEngine.Instructions"],
	     emulator("ALUGroups"))
	same("filled slots", unit_sum["ALUEngine.InstructionSlots"],
	     emulator("ALUSlots"))
	same("local-memory instructions",
	     unit_sum["ALUEngine.LocalMemorySlots"],
	     emulator("LocalMemoryInstructions"))
	same("fetches", unit_sum["TEXEngine.Instructions"], emulator("Fetches"))
	same("stores and atomics", unit_sum["CFEngine.GlobalMemWrites"],
	     emulator("GlobalWrites"))
	same("work-groups", unit_sum["WorkGroupCount"], emulator("WorkGroups"))
	same("operations", unit_sum["LaneOperations"],
	     emulator("LaneOperations"))
	same("parts of the instructions", emulator("CFInstructions") + \
	     emulator("ALUGroups") + emulator("Fetches"),
	     emulator("Instructions"))
	split(emulator("VLIWOccupancy"), part, " ")
	for (k = 1; k <= 5; k++)
		same("groups with " k " slots", width[k], part[k] + 0)
	same("local-memory reads and writes", unit_sum["LocalMemory.Accesses"],
	     unit_sum["LocalMemory.Reads"] + unit_sum["LocalMemory.Writes"])
	same("ALU clauses", unit_sum["ALUEngine.WavefrontCount"],
	     unit_sum["CFEngine.ALUClauseTriggers"])
	same("TEX clauses", unit_sum["TEXEngine.WavefrontCount"],
	     unit_sum["CFEngine.TEXClauseTriggers"])
	for (e in engines) {
		same("account of " e ": issued and device",
		     account["Device", e],
		     evergreen["Device", "Cycles"] * unit_count())
		for (u in units)
			same("account of " u ", " e, account[u, e],
			     evergreen["Device", "Cycles"])
	}
}
function unit_count(  u, n) {
	for (u in units)
		n++
	return n
}

# Accesses end once; levels pass on what they do not answer.
function check_memory(  m, i, n, class, kinds, blocks) {
	n = split("Read NCWrite Write Atomic", kinds, " ")
	for (m in modules) {
		same(m ": hits and misses", memory[m, "Hits"] + \
		     memory[m, "Misses"], memory[m, "Accesses"])
		same(m ": kinds", memory[m, "Reads"] + memory[m, "Writes"] + \
		     memory[m, "NCWrites"] + memory[m, "Atomics"],
		     memory[m, "Accesses"])
		for (i = 1; i <= n; i++) {
			class = kinds[i]
			same(m ": " class " hits and misses",
			     memory[m, class "Hits"] + memory[m, class "Misses"],
			     memory[m, class "s"])
			same(m ": " class "s that waited and not",
			     memory[m, "Blocking" class "s"] + \
			     memory[m, "NonBlocking" class "s"],
			     memory[m, class "s"])
		}
		if (memory[m, "Accesses"])
			near(m ": HitRatio", memory[m, "HitRatio"],
			     memory[m, "Hits"] / memory[m, "Accesses"])
		at_most(m ": coalesced", memory[m, "CoalescedAccesses"],
			memory[m, "Accesses"])
		at_most(m ": Utilization", memory[m, "Utilization"], 1.000001)
		at_most(m ": evictions", memory[m, "Evictions"],
			memory[m, "Misses"])
		if (memory[m, "DramBursts"])
			check_dram(m)
	}
	same("blocks that compute units asked for and accesses of the L1s",
	     unit_sum["GlobalMemory.ReadBlocks"] + \
	     unit_sum["GlobalMemory.WriteBlocks"],
	     level_sum["evg-l1-", "Accesses"])
	pass_on("evg-l1-", "evg-l2-")
	pass_on("evg-l2-", "evg-gm-")
}
function pass_on(above, below) {
	same("read misses and loads below of " above ", reads of " below,
	     level_sum[above, "ReadMisses"] + level_sum[above, "LoadsBelow"],
	     level_sum[below, "Reads"])
	same("atomics of " above " and " below,
	     level_sum[above, "Atomics"], level_sum[below, "Atomics"])
	at_most("stores of " below " and those of " above,
		level_sum[below, "NCWrites"], level_sum[above, "NCWrites"])
}
function check_dram(m,  requests, bytes, queue, waiting) {
	requests = memory[m, "DramReads"] + memory[m, "DramWrites"]
	# A store need not wait for the devices, nor the end of the run for it.
	waiting = memory[m, "DramWaiting"]
	at_most(m ": requests that wait, writes", waiting,
		memory[m, "DramWrites"])
	requests -= waiting
	same(m ": rows found open, closed and other", memory[m, "RowHits"] + \
	     memory[m, "RowMisses"] + memory[m, "RowConflicts"], requests)
	at_most(m ": misses and conflicts, activates",
		memory[m, "RowMisses"] + memory[m, "RowConflicts"],
		memory[m, "Activates"])
	at_most(m ": precharges, activates", memory[m, "Precharges"],
		memory[m, "Activates"])
	at_most(m ": requests, bursts", requests, memory[m, "DramBursts"])
	# A burst of eight transfers is two cycles of the clock, DDR3: four.
	same(m ": busy cycles of the bus", memory[m, "DramBusyCycles"],
	     (evergreen["Config.Memory", "Devices"] == "DDR3" ? 4 : 2) * \
	     memory[m, "DramBursts"])
	# What the queue answers or merges, one or two bursts, is not moved.
	bytes = memory[m, "ReadBytes"] + memory[m, "WrittenBytes"]
	queue = memory[m, "DramMerged"] + memory[m, "DramForwarded"]
	at_most(m ": bytes of bursts and queue, moved",
		32 * (memory[m, "DramBursts"] + queue), bytes)
	at_most(m ": bytes moved, of bursts and queue", bytes,
		32 * (memory[m, "DramBursts"] + 2 * (queue + waiting)))
}

# Whatever was sent has arrived when the run ends.
function check_networks(  net) {
	for (net in transfers) {
		same(net ": sent", net_sum[net, "SentMessages"],
		     transfers[net])
		same(net ": received", net_sum[net, "ReceivedMessages"],
		     transfers[net])
		same(net ": bytes", net_sum[net, "SentBytes"],
		     net_sum[net, "ReceivedBytes"])
		same(net ": messages on the links of end nodes",
		     link_sum[net, "TransferredMessages"], transfers[net])
		same(net ": bytes on the links of end nodes",
		     link_sum[net, "TransferredBytes"],
		     net_sum[net, "SentBytes"])
	}
}

# Launches add up to the run.
function check_kernels(  k, e) {
	same("instructions of launches", kernel_sum["Inst_Count"],
	     emulator("Instructions"))
	same("cycles of launches", kernel_sum["Cycles"],
	     evergreen["Device", "Cycles"])
	same("wavefronts of launches", kernel_sum["WaveFront.Count"],
	     emulator("Wavefronts"))
	same("ALU groups of launches", kernel_sum["ALU_Group_Count"],
	     emulator("ALUGroups"))
	same("groups by slots", kernel_groups, emulator("ALUGroups"))
	same("slots of groups", kernel_slots, emulator("ALUSlots"))
	for (k in kernels) {
		near(k ": mix", mix[k], 100)
		near(k ": VLIW occupancy", vliw[k], 100)
		near(k ": mean VLIW occupancy", filled[k], occupancy[k])
		same(k ": active work-items", active[k], instructions[k])
		for (e in engines)
			near(k ": shares of " e, share[k, e], 100)
	}
}

END {
	if (file != 4)
		printf "%d reports, expected 4\n", file
	check_counts()
	check_memory()
	check_networks()
	check_kernels()
	if (laws < 240)
		printf "only %d laws were looked at\n", laws
}
