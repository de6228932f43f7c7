#!/bin/sh
# The uop tables are what their script makes of the measurements. Where these
# are not (DATA=FOLDER with uops-haswell.csv, ...), only that the script runs.
: "${top_srcdir:=.}"
script=$top_srcdir/tools/x86-uops.py
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

if ! command -v python3 >/dev/null; then
	echo "ok - uop tables # SKIP no python3"
	exit 0
fi

# A small table, with what the script has to know.
cat >"$work/small.csv" <<'END'
iform,mnemonic,operands,uops_unfused,uops_fused_retire,uops_mite,uops_ms,complex_decoder,simple_decoders_left,ports,divider_cycles,tp_limit,locked,macro_fusible_with,latency_max,latencies,same_reg_variant,indexed_variant,xml_attrs
a,MOV,"R64, M64",1,1,1,0,0,,1*p23,,,0,,5,MEM0>REG0:addr=5/addri=5/mem=4,,,
a,MOV,"M64, R64",2,1,1,0,0,,1*p237+1*p4,,,0,,9,MEM0>MEM0:addr=9/addri=9 REG0>MEM0:4,,uops=2 retSlots=1 uopsMITE=1 uopsMS=0 ports=1*p23+1*p4,
a,MOVAPS,"XMM, M128",1,1,1,0,0,,1*p23,,,0,,6,MEM0>REG0:addr=6/addri=6/mem=5,,,
a,MOVAPS,"M128, XMM",2,1,1,0,0,,1*p237+1*p4,,,0,,9,MEM0>MEM0:addr=9/addri=9 REG0>MEM0:5,,,
a,ADD_01,"R64, R64",1,1,1,0,0,,1*p0156,,,0,"JB (Rel8);JZ (Rel8)",1,REG0>REG0:1 REG0>REG2:1 REG1>REG0:1 REG1>REG2:1,,,
a,ADD_03,"R64, R64",1,1,1,0,0,,1*p0156,,,0,"JB (Rel8);JZ (Rel8)",1,REG0>REG0:1 REG0>REG2:1 REG1>REG0:1 REG1>REG2:1,,,
a,ADD,"R64, M64",2,1,1,0,0,,1*p0156+1*p23,,,0,,6,REG0>REG0:1 REG0>REG1:1 MEM0>REG0:addr=6/addri=6/mem=5 MEM0>REG1:addr=6/addri=6/mem=5,,,
END
cat >"$work/expected" <<'END'
FORMS("MOV: R64,M64; MOVAPS: X,M128",
      1, 1, 0, ANY, "p23", 0, 0, NONE,
      "m>0:L")
FORMS("MOV: M64,R64; MOVAPS: M128,X",
      1, 1, 0, ANY, "p237+p4", 0, 0, NONE,
      "")
FORMS("MOV: M64,R64/indexed",
      1, 1, 0, ANY, "p23+p4", 0, 0, NONE,
      "")
FORMS("ADD: R64,R64",
      1, 1, 0, ANY, "p0156", 0, 0, CARRY,
      "0>0:1 0>f:1 1>0:1 1>f:1")
FORMS("ADD: R64,M64",
      1, 1, 0, ANY, "p0156+p23", 0, 0, NONE,
      "0>0:1 0>f:1 m>0:1 m>f:1")
END
if python3 "$script" small "$work/small.csv" >"$work/out" &&
   sed -n '/^FORMS/,$p' "$work/out" | cmp -s - "$work/expected"; then
	echo "ok - a small table"
else
	echo "not ok - a small table"
	sed -n '/^FORMS/,$p' "$work/out" | diff - "$work/expected" | sed 's/^/# /'
fi

for core in nehalem sandybridge ivybridge haswell skylake zen2; do
	if [ ! -f "${DATA:-/nowhere}/uops-$core.csv" ]; then
		echo "ok - table of $core # SKIP no DATA=FOLDER with uops-$core.csv"
	elif python3 "$script" $core "$DATA/uops-$core.csv" |
	     cmp -s - "$top_srcdir/src/x86/timing/uops/$core.def"; then
		echo "ok - table of $core"
	else
		echo "not ok - table of $core: not what the measurements give"
	fi
done
