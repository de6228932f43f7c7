#!/bin/bash
# m2s-predict --opencl: the same counts as on the host, with the device that is
# here (PoCL), if any, and on the simulated GPU, functional and in detail.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
predict=$(realpath "$top_builddir")/m2s-predict
M2S=$(realpath "$M2S")
cd "$folder" || exit 1

check() { # NAME STATUS
	if [ "$2" = 0 ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}

cat >program.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
int main(void)
{
	static int list[400];
	unsigned s = 3;
	for (int i = 0; i < 400; i++)
		list[i] = (s = s * 1103515245 + 12345) >> 8;
	qsort(list, 400, sizeof *list, compare);
	printf("%d\n", list[200]);
	return 0;
}
EOF
$CC -O1 -o program program.c || exit 1
"$M2S" --quiet --x86-branch-trace long ./program >/dev/null
"$M2S" --quiet --x86-max-inst 6000 --x86-branch-trace short ./program \
	>/dev/null
cat >predictors.ini <<'EOF'
[ a ]
Kind = Taken, NotTaken, BackwardTaken, Bimodal, TwoLevel, Gshare, Combined, Tournament
Bimod.Size = 64..1k x4
TwoLevel.L1Size = 1, 16
TwoLevel.L2Size = 32
Gshare.Size = 4k
Gshare.HistorySize = 9
BTB.Sets = 16, 128
BTB2.Sets = 0, 64
BTB.Miss = Decode, FallThrough
RAS.Size = 3, 8
[ one ]
Kind = Gshare
BTB.Assoc = 1
EOF
head -n 1 predictors.ini >few.ini
sed -n '2,$s/= 64..1k x4/= 64/p; 2,$p' predictors.ini |
	awk '!seen[$1 $2]++ || /^\[|Kind|Assoc/' >>few.ini
"$predict" long --predictors predictors.ini --csv host.csv >/dev/null
check "the host's study" $?
"$predict" short --predictors few.ini --csv host-short.csv >/dev/null
check "the host's study of a short trace" $?

same() { # NAME HOST COMMAND...: writes device.csv
	local name=$1 host=$2
	shift 2
	rm -f device.csv
	"$@" --csv device.csv >out 2>err && cmp "$host" device.csv
	local status=$?
	[ $status = 0 ] || tail -n 3 err
	check "$name" $status
}
if "$predict" short --predictors few.ini --opencl >/dev/null 2>&1; then
	same "the OpenCL device here" host.csv \
		"$predict" long --predictors predictors.ini --opencl
else
	echo "ok - the OpenCL device here # SKIP none"
fi
same "the simulated GPU" host.csv "$M2S" --quiet \
	"$predict" long --predictors predictors.ini --opencl
same "the simulated GPU in detail" host-short.csv \
	"$M2S" --quiet --evg-sim detailed \
	"$predict" short --predictors few.ini --opencl
lines=$(wc -l <host.csv)
[ "$lines" = 770 ]
check "all predictors were compared" $?

fails() { # NAME PATTERN OPTION...
	local name=$1 pattern=$2
	shift 2
	! "$M2S" --quiet "$predict" short "$@" >out 2>err &&
		[ "$(wc -l <err)" = 1 ] && grep -q -- "$pattern" err
	check "$name" $?
}
printf '[ t ]\nKind = Tage\n' >tage.ini
fails "a kind that devices lack" "predictor t: Kind: --opencl has" \
	--predictors tage.ini --opencl
fails "no such device" "no device whose name contains abacus" \
	--predictors few.ini --opencl --device abacus
fails "a device without OpenCL" "--device: has no effect" \
	--predictors few.ini --device Radeon
fails "agreements" "--opencl: cannot be used together" \
	--predictors few.ini --opencl --agreement a
