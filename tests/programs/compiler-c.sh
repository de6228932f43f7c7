# packages: gcc libc6-dev binutils make
# limit: 900
# quick
# gcc compiles, assembles and links a program of some files, make drives it,
# and the program runs.
set -eu
cp "$workloads"/c/* .
make -s -j4 CC=gcc
./tree 2000
gcc -O2 -S -o - tree.c | sha256sum
objdump -d --no-show-raw-insn tree.o | grep -c call
nm tree | grep -E ' [TD] ' | cut -d' ' -f2- | grep -E 'tree|insert|walk'
size tree.o | tail -n 1
gcc -c broken.c 2>&1 | head -n 3 || true
strip tree && ./tree 10
touch main.c && make -s CC=gcc && ./tree 3
ar t libtree.a
make -q CC=gcc && echo up to date
rm -f tree.o
