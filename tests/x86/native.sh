# One program run natively and under m2s. To be sourced by tests that keep what
# the two print in $work/native and $work/simulated (errors of m2s in
# $work/simulated.err) and have a variable `failed`.

# judge LABEL NATIVE SIMULATED: one test, from the two exit statuses
judge() {
	local label=$1 native=$2 simulated=$3
	if [ $native -ne $simulated ]; then
		echo "not ok - $label: exit status $simulated, natively $native"
		tail -n 12 "$work/simulated.err"
	elif ! cmp -s "$work/native" "$work/simulated"; then
		echo "not ok - $label: output differs (< native, > m2s)"
		diff "$work/native" "$work/simulated" | head -n 12
	else
		echo "ok - $label"
		return
	fi
	failed=1
}
