#!/bin/bash
# --x86-sim detailed: programs on simulated cores print and end as in functional
# simulation; parts sum to the whole; runs repeat exactly; limits and errors.
set -u
. "$(dirname "$0")/begin.sh" detailed

printf '[General]\nCores = 4\n' >four.ini
printf '[General]\nWrongPath = Wait\n' >wait.ini
printf '[General]\nWrongPath = Fetch\n' >fetch.ini
printf '[BranchPredictor]\nKind = Perfect\n' >perfect.ini
cat >loop.c <<'END'
#include <stdio.h>
int main(void)
{
	unsigned sum = 0, random = 1;

	for (int i = 0; i < 20000; i++) {
		random = random * 1664525 + 1013904223;
		if (random >> 31)
			__asm__ volatile("add $7, %0" : "+r"(sum));
		else
			__asm__ volatile("xor $9, %0" : "+r"(sum));
	}
	printf("%u\n", sum);
	return 9;
}
END

# A timer's signals come to a thread that makes no call.
cat >timer.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile sig_atomic_t alarms;

static void on_alarm(int signal)
{
	alarms += signal == SIGALRM;
}

int main(void)
{
	struct itimerval timer = { { 0, 200 }, { 0, 200 } };

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (alarms < 3)
		;
	timer = (struct itimerval){ { 0, 0 }, { 0, 0 } };
	setitimer(ITIMER_REAL, &timer, NULL);
	puts("alarms");
	return 0;
}
END

build() { # NAME SOURCE ABI
	$CC -m"$3" -O2 -w -D_GNU_SOURCE -pthread -static -o "$1.$3" "$2" \
		-lm -lrt 2>/dev/null
}

