#!/bin/bash
# --set, --config, --print-config and --mem-shape: what they change, that a
# printed configuration is the run's, and their messages.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
sample=$top_builddir/samples/vector-add/vector-add

# report NAME OPTION...: the reports of a detailed run in one file
report() {
	local name=$1

	shift
	timeout 60 "$M2S" --quiet --evg-sim detailed --provenance none \
		--evg-report "$folder/evg" --mem-report "$folder/mem" \
		--net-report "$folder/net" --x86-report "$folder/x86" "$@" \
		"$sample" -q -n 4096 >"$folder/out" 2>&1 ||
		echo failed >>"$folder/out"
	cat "$folder/out" "$folder"/{evg,mem,net,x86} >"$folder/$name"
	rm -f "$folder"/{evg,mem,net,x86}
}

# same NAME ONE OTHER, and differ
same() {
	if [ -s "$folder/$2" ] && cmp -s "$folder/$2" "$folder/$3"; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		diff "$folder/$2" "$folder/$3" | head -n 5 | sed 's/^/# /'
	fi
}

# value NAME FILE LINE: the file has this line
value() {
	if grep -qxF "$3" "$folder/$2"; then
		echo "ok - $1"
	else
		echo "not ok - $1: no line '$3'"
	fi
}

# A printed configuration is complete and is that of the run.
round_trip() {
	local name=$1

	shift
	report direct "$@"
	"$M2S" "$@" --print-config >"$folder/all.ini" 2>"$folder/err"
	report printed --config "$folder/all.ini"
	same "printed and read again: $name" direct printed
	# nothing changes when it is printed a second time
	"$M2S" --config "$folder/all.ini" --print-config >"$folder/again.ini"
	same "printed twice: $name" all.ini again.ini
}
round_trip "HD 5870"
for preset in hd5770 hd5450 multi2sim-4.2; do
	round_trip "$preset" --evg-preset $preset
done
round_trip "a shape" --mem-shape units=5,l1=16k,l2=32k,channels=3,slices=6
round_trip "files and settings" \
	--mem-config "$top_srcdir/samples/memory/evg-hd5870.ini" \
	--set "CacheGeometry evg-l1.EnablePrefetcher=t" \
	--set BranchPredictor.Kind=Gshare --set x86:General.CPUModel=i686

# A setting is a line of a file.
printf '[ Device ]\nNumComputeUnits = 7\n[ TEXEngine ]\nLoadQueueSize = 3\n' \
	>"$folder/gpu.ini"
report file --evg-config "$folder/gpu.ini"
report set --set device.numcomputeunits=7 --set TEXEngine.LoadQueueSize=3
same "settings without a file" file set
report over --evg-config "$folder/gpu.ini" --set Device.NumComputeUnits=9
value "a setting replaces the file's line" over "NumComputeUnits = 9"
report twice --set Device.NumComputeUnits=9 --set Device.NumComputeUnits=7 \
	--set TEXEngine.LoadQueueSize=3
same "the last setting counts" file twice
sed '/CacheGeometry evg-l1/,/Latency/s/Latency = .*/Latency = 11/' \
	"$top_srcdir/samples/memory/evg-hd5870.ini" >"$folder/memory.ini"
report file --mem-config "$folder/memory.ini"
report set --set "CacheGeometry evg-l1.Latency=11"
same "a variable of the built-in hierarchy" file set
sed 's/^DefaultBandwidth = .*/DefaultBandwidth = 16/' \
	"$top_srcdir/samples/memory/evg-hd5870.ini" >"$folder/memory.ini"
report file --mem-config "$folder/memory.ini"
report set --set "Network *.DefaultBandwidth=16"
same "one setting for many sections" file set
report file --set Device.NumComputeUnits=4 --set Memory.L1Size=4k \
	--set Memory.Channels=2
report set --mem-shape units=4,l1=4k,channels=2
same "a shape is some settings" file set

# expect NAME MESSAGE OPTION...: an error with this message
expect() {
	local name=$1 message=$2 status

	shift 2
	timeout 60 "$M2S" "$@" >"$folder/out" 2>&1 </dev/null
	status=$?
	if [ $status -eq 1 ] && grep -qF -- "m2s: error: $message" "$folder/out"
	then
		echo "ok - $name"
	else
		echo "not ok - $name: exit status $status"
		tail -n 3 "$folder/out" | sed 's/^/# /'
	fi
}
detailed="--evg-sim detailed"
expect "no value" "--set Device: expected Section.Variable=value" \
	--set Device /bin/true
expect "mistyped variable" \
	"--set Device.NumComputeUnit=1: no such variable (did you mean Device.NumComputeUnits?)" \
	--set Device.NumComputeUnit=1 /bin/true
expect "mistyped section" "--set Devices.X=1: nothing in this run has such" \
	--set Devices.X=1 /bin/true
expect "of detailed runs only" "--set mem:General.PageSize=8192: nothing in" \
	--set mem:General.PageSize=8192 /bin/true
expect "a bad value" "--set: [Device] Frequency = fast: expected a number" \
	--set Device.Frequency=fast /bin/true
expect "a rule of several variables" \
	"--set: [Memory] L2Slices = 3: expected 0 or a multiple of Channels (8)" \
	--mem-shape slices=3 /bin/true
# shellcheck disable=SC2086
expect "a variable of two files" \
	"--set General.Frequency=800: --x86-config and --mem-config have this variable: expected x86:General.Frequency=800 or mem:General.Frequency=800" \
	$detailed --set General.Frequency=800 /bin/true
expect "a shape's word" "--mem-shape: 'l3=1': expected units=N" \
	--mem-shape l3=1 /bin/true
printf '[ Device ]\nFrequency = 800\n' >"$folder/bare.ini"
expect "a section without its kind" \
	"$folder/bare.ini:1: [Device]: expected x86:, evg:, mem: or net:" \
	--config "$folder/bare.ini" /bin/true
printf '[ evg:Device ]\nFrequency = slow\n' >"$folder/bad.ini"
expect "the place of a value" \
	"$folder/bad.ini:2: [Device] Frequency = slow: expected a number" \
	--config "$folder/bad.ini" /bin/true
expect "two files for one kind" \
	"$folder/bad.ini:1: [evg:Device]: --evg-config gives the file" \
	--config "$folder/bad.ini" --evg-config "$folder/gpu.ini" /bin/true
expect "no such file" "$folder/none.ini: cannot read" \
	--config "$folder/none.ini" /bin/true
