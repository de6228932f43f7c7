#!/bin/bash
# Files that m2s writes: what they replace and what not, when they get their
# names, and what happens when they cannot be written.
set -u
# As root a broken m2s could replace the host's devices: they are copies.
if [ "$(id -u)" -eq 0 ] && [ -z "${OWN_DEV:-}" ] &&
	unshare -m true 2>/dev/null; then
	OWN_DEV=1 exec unshare -m "$0"
fi
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
if [ -n "${OWN_DEV:-}" ]; then
	mkdir nodes && cp -a /dev/{null,full,zero,urandom,std*,fd} nodes &&
		mount -t tmpfs dev /dev && cp -a nodes/. /dev && rm -r nodes ||
		exit 1
fi
add=$top_builddir/samples/vector-add/vector-add
case $add in /*) ;; *) add=$OLDPWD/$add ;; esac

check() {
	if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}

m2s() {
	timeout 60 "$M2S" --quiet "$@" >out 2>err
}

cat >program.c <<'C'
#include <unistd.h>
int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < (argc > 1 ? 3000 : 3); i++)
		usleep(argc > 1 ? 1000 : 0);
	return 0;
}
C
$CC -o original program.c || exit 1
cp -p original program
touch out err

# keeps FILE SAYS OPTIONS...: the run fails, says why and leaves FILE alone
# and nothing else.
keeps() {
	local file=$1 says=$2 before
	shift 2
	cp -p "$file" kept
	before=$(ls -A)
	m2s "$@"
	[ $? -eq 1 ] && cmp -s kept "$file" && grep -q -- "$says" err &&
		[ "$(ls -A)" = "$before" ]
	check "keeps $file: $*" $?
}

# The file's name was forgotten; the program's is taken for it.
for option in elf-debug x86-debug-{call,ctx,loader,isa,syscall} \
	evg-debug-{isa,stack} {cl,mem,net}-debug {x86,evg}-report \
	evg-report-kernel evg-annotate x86-save-checkpoint hang-file; do
	keeps program "--$option ./program: .* ELF file (--overwrite" \
		--$option ./program ./program
done
for option in {mem,net}-report threads-report \
	"stats-interval 100 --stats-interval-file"; do
	# shellcheck disable=SC2086
	keeps program "./program: .* ELF file" --evg-sim detailed \
		--$option ./program ./program
done
keeps program "./program: .* ELF file" --x86-debug-isa ./program 64
keeps program "./program: .* ELF file" --evg-report ./program ls

printf '#!/bin/sh\nexit 7\n' >script
chmod +x script
keeps script "script: .* an executable" --x86-report script ./program
printf '[ Device ]\nFrequency = 800\n' >gpu.ini
keeps gpu.ini "gpu.ini: .* an input of this run" --x86-report gpu.ini \
	--evg-config gpu.ini ./program
ln gpu.ini other
keeps gpu.ini "other: .* an input of this run" --evg-report other \
	--evg-config gpu.ini ./program
printf '[ Context 0 ]\nExe = ./program\n' >context.ini
keeps context.ini "context.ini: .* an input" --x86-report context.ini \
	--ctx-config context.ini
printf '[ Context 0 ]\nExe = ./program\nStdout = program\n' >context.ini
keeps program "context.ini:3: .*program: .* an ELF file" \
	--ctx-config context.ini
echo old >text
printf '[ Context 0 ]\nExe = ./program\nStdout = text\n[ Context 1 ]\nExe = no' \
	>context.ini
keeps text "no: no such program" --ctx-config context.ini
printf '[ Context 0 ]\nExe = ./program\nStdout = text\n' >context.ini
m2s --ctx-config context.ini && [ ! -s text ]
check "a context's Stdout begins empty" $?
m2s --x86-checkpoint-at 1000 --x86-checkpoint-stop \
	--x86-save-checkpoint state ./program
keeps state "state: .* an input of this run" --x86-load-checkpoint state \
	--x86-save-checkpoint state
m2s --overwrite --x86-report script ./program && grep -q Instructions script
check "--overwrite replaces an executable" $?
cp -p original program
m2s --overwrite --x86-debug-ctx program ./program && grep -q context program
check "--overwrite replaces the program that runs" $?
rm program
cp -p original program

# Nothing is written before the program is found.
echo old >report
for option in x86-report x86-debug-isa x86-debug-loader x86-save-checkpoint; do
	keeps report "no such program" --$option report no-such-program
done
keeps report "none: cannot" --evg-config none --x86-report report ./program

# What is no regular file is written, not replaced.
mkfifo pipe
timeout 30 cat pipe >got &
m2s --x86-checkpoint-at 1000 --x86-save-checkpoint pipe ./program
status=$?
wait
[ $status -eq 0 ] && [ -p pipe ] && m2s --x86-load-checkpoint got
check "a checkpoint into a pipe" $?
timeout 30 cat pipe >got &
m2s --x86-report pipe ./program
status=$?
wait
[ $status -eq 0 ] && [ -p pipe ] && grep -q Instructions got
check "a report into a pipe" $?
if [ -L /dev/stdout ]; then
	m2s --x86-report /dev/stdout ./program && [ -L /dev/stdout ] &&
		grep -q Instructions out
	check "a report to /dev/stdout" $?
else
	echo "ok - a report to /dev/stdout # SKIP there is none"
fi
m2s --x86-report >(cat >got) ./program && sleep 0.2 &&
	grep -q Instructions got
check "a report to /dev/fd" $?
if mknod null c 1 3 2>/dev/null && : >null 2>/dev/null; then
	m2s --x86-checkpoint-at 1000 --x86-save-checkpoint null ./program &&
		[ -c null ]
	check "a checkpoint into a device" $?
else
	echo "ok - a checkpoint into a device # SKIP cannot make devices"
fi
rm -f null
mkdir -p deep
echo old >deep/target
ln -s deep/target link
m2s --x86-report link ./program && [ -L link ] &&
	grep -q Instructions deep/target
check "a report through a link" $?

# A full disk.
for option in x86-debug-isa x86-report x86-save-checkpoint evg-annotate; do
	m2s --x86-max-inst 20000 --$option /dev/full ./program
	[ $? -eq 1 ] && grep -q '^m2s: error: .*writ' err
	check "full disk: --$option" $?
done
for option in "--document options" "--document x86-instructions" --help \
	--version --x86-help "--x86-disasm ./program" \
	"--x86-debug-isa stdout ./program" \
	"--document statistics ./program"; do
	# shellcheck disable=SC2086
	timeout 60 "$M2S" --quiet $option >/dev/full 2>err
	[ $? -eq 1 ] && grep -q '^m2s: error: standard output: ' err
	check "full disk: $option" $?
done

# A run that is going on: its traces can be followed, its reports are not there
# yet, and no other run writes the same files.
rm -f trace report
timeout 60 "$M2S" --quiet --x86-debug-isa trace --x86-report report \
	./program slowly 2>err &
pid=$!
for _ in $(seq 50); do
	[ -s trace ] && break
	sleep 0.1
done
[ -s trace ] && [ ! -e report ]
check "a trace has its name while it grows, a report does not" $?
cp trace kept
for option in x86-debug-isa x86-report; do
	for file in trace report; do
		m2s --$option $file ./program
		[ $? -eq 1 ] && grep -q "$file: another run is writing it" err
		check "a second run: --$option $file is refused" $?
	done
done
wait $pid
[ $? -eq 0 ] && [ -s report ] && [ "$(tail -n 1 trace)" = \
	"; SimEnd = ContextsFinished" ] && [ -z "$(ls -A | grep m2s-part)" ]
check "a whole trace says how the run ended" $?

# Killed: no report, an old one is as it was, and the next run is not hindered.
echo old >report
timeout -s KILL 2 "$M2S" --quiet --x86-report report ./program slowly \
	2>/dev/null
[ "$(cat report)" = old ] && m2s --x86-report report ./program &&
	grep -q Instructions report && [ -z "$(ls -A | grep m2s-part)" ]
check "a run that was killed" $?

keeps program "--x86-report the name of an output file is empty" \
	--x86-report "" ./program
m2s --x86-report same --evg-report same ./program
[ $? -eq 1 ] && grep -q -- '--evg-report same: --x86-report names this file' err
check "two reports in one file are refused" $?
m2s --x86-debug-ctx same --x86-debug-loader same ./program &&
	grep -q segment same && grep -q 'context.*: ends' same
check "two debug channels may share a file" $?

# The kernel tools replace kernels, and neither programs nor their source.
cp "$add.cl" kernel.cl
"$top_builddir/m2s-clc" kernel.cl -o kernel.bin 2>err &&
	"$top_builddir/m2s-clc" kernel.cl -o kernel.bin 2>err
check "m2s-clc replaces a kernel" $?
"$M2S" --evg-disasm kernel.bin >kernel.s
for tool in "m2s-clc kernel.cl" "m2s-evg-as kernel.s"; do
	for file in kernel.cl kernel.s program; do
		case "$tool $file" in
		*clc*kernel.s | *as*kernel.cl) continue ;;
		esac
		cp $file kept
		# shellcheck disable=SC2086
		"$top_builddir/"$tool -o $file 2>err
		[ $? -eq 1 ] && cmp -s kept $file &&
			grep -q "$file: the file is not replaced" err
		check "${tool%% *} keeps $file" $?
	done
done
