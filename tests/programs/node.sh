# packages: nodejs
# limit: 900
# JavaScript on V8's interpreter and compilers: deoptimisation, typed arrays,
# workers, asynchronous I/O, WebAssembly.
exec node "$workloads/node.js"
