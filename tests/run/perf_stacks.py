# SPDX-License-Identifier: ISC
#
# perf_stacks.py [-v] PERF.TXT DT.JSON
#
# Compares the outputs of `perf script -F comm,pid,ip,sym,symoff,dso
# --show-mmap-events` and `dt profile -j` for the same run.  Each tool samples
# at its own times, so they are compared by address: where both sampled an
# address in the same process, dt must have perf's symbol.  Functions of the
# kernel have no address here, and are compared by name: dt must have every
# frequent one of perf.
#
# Allowed differences:
#
# alias     two symbols at one address (clock_gettime, __clock_gettime), or
#           perf's has its version: any symbol of that address is correct.
# same id   two files have one build id (ld computes it from the loaded parts,
#           without the symbols).  perf uses the symbols of the first one, dt
#           those of the file that was mapped: prog/sym has two.
# exec      perf keeps no time: in a process that executed another program, or
#           mapped another file at the same place, an address may have two
#           symbols.  Those are skipped.
# start     the first address of a function is not a return address, unless the
#           call before it never returns: perf names the function, dt the one
#           before.  Stacks end in such words where the C library has no frames.
# plt       perf (6.1) takes entries of the procedure linkage table for a part
#           of _init; dt names the function of the entry.
# text      perf shortens demangled names: no arguments, no return type.
#
# Addresses without a symbol in perf are skipped: files with .gnu_debugdata,
# code of a JIT whose map was removed before perf script ran.
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict

starts = set()          # perf's symbols that begin at an address
OFTEN = 0.02            # share of perf's samples that must be in dt's, too


MMAP = re.compile(r'.*PERF_RECORD_MMAP2 (\d+)/\d+: \[0x([0-9a-f]+)'
                  r'\(0x([0-9a-f]+)\) @ (\w+) [^]]*\]: \S+ (.*)$')


# perf prints an offset in the file: computes the address from the current maps.
def address(maps, dso, off):
    for start, size, pgoff, path in reversed(maps):
        if path == dso and pgoff <= off < pgoff + size:
            return off - pgoff + start
    return None


# Whether the process had different files, or parts of them, at the address.
def reused(maps, pc):
    return len({(path, start - pgoff) for start, size, pgoff, path in maps
                if start <= pc < start + size}) > 1


# perf.txt: {(pid, pc): {name: count}}, {(pid, pc): file}, the kernel's names,
# the number of samples, the addresses that had different files
def perf_read(path):
    user = defaultdict(Counter)
    files = {}
    kernel = Counter()
    maps = defaultdict(list)
    nsamples = 0
    pid = None
    for line in open(path, encoding='utf-8', errors='replace'):
        line = line.rstrip('\n')
        if line == '':
            continue
        m = MMAP.match(line)
        if m is not None:
            maps[int(m.group(1))].append((int(m.group(2), 16),
                                          int(m.group(3), 16),
                                          int(m.group(4), 0), m.group(5)))
            continue
        if 'PERF_RECORD_' in line:
            continue
        if not line[0].isspace():
            pid = int(line.split()[-1])
            nsamples += 1
            continue
        m = re.match(r'\s+([0-9a-f]+) (.*) \((.*)\)$', line)
        if m is None or m.group(3) == 'inlined':
            continue
        pc, name, dso = int(m.group(1), 16), m.group(2), m.group(3)
        if name.endswith('+0x0'):
            starts.add(name[:-4])
        name = re.sub(r'\+0x[0-9a-f]+$', '', name)
        if name in ('', '[unknown]') or name.endswith('(inlined)'):
            continue
        if pc >> 63:
            kernel[name] += 1
            continue
        pc = address(maps[pid], dso, pc)
        if pc is not None:
            user[pid, pc][name] += 1
            files[pid, pc] = dso
    twice = {key for key in user if reused(maps[key[0]], key[1])}
    return user, files, kernel, nsamples, twice


