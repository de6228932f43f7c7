# packages: bash coreutils
# quick
# bash itself: expansion, functions, arrays, traps, jobs, here-documents.
set -u
printf '%s\n' {a..e}{1..3} | paste -s -d,
declare -A colour=([red]=1 [green]=2 [blue]=3)
for key in "${!colour[@]}"; do echo "$key=${colour[$key]}"; done | sort
list=(one two three "four five")
echo "${#list[@]} ${list[3]} ${list[*]:1:2} ${list[@]/o/0}"
text=simulator.tar.gz
echo "${text%%.*} ${text#*.} ${text^^} ${text/tar/zip} ${#text} ${text:3:4}"
echo $((2 ** 62)) $((16#ff)) $((7 % -3)) $((1 << 40 | 5)) $((0x7fffffffffffffff + 1))
cat <<-END
	here: $((6 * 7)) $(echo nested "$(echo deeper)")
	END
cat <<'END'
quoted: $((6 * 7)) `ls`
END
read -r first rest <<<"alpha beta gamma"
echo "$first|$rest"
factorial() { (($1 < 2)) && echo 1 || echo $(($1 * $(factorial $(($1 - 1))))); }
factorial 12
diff <(seq 1 5) <(seq 2 6)
echo "diff says $?"
tee >(tr a-z A-Z >upper) >(wc -c >count) <<<"process substitution" >copy
sleep 0.2
cat upper copy count
case $text in *.tar.*) echo archive ;; *) echo other ;; esac
[[ $text =~ ^([a-z]+)\.(tar)\.(gz)$ ]] && echo "${BASH_REMATCH[@]}"
shopt -s extglob
echo "${text//@(a|e|i|o|u)/_}"

# Traps and statuses.
(trap 'echo leaving with $?' EXIT; exit 3)
echo "status $?"
(trap 'echo caught USR1' USR1; kill -USR1 $BASHPID; echo after)
(trap 'echo caught TERM; exit 7' TERM; kill $BASHPID; sleep 5)
echo "status $?"
{ bash -c "kill -SEGV \$\$"; } 2>/dev/null
echo "status $?"
(ulimit -n 10; ulimit -n)
false | true | (exit 4) | true
echo "${PIPESTATUS[*]}"
set -o pipefail
false | true
echo "pipefail $?"
set +o pipefail

# Jobs.
for i in 1 2 3 4; do (sleep 0.$i; echo "job $i" >job$i; exit $i) & pids[i]=$!; done
for i in 1 2 3 4; do wait "${pids[i]}"; echo "wait $i: $?"; done
cat job[1-4]
sleep 30 & kill -TERM $!; wait $! 2>/dev/null; echo "killed: $?"
coproc upper { while read -r line; do echo "${line^^}"; done; }
echo "through a coprocess" >&"${upper[1]}"
read -r answer <&"${upper[0]}"
echo "$answer"
exec {upper[1]}>&-
wait
for i in $(seq 40); do sleep 0.3 & done
wait
mkfifo pipe
(echo through a fifo >pipe) &
cat pipe
cat pipe &
sleep 0.2
echo to a reader that waited >pipe
wait
(timeout 0.2 cat pipe; echo "nobody wrote: $?")
rm pipe
wait
time_out=$(timeout 0.2 sleep 10; echo $?)
echo "timeout: $time_out"
exec 3>file 4<>other
echo three >&3
echo four >&4
exec 3>&- 4>&-
cat file other
umask 027
: >masked
mkdir -p tree/{x,y}/z
ln -s x tree/link
cd tree/link && pwd -P | sed 's/.*tree/tree/' && cd ../..
printf '%q %s %5.2f|%-8s|%08x\n' "it's" str 3.14159 left 48879
getopts_test() { local OPTIND=1 o; while getopts ab:c o; do echo "$o ${OPTARG:-}"; done; }
getopts_test -a -b value -c
mapfile -t lines < <(seq 5 | tac)
echo "${lines[@]}"
eval 'echo evaluated $((1+1))'
echo "$(<file)" "${undefined:-default}" "${LANG}"
command -V cd
type -t cat
hash -r
set -- x y z
shift 2
echo "$1 $#"
printf -v padded '%05d' 42
echo "$padded"
echo $'tab\tnewline\nunicode \u00e9'
select_one() { PS3='? '; select item in red green; do echo "chose $item"; break; done; }
echo 2 | select_one 2>&1
