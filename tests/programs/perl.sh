# packages: perl perl-base
# limit: 600
# quick
# Perl: regular expressions, formats, sorting, pack, hashes, processes, big
# numbers.
exec perl "$workloads/perl.pl"
