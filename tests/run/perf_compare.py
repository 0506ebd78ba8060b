# SPDX-License-Identifier: ISC
#
# perf script runs this for perf_compare.  It receives perf's events one by one,
# and at the end compares them with dt's, by thread, tracepoint and order.
import json
import os
import sys

perf = []               # (tracepoint, thread, fields), in order of arrival
COMMON = 'common_'


# Events for which perf script has no function: all.
def trace_unhandled(event_name, context, fields, samples=None):
    perf.append((event_name.replace('__', ':', 1), fields['common_pid'],
                 {k: v for k, v in fields.items() if not
                  k.startswith(COMMON)},
                 (fields['common_s'], fields['common_ns'])))


def dt_events():
    events = []
    with open(os.environ['PERF_COMPARE_JSON'], encoding='latin-1') as f:
        for line in f:
            e = json.loads(line)
            if e.get('probe', '').startswith('tracepoint:'):
                events.append((e['probe'][len('tracepoint:'):], e['tid'], e,
                               e['time']))
    return events


# The thread between its two names, from perf or dt.
def between(events, newcomm):
    events.sort(key=lambda e: e[3])
    tid = None
    found = []
    for e in events:
        if e[0] == 'task:task_rename' and newcomm(e) == 'tp-begin':
            tid = e[1]
        if e[1] == tid:
            found.append(e)
            if e[0] == 'task:task_rename' and newcomm(e) == 'tp-end':
                break
    return found


# perf prints text as bytes if old contents fill its array.
def as_text(v):
    if isinstance(v, (bytes, bytearray)):
        return bytes(v).split(b'\0')[0].decode('latin-1')
    return v


def as_int(v):
    return int(v, 16) if isinstance(v, str) else int(v)


# A field of perf compared with an event of dt.
def agrees(name, v, e, probe):
    strings = e.get('strings', {})
    if name in strings and not isinstance(v, int):
        return strings[name] == as_text(v)
    if isinstance(v, (bytes, bytearray)):
        text = e.get('text', {}).get(name, '')
        if text.startswith('0x'):
            return text[2:] == v.hex()
        return text != ''               # an address, as text
    if isinstance(v, str) or name not in e['args']:
        return False
    # perf does not sign-extend 32 bits; and a register of a call has 64 bits,
    # of which the type may use 32.
    mine = as_int(e['args'][name])
    bits = 32 if probe.startswith('syscalls:') or mine < 0 else 64
    return (mine - v) % 2 ** bits == 0


def trace_end():
    mine = between(dt_events(),
                   lambda e: e[2].get('strings', {}).get('newcomm'))
    theirs = between(perf, lambda e: as_text(e[2].get('newcomm')))
    bad = 0
    total = 0
    print('%-32s %7s %7s %7s  %s' % ('tracepoint', 'perf', 'dt', 'fields',
                                     'that differ'))
    for probe in sorted(set(e[0] for e in mine + theirs)):
        p = [e for e in theirs if e[0] == probe]
        d = [e for e in mine if e[0] == probe]
        nfields = 0
        differ = {}
        for a, b in zip(p, d):
            for name, v in a[2].items():
                nfields += 1
                if not agrees(name, v, b[2], probe):
                    differ[name] = (v, b[2])
        if os.environ.get('PERF_COMPARE_VERBOSE'):
            for name, v in differ.items():
                print('    %s %s: %r, %r' % (probe, name, v[0], v[1]))
        bad += len(p) != len(d) or bool(differ)
        total += len(p)
        print('%-32s %7d %7d %7d  %s' % (probe, len(p), len(d), nfields,
                                         ' '.join(sorted(differ)) or '-'))
    if total == 0:
        print('nothing was compared')
    elif bad == 0:
        print('all agree: %d hits' % total)
    sys.stdout.flush()
