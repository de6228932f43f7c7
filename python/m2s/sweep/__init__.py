"""Experiments of many runs: a design, its points, and what they gave.

design    the file that describes an experiment, and its points
point     one run: its folder, its identity, its result
local     runs points on this machine
slurm     hands points to a Slurm cluster
export    commands for GNU parallel and Snakemake
table     the state of all points, and one table of their results
command   the command line"""
