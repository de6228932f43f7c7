# Memory configurations for the sweeps, made from the shipped hierarchy of the
# HD 5870, so that everything that a sweep does not vary is the same.
# shellcheck shell=bash

# l1_of_size BYTES: the HD 5870's hierarchy with L1s of so many bytes (sets
# vary; 4 ways of 64 B).
l1_of_size() {
	awk -v sets=$(($1 / 256)) '
		/^\[/ { inside = $0 == "[ CacheGeometry evg-l1 ]" }
		inside && $1 == "Sets" { $0 = "Sets = " sets }
		{ print }' "$top_srcdir/samples/memory/evg-hd5870.ini"
}

# slices_for COMPUTE_UNITS SLICES: with any number of both. Channel = 256-byte
# block modulo the slices; the address bits that are the same in all blocks of
# a slice choose no bank.
slices_for() {
	local same=0

	while [ $(($2 >> same & 1)) -eq 0 ]; do
		same=$((same + 1))
	done
	awk -v same="$same" '/^\[ Module/ { exit }
		$1 == "AddressMapping" {
			sub("module:3 ", same ? "module:" same " " : "")
		}
		NR > 1 { print line }
		{ line = $0 }' "$top_srcdir/samples/memory/evg-hd5870.ini"
	awk -v units="$1" -v slices="$2" '
	function range(i) {
		return sprintf("AddressRange = ADDR DIV 256 MOD %d EQ %d",
			       slices, i)
	}
	BEGIN {
		for (i = 0; i < units; i++) {
			printf "\n[ Module evg-l1-%d ]\nType = Cache\n", i
			printf "Geometry = evg-l1\nLowNetwork = evg-net-l1-l2\n"
			printf "LowModules ="
			for (j = 0; j < slices; j++)
				printf " evg-l2-%d", j
			printf "\n\n[ Entry evg-%d ]\nArch = Evergreen\n", i
			printf "ComputeUnit = %d\nModule = evg-l1-%d\n", i, i
		}
		for (i = 0; i < slices; i++) {
			printf "\n[ Module evg-l2-%d ]\nType = Cache\n", i
			printf "Geometry = evg-l2\nHighNetwork = evg-net-l1-l2\n"
			printf "LowNetwork = evg-net-l2-gm\n"
			printf "LowModules = evg-gm-%d\n%s\n", i, range(i)
		}
		for (i = 0; i < slices; i++) {
			printf "\n[ Module evg-gm-%d ]\nType = MainMemory\n", i
			printf "HighNetwork = evg-net-l2-gm\nBlockSize = 64\n"
			printf "Latency = 119\nPorts = 2\nDRAM = evg-gddr5\n"
			printf "AtomicLatency = 16\n%s\n", range(i)
		}
	}'
}
