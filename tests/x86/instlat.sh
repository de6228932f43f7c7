#!/bin/sh
# instlat.py reads each kind of text, and says what is within its limits.
: "${top_srcdir:=.}"
m2s=${M2S:-m2s}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

if ! command -v python3 >/dev/null || ! command -v as >/dev/null; then
	echo "ok - texts of InstLatx64 # SKIP no python3 or as"
	exit 0
fi
# The last row is wrong, the one before it no instruction.
cat >"$work/rows.csv" <<'END'
index,extension,instruction,latency_cycles,reciprocal_throughput_cycles
1,X86,2x 0x66 NOP,,0.25
2,X86,"ADD r32, r32",1.0,0.33
3,X86,"XCHG r32, r32",2.0,1.00
4,X86,"SBB eax, imm32_0",2.0,2.00
5,X86,"LNOP9 [SIB+disp32], ax",,0.55
6,X87,"FMUL st, st(i), FXCH st(i)",5.0,
7,SSE,"MULPS xm1,xm1 ADDPS xm2,xm2",5.0,1.00
8,SSE,"4xADDPS xm1,xm1 4x xm2,xm2",12.0,12.00
9,AVX,"VINSERTPS xmm, xmm, im8",1.0,1.00
10,AVX,"VPEXTRW r64 + VPINSRW r32",4.0,
11,AVX2,"RORX r32, r32, r32",1.0,0.50
12,AVX2,"VPSLLW ymm, ymm, ymm",4.0,1.00
13,X86,"IDIV r32 0/31b",,21.67
14,AVX2,"VGATHERDPS xmm, [xm32], xmm",16.0,8.00
15,X86,"MADE r32, r32",1.0,
16,X86,"INC r32",7.0,
END
said=$(SHOW=1 python3 "$top_srcdir/tests/x86/instlat.py" "$m2s" haswell \
	"$work/rows.csv")
wrong=$(echo "$said" | grep '^#')
expected='# latency MADE r32, r32: 1.0, simulated nothing
# latency INC r32: 7.0, simulated 1.0'
if [ "$wrong" = "$expected" ]; then
	echo "ok - texts of InstLatx64"
else
	echo "not ok - texts of InstLatx64"
	echo "$said" | sed 's/^/# /'
	exit 1
fi
