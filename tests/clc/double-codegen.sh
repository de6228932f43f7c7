#!/bin/bash
# Operations and functions on doubles by our own code generator: what
# test-double asks of LLVM's code.
exec "$top_builddir/tests/clc/test-double" --codegen=auto
