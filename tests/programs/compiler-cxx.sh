# packages: g++ binutils
# limit: 900
# g++ builds a program with exceptions, threads and the containers, which runs.
set -eu
cp "$workloads"/threads.cc .
g++ -O1 -std=c++17 -pthread -o threads threads.cc
./threads
strip threads && nm -D --undefined-only threads | grep -c GLIBCXX