figure() { # FILE SECTION NAME
	awk -v section="[ $2 ]" -v name="$3" '
		/^\[/ { inside = $0 == section }
		inside && $1 == name { print $3 }' "$1"
}

# The laws of one report.
laws() { # FILE CORES WHETHER-THREADS-END-OTHERS
	awk -v cores="$2" -v killed="$3" -F ' = ' '
	function check(a, b, text) {
		if (a - b > 0.01 || b - a > 0.01) {
			print "# " section ": " text ": " a " and " b
			bad = 1
		}
	}
	function end_core() {
		if (section !~ /^Core/) return
		check(parts, 4 * cycles, "slots of retirement")
		check(slots, 4 * cycles, "slots of the renamer")
		instructions += own; seen++
	}
	/^\[/ { end_core(); section = substr($0, 3, length($0) - 4)
		parts = slots = own = 0 }
	section == "Global" && $1 == "Cycles" { whole = $2 }
	section == "Global" && $1 == "Commit.Instructions" { all = $2 }
	section == "Global" && $1 == "Instructions" { executed = $2 }
	section ~ /^Core/ && $1 == "Cycles" {
		cycles = $2; check(cycles, whole, "cycles of the machine") }
	section ~ /^Core/ && $1 == "Instructions" { own = $2 }
	/^Commit\.Slots\./ { parts += $2 }
	/^Dispatch\.Stall\./ { slots += $2 }
	END { end_core()
		check(instructions, all, "instructions of all cores")
		# Those of threads that others ended are not counted there.
		if (killed ? all < executed : all != executed)
			check(all, executed, "retired and executed")
		check(seen, cores, "sections of cores")
		exit bad || whole == 0 }' "$1"
}

compare() { # PROGRAM CORES OPTIONS
	local program=$1 cores=$2 status
	shift 2
	"$m2s" "./$program" >functional 2>/dev/null </dev/null
	status=$?
	"$m2s" --x86-sim detailed --x86-report report "$@" "./$program" \
		>detailed 2>said </dev/null
	[ $? = $status ] && cmp -s functional detailed &&
		laws report "$cores" $([ "$program" = "${program#cores}" ]; echo $?)
	say $? "$program $*: output, end, sums"
}

abis=64
[ "${HAVE_M32:-yes}" = no ] || abis="64 32"
for abi in $abis; do
	build loop loop.c "$abi" && build timer timer.c "$abi" &&
		build hello "$top_srcdir/tests/x86/programs/hello.c" "$abi" &&
		build signals "$top_srcdir/tests/x86/programs/signals.c" \
			"$abi" &&
		build cores "$top_srcdir/tests/x86/programs/cores.c" "$abi" ||
		{ echo "skipped: no static programs of $abi bits"; continue; }
	compare "hello.$abi" 1
	compare "loop.$abi" 1
	compare "signals.$abi" 1
	compare "timer.$abi" 1 --x86-max-inst 100000000
	compare "loop.$abi" 4 --x86-config four.ini --x86-preset skylake
	compare "cores.$abi" 4 --x86-config four.ini
	compare "signals.$abi" 1 --x86-config fetch.ini --x86-preset haswell
done

# What a call writes comes to the core's cache: ten lines, a hundred times.
cat >reads.c <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
static char buffer[4096] __attribute__((aligned(4096)));
int main(int count, char **argument)
{
	int file = open("lines", O_RDONLY), calls = atoi(argument[count - 1]);

	buffer[0] = 1;
	for (int i = 0; i < calls; i++)
		pread(file, buffer, sizeof buffer, 0);
	return 0;
}
END
printf '[General]\nSystemCallLines = Ignore\n' >ignore.ini
if build reads reads.c 64; then
	head -c 640 /dev/zero >lines
	for calls in 100 200; do
		"$m2s" --x86-sim detailed --x86-report "report$calls" \
			./reads.64 $calls >/dev/null 2>&1
	done
	"$m2s" --x86-sim detailed --x86-config ignore.ini \
		--x86-report report.ignore ./reads.64 100 >/dev/null 2>&1
	[ $(($(figure report200 "Core 0" SystemCalls.Lines) -
		$(figure report100 "Core 0" SystemCalls.Lines))) = 1000 ]
	say $? "a call that fills a buffer writes the lines that it returns"
	[ "$(figure report.ignore "Core 0" SystemCalls.Lines)" = 0 ]
	say $? "SystemCallLines = Ignore: none"
fi

if [ -x loop.64 ]; then
	m2s_loop() { # REPORT OPTIONS
		local report=$1
		shift
		rm -f "$report"
		"$m2s" --x86-sim detailed --x86-report "$report" "$@" \
			./loop.64 >/dev/null 2>said </dev/null
	}
	m2s_loop one
	m2s_loop two
	a=$(grep -v -e ^Date -e ^CommandLine one)
	b=$(grep -v -e ^Date -e ^CommandLine two)
	[ "$a" = "$b" ]
	say $? "two runs have the same report"
	m2s_loop waits --x86-config wait.ini
	m2s_loop fetches --x86-config fetch.ini
	[ "$(figure fetches "Core 0" WrongPath.Fetched)" -gt 100000 ] &&
		[ "$(figure fetches "Core 0" Commit.Squashed)" -gt 50000 ] &&
		[ "$(figure fetches "Core 0" WrongPath.Executed)" = 0 ] &&
		[ "$(figure fetches "Core 0" Dispatch.Stall.spec)" = 0 ] &&
		[ "$(figure fetches "Core 0" Issue.Squashed)" = 0 ]
	say $? "WrongPath = Fetch: wrong paths are fetched, and not issued"
	m2s_loop perfect --x86-config perfect.ini
	wrong=$(figure one "Core 0" Commit.Mispred)
	[ "$wrong" -gt 5000 ] && [ "$wrong" -lt 15000 ]
	say $? "a random branch is mispredicted every other time ($wrong)"
	[ "$(figure one "Core 0" WrongPath.Executed)" -gt "$wrong" ] &&
		[ "$(figure one "Core 0" Commit.Squashed)" -gt "$wrong" ]
	say $? "its wrong paths are executed and dropped"
	[ "$(figure waits "Core 0" WrongPath.Executed)" = 0 ] &&
		[ "$(figure waits "Core 0" Commit.Squashed)" = 0 ] &&
		[ "$(figure waits "Core 0" Commit.Mispred)" -gt 5000 ]
	say $? "WrongPath = Wait: none is"
	[ "$(figure perfect "Core 0" Commit.Mispred)" = 0 ]
	say $? "Kind = Perfect: no branch is mispredicted"
	# What a misprediction costs: 17 cycles on Nehalem.
	c=$(($(figure one "Core 0" Cycles) - $(figure perfect "Core 0" Cycles)))
	[ $c -gt $((wrong * 12)) ] && [ $c -lt $((wrong * 26)) ]
	say $? "a misprediction costs 12 to 26 cycles ($c for $wrong)"
	cycles=$(figure one "Core 0" Cycles)
	m2s_loop fast --x86-preset skylake
	[ "$(figure fast "Global" Core)" = skylake ] &&
		[ "$(figure fast "Core 0" Cycles)" -lt "$cycles" ]
	say $? "skylake needs fewer cycles than nehalem"
	# Parts of a repeated instruction are no instructions.
	cat >fill.c <<'END'
static unsigned char to[1 << 22];
int main(void)
{
	unsigned char *b = to;
	unsigned long n = sizeof to / 4;

	__asm__ volatile("rep stosl" : "+D"(b), "+c"(n) : "a"(0) : "memory");
	for (;;)
		__asm__ volatile("");
}
END
	$CC -O2 -static -o fill fill.c 2>/dev/null &&
		timeout 20 "$m2s" --x86-sim detailed --x86-max-inst 100000 \
			./fill >/dev/null 2>said
	[ $? = 122 ] && grep -q '^Instructions = 100000$' said
	say $? "--x86-max-inst counts a repeated instruction once"
	"$m2s" --x86-sim detailed --x86-max-inst 20000 ./loop.64 >/dev/null 2>said
	[ $? = 122 ] && grep -q '^Instructions = 20000$' said &&
		grep -q '^CommittedInstructions = 20000$' said &&
		grep -q 'SimEnd = x86MaxInst' said
	say $? "--x86-max-inst ends at an instruction"
	ns=$(awk '/^SimTime/ { print $3 }' said)
	awk -v ns="$ns" -v cycles="$(awk '/^Cycles/ { print $3 }' said)" \
		'BEGIN { d = ns - cycles / 2.8; exit d > 0.01 || d < -0.01 }'
	say $? "SimTime is that of the cycles"
fi

# The second emulator: plain execution comes to the same.
checked() { # PROGRAM OPTIONS
	local program=$1
	shift
	"$m2s" --x86-sim detailed --x86-check --x86-report checked "$@" \
		"./$program" >detailed 2>said </dev/null
	"$m2s" "./$program" >functional 2>/dev/null </dev/null
	cmp -s functional detailed && ! grep -q x86-check said &&
		[ "$(figure checked Global Commit.Instructions)" = \
			"$(awk '$1 == "Check.Instructions" { s += $3 }
				END { print s }' checked)" ] &&
		[ "$(figure checked "Core 0" Check.Memories)" -gt 3 ] &&
		[ "$(figure checked "Core 0" WrongPath.Executed)" -gt 1000 ]
	say $? "$program $*: each of $(figure checked Global \
		Commit.Instructions) instructions compared"
}
for abi in $abis; do
	[ -x cores.$abi ] || continue
	build code "$top_srcdir/tests/x86/programs/code.c" "$abi"
	checked hello.$abi
	checked "signals.$abi" --x86-preset skylake
	checked loop.$abi --x86-config four.ini
	checked code.$abi --x86-config four.ini
done
if [ -x loop.64 ]; then
	$CC -O2 -w -pthread -static -o litmus.64 \
		"$top_srcdir/tests/x86/programs/litmus.c"
	"$m2s" --x86-sim detailed --x86-check --x86-config four.ini \
		--x86-report checked ./litmus.64 3 1 >out 2>said &&
		[ "$(figure checked "Core 1" Check.Foreign)" -gt 100 ]
	say $? "four threads whose stores others see are compared, too"
fi

# Each store to code drains the core: some 20 cycles.
cat >written.c <<'END'
#include <stdio.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
	/* mov eax, imm32; ret */
	unsigned char *code = mmap(NULL, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS,
				   -1, 0);
	unsigned sum = 0, data = 0;
	volatile void *at = argc > 1 ? (void *)&data : code + 1;

	code[0] = 0xb8;
	code[5] = 0xc3;
	for (int i = 0; i < 1000; i++) {
		*(volatile int *)at = i;
		sum += ((unsigned (*)(void))code)();
	}
	printf("%u\n", sum);
	return 0;
}
END
if $CC -O2 -w -static -o written written.c 2>/dev/null; then
	for config in one four; do
		[ $config = four ] || printf '[General]\nCores = 1\n' >one.ini
		"$m2s" --x86-sim detailed --x86-check --x86-report without \
			--x86-config $config.ini ./written 1 >out0 2>said
		"$m2s" --x86-sim detailed --x86-check --x86-report with \
			--x86-config $config.ini ./written >out1 2>said
		stores=$(figure with "Core 0" CodeStores)
		c=$(($(figure with "Core 0" Cycles) -
			$(figure without "Core 0" Cycles)))
		[ "$(cat out0 out1)" = "0
499500" ] && [ "$stores" = 999 ] && [ $c -gt $((stores * 15)) ] &&
			[ "$(figure without "Core 0" CodeStores)" = 0 ]
		say $? "stores to code, $config core: $stores cost $c cycles"
	done
fi

refused() { # TEXT OPTIONS
	local text=$1
	shift
	"$m2s" "$@" /bin/true >said 2>&1
	[ $? = 1 ] && grep -q -e "$text" said
	say $? "refused: $*"
}
refused "'pentium'" --x86-sim detailed --x86-preset pentium
refused 'expected functional or detailed' --x86-sim fast
refused 'needs --x86-sim detailed' --x86-check
refused '^m2s: error: --gdb: needs --x86-sim functional' --x86-sim detailed --gdb 0
printf '[General]\nWatchdog = 20\n' >dog.ini
refused 'retired for 20 cycles (\[ General \] Watchdog): core 0 makes' \
	--x86-sim detailed --x86-config dog.ini
$CC -O2 -w -D_GNU_SOURCE -pthread -static -o traced \
	"$top_srcdir/tests/x86/programs/traced.c" 2>/dev/null && {
	"$m2s" --x86-sim detailed ./traced >/dev/null 2>said
	[ $? = 1 ] && grep -q 'cannot run threads that ptrace() traces' said
	say $? "refused: ptrace()"
}
refused 'the clock is that of' --x86-sim detailed --x86-clock host
refused 'needs --x86-blocks' --x86-preset haswell
exit $failed
