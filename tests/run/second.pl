#!/usr/bin/perl
# SPDX-License-Identifier: ISC
# A second reader of recordings, written from docs/recording.md and not from the
# code: prints a subset of the output of `dt report -j`, for tests to compare.
# Prints the head, and one JSON object per record, in order of time; the end of
# the file goes to stderr.  Arguments are numbers of their type, addresses are "0x...".  With
# $PATHS, prints the targets of descriptors at the end; with $NOSUM, skips the
# checksums, which take most of the time.
use strict;
use warnings;

my (@crc, %probe, %ksym, %path, %maps, %usym, %whole, @recs, $clock, $end);
my ($seq, $low, $late) = (0, 0, 0);
binmode STDOUT;

for my $n (0 .. 255) {
	my $c = $n;
	$c = $c & 1 ? 0xedb88320 ^ $c >> 1 : $c >> 1 for 1 .. 8;
	$crc[$n] = $c;
}

sub crc {
	my $c = 0xffffffff;
	$c = $crc[($c ^ $_) & 0xff] ^ $c >> 8 for unpack 'C*', $_[0];
	return $c ^ 0xffffffff;
}

sub stop { $end = "@_"; no warnings 'exiting'; last BLOCK }

sub json {
	my ($s) = @_;
	utf8::decode($s) or $s =~ s/[^\x20-\x7e]/?/g;
	utf8::encode($s);
	$s =~ s/([\\"])/\\$1/g;
	$s =~ s/([\x00-\x1f\x7f])/sprintf '\\u%04x', ord $1/ge;
	return "\"$s\"";
}

sub number {
	my ($v, $type) = @_;
	return sprintf '"0x%x"', $v if $type =~ /\*/;
	return $v if $type =~ /long|size_t|64|loff/ && $type =~ /unsigned|^size|u64/;
	return unpack 'q', pack 'Q', $v if $type =~ /long|size_t|64|off/;
	return $v & 0xffffffff if $type =~ /unsigned|^u|^__u|mode|uid|gid/;
	return unpack 'l', pack 'L', $v & 0xffffffff;
}

# Items of a block, each padded: head (template, bytes, index of the length).
sub items {
	my ($data, $template, $size, $ilen, $fn) = @_;
	my $pos = 0;
	while ($pos < length $data) {
		my @h = unpack $template, substr $data, $pos, $size;
		stop('an item is cut') if @h <= $ilen ||
		    $pos + $size + $h[$ilen] > length $data;
		$fn->(@h, substr $data, $pos + $size, $h[$ilen]);
		$pos += ($size + $h[$ilen] + 7) & ~7;
	}
}

# Returns a process's mappings at a time: their items, or undef if unknown.
sub mapped {
	my ($pid, $time) = @_;
	my ($from) = sort { $b <=> $a } grep { $_ <= $time }
	    keys %{$maps{$pid} || {}};
	return defined $from ? $maps{$pid}{$from} : undef;
}

# Returns the frames at an address, innermost first: [function or undef, file's
# name].
sub uframes {
	my ($pid, $map, $pc) = @_;
	return [undef, ''] unless $map;
	my ($start, $end, $offset, $file, $kind, $path) = @$map;
	my $key = $kind == 2 ? "0 $pc $pid" :
	    join ' ', $file, $pc - $start + $offset, 0;
	my @names = @{$usym{$key} || []};
	return map { [$_, $path] } @names ? @names : undef;
}

my %calls = map { $_ => 1 } qw(__libc_start_call_main __libc_start_main
    __libc_start_main_impl libc_start_main_stage2 start_thread);
my %starts = (%calls, map { $_ => 1 } qw(_start _dl_start_user _dlstart clone
    clone3 __clone __clone3 __clone_internal runtime.goexit
    runtime.goexit.abi0));

sub islibc {
	return $_[0][1] =~ m{^(.*/)?libc[^/]*$};
}

# Returns the number of frames that belong to the program; see the page's
# section 8.
sub program {
	my @f = @_;
	for my $i (0 .. $#f - 1) {
		my ($func, $next) = ($f[$i][0], $f[$i + 1]);
		my $calls = defined $func ? $calls{$func} : $i > 0 &&
		    islibc($f[$i]) && ($f[$i - 1][0] // '') eq 'main';
		return $i + 1 if $calls && (defined $next->[0] ?
		    !$starts{$next->[0]} : !islibc($next));
	}
	return scalar @f;
}

sub ustack {
	my ($bytables, $pid, $time, @pcs) = @_;
	my $maps = mapped($pid, $time);
	my @frames;
	for my $i (0 .. $#pcs) {
		my $at = $pcs[$i] - ($i > 0);
		my ($map) = grep { $at >= $_->[0] && $at < $_->[1] } @{$maps || []};
		last if $i > 0 && $maps && !$map;
		push @frames, map { [@$_, $pcs[$i]] } uframes($pid, $map, $at);
	}
	my $n = $bytables ? @frames : program(@frames);
	return map { defined $_->[0] ? json($_->[0]) :
	    sprintf '"0x%x"', $_->[2] } @frames[0 .. $n - 1];
}

sub kstack {
	my @pcs = @_;
	my @names = map { $ksym{$pcs[$_] - ($_ > 0)} } 0 .. $#pcs;
	my $first = 0;
	$first++ while $first < @pcs && ($names[$first] // '') =~
	    /^(__bpf_trace_|__traceiter_|bpf_trampoline_)/;
	return map { defined $names[$_] ? json($names[$_]) :
	    sprintf '"0x%x"', $pcs[$_] } $first .. $#pcs;
}

sub stack {
	my ($rec, $posp, $kernel, $pid, $time) = @_;
	my ($n, undef, $how) = unpack 'SCC', substr $rec, $$posp, 8;
	my @pcs = unpack 'Q*', substr $rec, $$posp + 8, 8 * $n;
	$$posp += 8 + 8 * $n;
	my @words = $kernel ? kstack(@pcs) :
	    ustack($how == 1, $pid, $time, @pcs);
	return '[' . join(',', @words) . ']';
}

# Items with two texts: the function, and the source.
sub names {
	my ($data) = @_;
	my $pos = 0;
	while ($pos < length $data) {
		my ($file, $place, $off, $pid, $line, $n, $m, $inlined) =
		    unpack 'QQQLLSSC', substr $data, $pos, 40;
		stop('a name is cut') if !defined $inlined ||
		    $pos + 40 + $n + $m > length $data;
		my $u = \$usym{join ' ', $pid ? 0 : $file, $place, $pid};
		if (!$$u || !$whole{$u}) { # the first is valid
			push @{$$u}, substr $data, $pos + 40, $n;
			$whole{$u} = 1 unless $inlined;
		}
		$pos += (40 + $n + $m + 7) & ~7;
	}
}

sub strings {
	my ($rec, $posp, $p, $out) = @_;
	my ($n, $nbytes) = unpack 'LL', substr $rec, $$posp, 8;
	my (%text, $pos);
	$pos = $$posp + 8;
	for (1 .. $n) {
		my ($argn, $flags, $error, $len) =
		    unpack 'CCSSS', substr $rec, $pos, 8;
		$text{$p->{names}[$argn] || "arg$argn"} =
		    substr $rec, $pos + 8, $len if !($flags & 0x3e) && !$error;
		$pos += (8 + $len + 7) & ~7;
	}
	$$posp += 8 + $nbytes;
	push @$out, '"strings":{' . join(',', map {
		json($_) . ':' . json($text{$_}) } sort keys %text) . '}';
}

# A record, as the text of its object after the time.
sub record {
	my ($cpu, $rec) = @_;
	my ($len, $kind, $flags, $pbn, $time, $pid, $tid) =
	    unpack 'SCCLQLL', $rec;
	return if $kind != 1;
	my $p = $probe{$pbn} or stop("no probe $pbn");
	my $pos = 24;
	my @out = ('"probe":' . json($p->{full}), "\"cpu\":$cpu",
	    "\"pid\":$pid", "\"tid\":$tid");
	my $n = $p->{n};
	if ($flags & 0x80) { # the second of a pair: arguments of the first
		(my $ns, my $first, $n) = unpack 'QLL', substr $rec, $len - 16;
		$p = $probe{$first} or stop("no probe $first");
		push @out, '"from":' . json($p->{full}), "\"duration\":$ns";
	}
	if ($flags & 0x01) {
		my @a = unpack "Q$n", substr $rec, $pos;
		$pos += 8 * $n;
		push @out, '"args":{' . join(',', map {
			json($p->{names}[$_] || "arg$_") . ':' .
			    number($a[$_], $p->{types}[$_])
		} 0 .. $#a) . '}';
	}
	if ($flags & 0x02) {
		my ($v, $e) = unpack 'qL', substr $rec, $pos, 16;
		push @out, "\"retval\":$v", "\"errno\":$e";
		$pos += 16;
	}
	if ($flags & 0x04) {
		push @out, '"comm":' . json(unpack 'Z16', substr $rec, $pos);
		$pos += 16;
	}
	if ($flags & 0x08) {
		my ($cg, $uid, $ppid) = unpack 'QLL', substr $rec, $pos;
		push @out, "\"uid\":$uid", "\"ppid\":$ppid";
		$pos += 16;
	}
	push @out, '"kstack":' . stack($rec, \$pos, 1) if $flags & 0x10;
	push @out, '"ustack":' . stack($rec, \$pos, 0, $pid, $time) if $flags & 0x20;
	strings($rec, \$pos, $p, \@out) if $flags & 0x40;
	$pos += 16 if $flags & 0x80;
	stop('sections do not end with the record') if $pos != $len;
	$late++ if $time < $low;
	push @recs, [$time, $seq++, $time + $clock, join ',', @out];
}

# Prints the machine; older files end before the boot id.
sub machine {
	my ($start, $ncpu, $part, $host, $release, $machine, $writer, $boot) =
	    unpack 'qLLZ64Z64Z16Z32Z*', $_[0];
	printf '{"head":{"schema":1,"start":%d,"host":%s,"boot_id":%s,' .
	    '"kernel":%s,"machine":%s,"cpus":%d,"part":%d,"writer":%s}}' . "\n",
	    $start, json($host), length $boot ? json($boot) : 'null',
	    json($release), json($machine), $ncpu, $part, json($writer);
}

my %types = (
	0x0a525444 => sub { machine($_[0]) },
	1 => sub {
		my ($pbn, $n) = unpack 'LC', $_[0];
		my @s = split /\0/, substr($_[0], 8 + $n), -1;
		$probe{$pbn} ||= { n => $n, full => join(':', @s[0 .. 2]),
			types => [map { $s[3 + 2 * $_] } 0 .. $n - 1],
			names => [map { $s[4 + 2 * $_] } 0 .. $n - 1] };
	},
	2 => sub { ($clock) = unpack 'q', $_[0] },
	3 => sub { items($_[0], 'QQLL', 24, 2,
		sub { $ksym{$_[0]} = $_[4] unless exists $ksym{$_[0]} }) },
	4 => sub { items($_[0], 'LL', 8, 0, sub { record(@_[1, 2]) }) },
	5 => sub { printf STDERR "read %u\n", (unpack 'QQ', $_[0])[1];
		$end = 'whole' },
	6 => sub { items($_[0], 'LlLL', 16, 2,
		sub { $path{"$_[0]/$_[1]"} = $_[4] }) },
	10 => sub { items($_[0], 'QQQQQLCCSC24', 72, 8, sub {
		my ($from, $start, $end, $offset, $file, $pid, $kind) = @_;
		push @{$maps{$pid}{$from}},
		    [$start, $end, $offset, $file, $kind, $_[-1]] }) },
	11 => sub { names($_[0]) },
	8 => sub { ($low) = unpack 'Q', $_[0] },
	9 => sub { my ($why, $e, $n, $m) = unpack 'LLQQ', $_[0];
		print STDERR "stop $why $e $n $m\n";
		$end = 'goes on elsewhere' if $why == 1 },
);

open my $f, '<:raw', $ARGV[0] or die "$ARGV[0]: $!\n";
my $first = 1;
BLOCK: while ((my $n = read $f, my $head, 16) > 0) {
	stop('cut off') if $n < 16;
	my ($type, $version, $len, $sum) = unpack 'L4', $head;
	die "no recording\n" if $first && ($type != 0x0a525444 || $version != 1);
	$first = 0;
	stop('too long') if $len > 1 << 20;
	my $padded = ($len + 7) & ~7;
	my $data = '';
	stop('cut off') if $padded > 0 && (read $f, $data, $padded) < $padded;
	stop('wrong sum') if !$ENV{NOSUM} &&
	    crc(substr($head, 0, 12) . $data) != $sum;
	$types{$type}->(substr $data, 0, $len) if $version == 1 && $types{$type};
}
print "{\"time\":$_->[2],$_->[3]}\n"
    for sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] } @recs;
print STDERR "$_ $path{$_}\n" for $ENV{PATHS} ? sort keys %path : ();
print STDERR "late $late\n", $end || 'cut off', "\n";