# dt.json: {(pid, pc): {name or None}}, the kernel's names
def dt_read(path):
    user = defaultdict(set)
    kernel = Counter()
    for line in open(path, encoding='utf-8', errors='replace'):
        e = json.loads(line)
        for f in e.get('uframes', []):
            if not f.get('inlined'):
                user[e['pid'], int(f['pc'], 16)].add(f.get('func'))
        for name in e.get('kstack', []):
            kernel[name] += e.get('count', 1)
    return user, kernel


# Symbols of a file by address, {name: set of all names there}
def aliases(path, cache={}):
    if path not in cache:
        at = defaultdict(set)
        for f in (path, debug_file(path)):
            for flag in ('-a', '-D'):
                if f is None:
                    continue
                out = subprocess.run(['nm', flag, '--defined-only', f],
                                     capture_output=True, text=True,
                                     errors='replace').stdout
                for line in out.split('\n'):
                    w = line.split(' ', 2)
                    if len(w) == 3:
                        at[w[0]].add(re.sub('@.*', '', w[2]))
        cache[path] = defaultdict(set)
        for names in at.values():
            for n in names:
                cache[path][n] |= names
    return cache[path]


def build_id(path):
    out = subprocess.run(['readelf', '-n', path], capture_output=True,
                         text=True, errors='replace').stdout
    m = re.search('Build ID: ([0-9a-f]+)', out)
    return m.group(1) if m else None


def debug_file(path):
    i = build_id(path)
    return i and f'/usr/lib/debug/.build-id/{i[:2]}/{i[2:]}.debug'


def same_ids(files):
    ids = defaultdict(set)
    for f in set(files):
        i = build_id(f) if f.startswith('/') else None
        if i:
            ids[i].add(f)
    return {f for fs in ids.values() if len(fs) > 1 for f in fs}


def agrees(perf, dt, dso):
    p, d = re.sub('@@?[A-Z].*', '', perf), re.sub('@@?[A-Z].*', '', dt)
    if p == d or p in aliases(dso)[d]:
        return True
    if dso == '[vdso]':
        return re.sub('^__(vdso|kernel)_', '', p) == \
            re.sub('^__(vdso|kernel)_', '', d)
    return ('::' in p or '<' in p) and p.split('(')[0] in d


def main():
    verbose = '-v' in sys.argv
    perf_txt, dt_json = sys.argv[-2:]
    perf, files, pkernel, nsamples, twice = perf_read(perf_txt)
    dt, dkernel = dt_read(dt_json)
    sameid = same_ids(files.values())
    counts = Counter()
    bad = []
    for key, names in perf.items():
        if key not in dt:
            counts['met by perf alone'] += 1
        elif files[key] in sameid:
            counts['same id'] += 1
        elif len(names) > 1 or len(dt[key]) > 1 or key in twice:
            counts['exec'] += 1
        else:
            p, = names
            d, = dt[key]
            if d is not None and agrees(p, d, files[key]):
                counts['agree'] += 1
            elif p in starts:
                counts['start'] += 1
            elif d is not None and d.endswith('@plt') and p == '_init':
                counts['plt'] += 1
            else:
                counts['differ'] += 1
                bad.append((names[p], key, files[key], p, d))
    for n, c in pkernel.items():
        if c > OFTEN * nsamples and dkernel[n] == 0:
            bad.append((c, 'kernel', '', n, None))
            counts['differ'] += 1
        elif c > OFTEN * nsamples:
            counts['kernel agree'] += 1
    for b in sorted(bad, key=lambda b: -b[0])[:None if verbose else 10]:
        where = b[1] if isinstance(b[1], str) else f'{b[1][0]} {b[1][1]:#x}'
        print(f'{where} {b[2]}: perf {b[3]} ({b[0]}), dt {b[4]}')
    print(', '.join(f'{k} {v}' for k, v in counts.items()))
    # too few common addresses prove nothing
    if bad or counts['agree'] < 20:
        sys.exit(1)
    print('all agree')


main()
