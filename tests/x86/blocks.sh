#!/bin/bash
# m2s --x86-blocks: basic blocks whose cycles follow from the cores' published
# figures, and rows that cannot be run or read.
set -u
m2s=${M2S:-m2s}
work=$(mktemp -d "${TMPDIR:-/tmp}/m2s-blocks-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

result() { # LABEL STATUS
	if [ "$2" = 0 ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		failed=1
	fi
}

# golden CORE: rows "hex cycles words" on standard input
golden() {
	local core=$1
	sed 's/#.*//; /^ *$/d' >"$work/rows"
	awk '{ print $1 }' "$work/rows" >"$work/in.csv"
	"$m2s" --quiet --x86-blocks "$work/in.csv" --x86-preset "$core" \
		>"$work/out" 2>"$work/err"
	paste -d' ' "$work/rows" <(tr , ' ' <"$work/out") |
		awk '$1 != $(NF-1) || $NF == "" ||
		     ($NF - $2) ^ 2 > (0.02 * $2) ^ 2 { print; bad = 1 }
		     END { exit bad }' >"$work/bad"
	result "blocks of known cycles: $core" $?
	sed 's/^/# /' "$work/bad"
}

golden haswell <<'EOF'
4801d8 1 add rax, rbx: a chain of one cycle
480fafc3 3 imul rax, rbx
f20f58c1 3 addsd xmm0, xmm1
f20f59c1 5 mulsd xmm0, xmm1
c4e2f1a8c2 5 vfmadd213pd xmm0, xmm1, xmm2
90 0.25 nop: four slots a cycle
31c0 0.25 xor eax, eax: in the renamer
488b00 4 mov rax, [rax]: pointer chase
488b0418488b0418 10 mov rax, [rax + rbx] twice: an index costs a cycle
488b0b488b5308 1 two loads a cycle
48890b 1 one store a cycle
4883c1014883c2014883c6014883c7014983c001 1.667 the fourth decoder leaves what may be fused
f7d1f7d2f7d6f7d7 1 four times not: four decoders, slots and ports
0fafc30fafcb 3 two chains of three cycles on one port
480103 6 add [rbx], rax: through the store queue
b80100000031d248f7f6 21 div rsi, of what is no earlier one: so much between two
486304874801c7 14 a load, an addition, and a page that only the second TLB has
668903488b03 16 a load of more than the store before it: 5 + 11
5b415c 2 pop rbx, pop r12: the second is the last of its cycle
d8c9d9c9 5 fmul st, st(1), fxch: exchanging names takes no time
50 1 push rax: one store a cycle
5058 5 push, pop of it: 5 cycles from the data to the load
660f3a0ac003 6 roundss xmm0, xmm0, 3: two uops on one port, as long as measured
d3e0 2 shl eax, cl: three uops on two ports
6605341266053412 6.5 length-changing prefixes: 4 in 16 bytes, 1 + 12 cycles
66b8341266b83412 2 not of MOV: a chain of one cycle, as AX is merged
4887d9 1.5 xchg rcx, rbx: one way takes a cycle, the other two
96 1.5 xchg esi, eax: the same
660ffec10f58c1 6 paddd xmm0, xmm1; addps xmm0, xmm1: 1 and 3, and a cycle each way
0f14c10f58c1 4 unpcklps xmm0, xmm1; addps xmm0, xmm1: no way to other units
660f73f8040f58c0 4 pslldq xmm0, 4; addps xmm0, xmm0: nor from a shift of bytes
c4a20993042e 6 vgatherqps xmm0, [rsi+xmm13], xmm14: 15 uops, 3 of the decoder
c4a20d93042e 8 vgatherqps xmm0, [rsi+ymm13], xmm14: 22
EOF
golden skylake <<'EOF'
c4410976f6c4e20992040ec4410976f6c4e209920c06 40 two gathers, each with the other's data as the index
660f7ec0660f6ec0 4 movd eax, xmm0; movd xmm0, eax: 2 cycles each way
4801d8 1
f20f58c1 4 addsd
f20f59c1 4 mulsd
4811d8 1 adc: one cycle
488b00 4
48890b 1
EOF
golden sandybridge <<'EOF'
4801d8 1
4811d8 2 adc: two cycles
4889d8 0.3333 mov rax, rbx: not eliminated; 3 ports
660f38dec0 8 aesdec xmm0, xmm0: of both operands the one that takes longer
f20f59c1 5
EOF
golden k10 <<'EOF'
0fbaf9030fbafa030fbafb030fbaff030fbafd030fbaf803 4 btc of six registers: two slots each, three a cycle
4801d8 1 add rax, rbx
480fafc3 4 imul rax, rbx
f20f58c1 4 addsd xmm0, xmm1
488b00 3 mov rax, [rax]
90 0.3333 nop: three macro-ops a cycle
4883c1014883c2014883c6014883c7014983c0014983c101 2 six additions: three lanes
480103 7 add [rbx], rax: through the store queue
89f031d2f7f1 40 mov eax, esi; xor edx, edx; div ecx: a dividend of 26 bits, 14 + 26
31d2f7f1 18 the same of 0: the least
4887d9 1 xchg rcx, rbx: each uop reads what was there before
EOF
golden zen2 <<'EOF'
0f5ec70f5ecf0f5ed70f5edf 14 four divps: one in 3.5 cycles
0f51c70f51cf0f51d70f51df 22 four sqrtps: one in 5.5 cycles
4801d8 1
480fafc3 3
f20f58c1 3
488b00 4
4889d8 0.25 mov rax, rbx: four decoders; eliminated
f20f5ec1 13 divsd of zeros
0106 1 add [rsi], eax: memory renaming
0006 7 add [rsi], al: through the store queue
4883c1014883c2014883c6014883c7014983c0014983c1014983c2014983c301 2 eight additions: four ALUs
c4e2f1a8c2 5 fma
31d2f7f1 14 xor edx, edx; div ecx: the oldest division gets the divider
c4e37d19c801c4e37d19da01 2 two vextractf128: one port
0f28c1f20f5ec7 5 movaps xmm0, xmm1; divsd xmm0, xmm7: the divider is kept
660f76c0 0.3333 pcmpeqd xmm0, xmm0: waits for nothing, and needs a port
c5f574c9 0.3333 vpcmpeqb ymm1, ymm1, ymm1
EOF
for core in nehalem ivybridge; do
	golden "$core" <<'EOF'
4801d8 1
480fafc3 3
f20f58c1 3
488b00 4
EOF
done

# What cannot be run leaves its field empty and does not end the run.
printf '%s\n' hex,note 4801d8,good f7f3,division ebfe,endless 0f05,system \
	0f0b,undefined 48,part cc,breakpoint f3ab,long 4801d8,good \
	>"$work/in.csv"
timeout 60 "$m2s" --x86-blocks "$work/in.csv" --x86-preset haswell \
	>"$work/out" 2>"$work/err"
status=$?
printf '%s\n' hex,cycles 4801d8,1 f7f3, ebfe, 0f05, 0f0b, 48, cc, f3ab, \
	4801d8,1 | cmp -s - "$work/out" && [ $status = 0 ] &&
	[ "$(grep -c 'cannot be run: ' "$work/err")" = 7 ] &&
	grep -q 'in.csv:3: the block cannot be run: .* a division error' \
		"$work/err" &&
	grep -q ' 9 blocks on haswell, 7 could not be run' "$work/err"
result "blocks that cannot be run" $?

# What comes before a colon is executed once before: an address, the bits of a
# dividend; it can fail, too.
printf '%s\n' 31c0488906:480306 31d2:f7f3 f7f3 0f0b:4801d8 4801:4801d8 \
	>"$work/in.csv"
"$m2s" --quiet --x86-blocks "$work/in.csv" --x86-preset haswell >"$work/out"
awk -F, 'NR == 1 && $1 == "31c0488906:480306" && $2 == 1 { good++ }
	NR == 2 && $2 > 15 { good++ }
	NR > 2 && $2 == "" { good++ }
	END { exit good != 5 }' "$work/out"
result "setup of a block" $?

# Divisions take as long as their values need: 1 / 1 and a quotient of 32 bits;
# the roots of 0, of a number with all bits, and of 4 (0x4010...); dividends
# beyond 64 bits.
printf '%s\n' b801000000b90100000031d2:f7f1 \
	b9ffff0000bafeff0000beffffffff:89f0f7f1 f20f51c0 \
	48b82f1e7d5c6a43ef3f66480f6ec0:f20f51c0 \
	48b8000000000000104066480f6ec8:f20f51c1 \
	48c7c1ffffffff4889ca48ffca4889d6:4889f248f7f1 >"$work/in.csv"
"$m2s" --quiet --x86-blocks "$work/in.csv" --x86-preset haswell |
	cut -d, -f2 | tr '\n' ' ' >"$work/out"
awk '$1 >= 20 && $1 <= 22 && $2 >= 27 && $2 <= 29 && $3 == 10 && $4 == 20 &&
	$5 == 10 && $6 > 85 { good = 1 }
	END { exit !good }' "$work/out"
result "divisions by value" $?
sed 's/^/# /' "$work/out"

# A block is not changed by those before it.
printf '%s\n' 4801d8 d9e8d9e8d9e8 488b00 480103 48890b >"$work/1"
tac "$work/1" >"$work/2"
"$m2s" --quiet --x86-blocks "$work/1" --x86-preset haswell >"$work/a"
"$m2s" --quiet --x86-blocks "$work/2" --x86-preset haswell | tac >"$work/b"
cmp -s "$work/a" "$work/b" && [ "$(wc -l <"$work/a")" = 5 ]
result "blocks do not depend on their order" $?

# Not hex: where, and status 1; the others are measured.
printf '%s\n' 4801d8 48xy 480 '' 4801d8 >"$work/in.csv"
"$m2s" --x86-blocks "$work/in.csv" --x86-preset haswell >"$work/out" \
	2>"$work/err"
[ $? = 1 ] && [ "$(cat "$work/out")" = '4801d8,1
48xy,
480,
4801d8,1' ] && grep -q "in.csv:2: 'xy' is not a byte" "$work/err" &&
	grep -q 'in.csv:3: expected an even number' "$work/err"
result "rows that are not hex" $?

# The least cycles: of 8 NOPs two of the renamer, of 3 loads two ports, of a
# chain less than it takes.
printf '%s\n' hex 9090909090909090 488b03488b0b488b13 480fafc3 488903 \
	>"$work/in.csv"
"$m2s" --quiet --x86-blocks "$work/in.csv" --x86-preset haswell \
	--x86-blocks-bound >"$work/out"
[ "$(cut -d, -f3 "$work/out" | tr '\n' ' ')" = 'bound 2 1.5 0.25 1 ' ]
result "bound of a block" $?
sed 's/^/# /' "$work/out"

# A trace of the first block: each instruction has a name and retires once, in
# order; time goes forward by the chain's 3 cycles an instruction.
printf '%s\n' 480fafc3 4801d8 >"$work/in.csv"
"$m2s" --quiet --x86-blocks "$work/in.csv" --x86-preset haswell \
	--x86-blocks-trace "$work/trace" >"$work/out" &&
	[ "$(head -n 1 "$work/trace")" = "Kanata	0004" ] &&
	awk -F'\t' '$1 == "C" { if ($2 < 1) bad = 1; now += $2 }
		$1 == "I" { known[$2] = 1 }
		$1 == "L" && $3 == 0 && /imul rax, rbx/ { named++ }
		$1 == "S" && $4 == "Ex" { if (last && now - last != 3) bad = 1
					   last = now }
		$1 == "R" { if (!known[$2] || $3 != retired++) bad = 1 }
		END { exit bad || retired < 100 || named != retired }' "$work/trace"
result "trace of a block" $?

# Listings: what limits each block; cycles of instructions sum to the block's; a
# chain goes through an eliminated move; halves of a uop at each of two ports.
printf '%s\n' 480fafc34801d8 488b0748ffc04889c7 488b03488b0b488b13 \
	9090909090909090 66b8341266bb3412 >"$work/in.csv"
"$m2s" --quiet --x86-blocks "$work/in.csv" --x86-preset haswell \
	--x86-blocks-listing "$work/listing" >"$work/out" &&
	[ "$(grep -c '^limited by: a chain of dependent instructions' \
		"$work/listing")" = 3 ] &&
	grep -q '^limited by: ports* 2, 3, with a uop in each cycle' "$work/listing" &&
	grep -q '^limited by: the renamer, whose 4 slots' "$work/listing" &&
	grep -q '^ *5.00 .* 5.0[0-9] *2:0.50 3:0.50  *mov rax, \[rdi\]$' \
		"$work/listing" &&
	grep -q '^ *0.00 .* -  *mov rdi, rax$' "$work/listing" &&
	awk '/ on haswell: / { total = $4; sum = 0; blocks++ }
		/^ *[0-9.]+ +[0-9.]+ +[0-9.]+ / { sum += $1 }
		/^ports busy/ { if (sum < total * .98 || sum > total * 1.02)
					bad = 1 }
		END { exit bad || blocks != 5 }' "$work/listing"
result "listings of blocks" $?
sed 's/^/# /' "$work/listing"

# refused WORDS ARGUMENTS...: status 1 and a message with the words
refused() {
	local words=$1
	shift
	"$m2s" "$@" >"$work/out" 2>"$work/err" && return 1
	grep -q -- "$words" "$work/err"
}
refused 'needs --x86-preset NAME' --x86-blocks "$work/in.csv" &&
	refused "'i486': expected the name of a core, one of nehalem" \
		--x86-blocks "$work/in.csv" --x86-preset i486 &&
	refused 'No such file' --x86-blocks "$work/none" --x86-preset haswell &&
	refused 'needs --x86-blocks' --x86-preset haswell /bin/true &&
	refused 'needs --x86-blocks' --x86-blocks-trace /x /bin/true &&
	refused 'needs --x86-blocks' --x86-blocks-listing /x /bin/true &&
	refused 'runs no program' --x86-blocks "$work/in.csv" \
		--x86-preset haswell /bin/true
result "blocks: options that do not fit" $?
"$m2s" --x86-preset help >"$work/help"
grep -q 'reorder_buffer.*haswell 192' "$work/help" &&
	grep -q '^tlb_second_cycles .*haswell' "$work/help"
result "presets' figures are listed" $?
exit $failed
