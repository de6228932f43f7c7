use strict;
use warnings;
use POSIX qw(floor fmod strftime :sys_wait_h);
use List::Util qw(sum reduce shuffle first);
use Digest::MD5 qw(md5_hex);
use Digest::SHA qw(sha256_hex);
use Math::BigInt;
use Time::Local;
use Storable qw(freeze thaw);
use Encode;
use IO::Handle;

$| = 1;
srand(7);
my $seed = 12345;
sub number { $seed = ($seed * 1103515245 + 12345) % 2147483648; return $seed }

# Regular expressions.
my $text = join ' ', map { sprintf '%s-%d', ('alpha', 'beta', 'gamma')[$_ % 3], $_ * 37 } 1 .. 300;
my @pairs = $text =~ /\b(be\w+)-(\d*7)\b/g;
print scalar(@pairs), " $pairs[0] $pairs[-1]\n";
(my $swapped = $text) =~ s/(\w+)-(\d+)/$2-\u$1/g;
print md5_hex($swapped), "\n";
print join('|', 'a1b22c333' =~ /(?<letter>[a-z])(\d+)/g), " $+{letter}\n";
print "balanced: $&\n" if 'x(a(b)c(d(e)))y' =~ /\((?:[^()]++|(?R))*\)/;
print join(',', split /\s*[,;]\s*/, 'one , two;three ;four'), "\n";
print join(',', map { sprintf '%vd', $_ } '1.22.333'), "\n";
my $count = () = ('ab' x 5000) =~ /(?<=b)a/g;
print "$count\n";
print "lazy $1\n" if '<<a>><<b>>' =~ /<<(.+?)>>/;
my %dispatch = (upper => sub { uc shift }, rev => sub { scalar reverse shift });
print join(' ', map { $dispatch{$_}->('perl') } sort keys %dispatch), "\n";
(my $evaluated = '1+2 3*4') =~ s/(\d+)([+*])(\d+)/$2 eq '+' ? $1 + $3 : $1 * $3/ge;
print "$evaluated\n";
print "unicode ", length("\x{263a}\x{e9}"), ' ', encode('UTF-8', lc "\x{c9}") eq "\xc3\xa9" ? 'ok' : 'no', "\n";

# Numbers and formats.
printf "%d %i %5.2f|%-6s|%06d|%+d|%x|%o|%b|%e|%g|%s\n", 3.99, -3.99, 3.14159, 'ab', 42, 7, 255, 8, 5, 12345.678, 1e-5, 1e21;
print 10 / 3, ' ', 2 ** 0.5, ' ', 1e15 + 0.3, ' ', -7 % 3, ' ', int(-3.7), ' ', 0.1 + 0.2, ' ', 9 ** 20, "\n";
print 9223372036854775807 + 1, ' ', 18446744073709551615, ' ', 0xff_ff, ' ', 1 <=> 2, ' ', 'abc' x 2, "\n";
printf "%.15g %.17g %s %s\n", atan2(1, 1) * 4, exp(1), 9 ** 9 ** 9, -sin(9 ** 9 ** 9);
print Math::BigInt->new(2)->bpow(521)->bsub(1), "\n";
print Math::BigInt->new(100)->bfac, "\n";
print fmod(10, 3), floor(-2.5), ' ', strftime('%Y-%m-%d %H:%M:%S %a', gmtime 1e9), ' ', timegm(0, 0, 0, 1, 0, 100), "\n";

# Sorting and data structures.
my @list = map { number() } 1 .. 20000;
my @sorted = sort { $a <=> $b } @list;
my @worded = sort map { "$_" } @list;
print "$sorted[0] $sorted[-1] $worded[0] $worded[-1] ", md5_hex("@sorted"), "\n";
my %count;
$count{$_ % 97}++ for @list;
print join(' ', map { "$_:$count{$_}" } (sort { $count{$b} <=> $count{$a} || $a <=> $b } keys %count)[0 .. 4]), "\n";
my %deep;
push @{ $deep{$_ % 5}{odd}[$_ % 3] }, $_ for 1 .. 30;
my $copy = thaw(freeze(\%deep));
print join(' ', map { scalar @{ $copy->{$_}{odd} } } sort keys %$copy), " @{$copy->{2}{odd}[1]}\n";
print sum(1 .. 100), ' ', (reduce { $a * $b } 1 .. 10), ' ', first { $_ > 3 } (1 .. 9); print "\n";

# pack, vec, sprintf of bytes.
my $packed = pack 'A3 n N v V C w a* q> d< f<', 'xy', 1, 2, 3, 4, 5, 300, 'end', -2, 1.5, 0.25;
print unpack('H*', $packed), "\n";
print join(' ', unpack('(A2)* ', 'aabbcc')), ' ', unpack('%32C*', 'checksum'), "\n";
my $bits = '';
vec($bits, $_ * 3, 1) = 1 for 0 .. 20;
print unpack('b*', $bits), ' ', sha256_hex($bits), "\n";

# Objects, closures, local, exceptions, tie.
package Counter { sub new { bless { n => $_[1] }, $_[0] } sub next { $_[0]{n}++ } sub DESTROY { print "destroyed $_[0]{n}\n" } }
{ my $c = Counter->new(5); $c->next for 1 .. 3; print $c->next, "\n" }
my @subs = map { my $n = $_; sub { $n * shift } } 1 .. 3;
print join(' ', map { $_->(10) } @subs), "\n";
eval { die { code => 42 } };
print "died $@->{code}\n";
eval { my $x = 1 / (1 - 1) };
print $@ =~ /division by zero/ ? "division\n" : "no\n";
local $SIG{ALRM} = sub { die "alarm\n" };
eval { alarm 1; select undef, undef, undef, 30; };
print "ended by $@";
local $SIG{__WARN__} = sub { print "warned: ", $_[0] =~ /uninit/ ? 'uninitialized' : $_[0], "\n" };
my $nothing; my $sum = 1 + $nothing;

# Processes, pipes, files.
my @children;
for my $n (1 .. 4) { my $pid = fork; exit $n * 10 unless $pid; push @children, $pid }
print join(' ', map { waitpid($_, 0); $? >> 8 } @children), "\n";
pipe my $reader, my $writer;
if (my $pid = fork) { close $writer; print "child says: ", <$reader>; waitpid $pid, 0 }
else { close $reader; print $writer "hello\n"; close $writer; exit }
print `echo from a shell; exit 3`, $? >> 8, "\n";
open my $pipe, '-|', 'sort', '-r', $0 or die; my @lines = <$pipe>; close $pipe;
print scalar(@lines) > 10 ? "sorted\n" : "not\n";
open my $file, '>', 'file' or die; printf $file "%d %s\n", $_, 'x' x ($_ % 10) for 1 .. 1000; close $file;
open $file, '<', 'file' or die; my $longest = 0; while (<$file>) { $longest = $. if /x{9}$/ } close $file;
print "$longest ", -s 'file', ' ', (stat 'file')[7], "\n";
rename 'file', 'renamed'; print join(' ', sort glob '*'), "\n";
format STDOUT =
@<<<<<< @>>>>> @##.## @|||||
'left', 'right', 3.14159, 'mid'
.
write;
print sprintf('%s', join ',', map { chr(ord('a') + $_ % 26) } 0 .. 30), "\n";
