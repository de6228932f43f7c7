# packages: lua5.4
# limit: 300
# Lua: tables, closures, coroutines, patterns, metatables, numbers, files.
exec lua5.4 "$workloads/lua.lua"
