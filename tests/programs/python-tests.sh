# packages: python3 libpython3.11-testsuite
# limit: 1800
# passes
# template
# Modules of Python's own test suite; cases.list says which.
exec python3 "$workloads/python-tests.py" "$@"
