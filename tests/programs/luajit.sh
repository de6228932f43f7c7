# packages: luajit
# limit: 300
# LuaJIT: compiled traces, the FFI, side exits, traces thrown away.
exec luajit "$workloads/languages/traces.lua"
