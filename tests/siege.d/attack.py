# SPDX-License-Identifier: ISC
"""
attack.py NAME SOCKETS FOLDER

One attacker of tests/siege: attacks dtd, whose sockets are in the folder
SOCKETS, until it is killed.  Runs as an ordinary user, except where a comment
says otherwise.  FOLDER is its own.  Prints a line when the attack has begun.
All attacks together leave one session for another user.
"""
import ctypes
import fcntl
import os
import resource
import signal
import subprocess
import sys
import threading
import time

import client
import elf

libc = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG, PR_SET_DUMPABLE = 1, 4
CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID = 0x20000, 0x10000000, 0x20000000
F_SETLEASE = 1024

sockets, folder = sys.argv[2:4]
sock = os.path.join(sockets, "dt")


def begun(text):
    print(text, flush=True)


def fork(fn, *args):
    """Runs fn in a child that does not outlive this process."""
    pid = os.fork()
    if pid == 0:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        try:
            fn(*args)
        finally:
            os._exit(1)
    return pid


def threads(n, fn):
    for i in range(n):
        threading.Thread(target=fn, args=(i,)).start()


def unshare(flags):
    if libc.unshare(flags) == -1:
        error = ctypes.get_errno()
        raise OSError(error, "unshare: " + os.strerror(error))


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


# Rows 1 and 3 run in a mount namespace in which the file system FOLDER/.debug
# does not reply.  Standard input has a byte for each request that it got: see
# fusehang.c.

def hung_client(n=8):
    """
    Clients whose processes hang in execve(2), because a file of theirs is on
    FUSE, while a child sends OPEN: dtd looks at the process.
    """
    def send_open(session, hung):
        os.read(hung, 1)
        session.send_open()
        signal.pause()

    def peer(hung):
        session = client.Session(sock, opened=False)
        fork(send_open, session, hung)
        os.open(os.path.join(folder, ".debug", "file"),
                os.O_RDWR | os.O_CLOEXEC)
        os.execl("/bin/true", "true")

    for _ in range(n):
        hung, tell = os.pipe()
        fork(peer, hung)
        os.read(0, 1)  # execve(2) closes the file, which hangs
        os.write(tell, b"x")
    begun("%d clients hang" % n)
    signal.pause()


def hung_debug_file():
    """Programs whose debug files are looked up on FUSE, also by root."""
    def ask(i):
        code = elf.SPIN if i == 0 else elf.PAUSE
        while True:
            path = os.path.join(folder, "linked%d.%d" % (i, time.time_ns()))
            request(path, lambda: elf.linked(path, code, "x.debug"))

    begun("programs with a debug file that hangs")
    threads(2, ask)


def request(path, make, hold=lambda: None):
    """Runs a program that make writes, and requests symbols of it."""
    make()
    hold()
    proc = subprocess.Popen([path])
    try:
        session = client.Session(sock)
        session.symbol(proc.pid, elf.PC)
        session.close()
    except (OSError, EOFError):
        time.sleep(0.1)
    proc.kill()
    proc.wait()
    os.unlink(path)


def lease():
    """A debug file with a write lease: who opens it waits for the owner."""
    signal.signal(signal.SIGIO, signal.SIG_IGN)

    def ask(i):
        home = os.path.join(folder, "lease%d" % i)
        os.mkdir(home)
        path, debug = home + "/prog", home + "/x.debug"
        elf.endless(debug, 10, 10)

        def hold():
            fd = os.open(debug, os.O_RDWR)
            fcntl.fcntl(fd, F_SETLEASE, fcntl.F_WRLCK)
            held.append(fd)

        held = []
        while True:
            request(path, lambda: elf.linked(path, elf.PAUSE, "x.debug"), hold)
            os.close(held.pop())

    begun("leases of debug files")
    threads(2, ask)


def endless_names():
    """Programs with 20,000 symbols of one endless name, again and again."""
    def ask(i):
        path = os.path.join(folder, "endless%d" % i)
        while True:
            request(path, lambda: elf.endless(path))

    begun("programs of 17 MB")
    threads(4, ask)


# Rows 6 and 11.

def recorder(probe, flags, period, budget):
    """Records a probe, and starts again when dtd stops it."""
    def run(_):
        while True:
            try:
                session = client.Session(sock)
                session.record(probe, flags, period, budget)
                record_until_stopped(session.data)
                session.close()
            except (OSError, EOFError):
                time.sleep(0.5)
    return run


def record_until_stopped(data):
    pending = b""
    while True:
        try:
            more = data.recv(1 << 16)
        except TimeoutError:
            continue
        if not more:
            return
        pending += more
        while len(pending) >= client.BLOCK.size:
            kind, _, nbytes, _, _ = client.BLOCK.unpack_from(pending)
            if kind == client.NOTE:
                return
            if len(pending) < client.BLOCK.size + nbytes:
                break
            pending = pending[client.BLOCK.size + nbytes:]


def intervals():
    """16 clocks at 5,000 Hz."""
    begun("16 sessions of interval")
    threads(16, recorder("interval:*", 0, 200000, 65536))


def small_sessions():
    """28 sessions that are cheap, and together are not."""
    def calls():
        while True:
            os.getppid()

    for _ in range(2):
        fork(calls)
    begun("28 sessions of getppid")
    threads(28, recorder("syscall:getppid:entry", 1, 0, 1 << 20))


# Row 7.

def subordinate_uids(user=7017, first=7700000, n=4):
    """
    A user with subordinate uids opens sessions as each of them.  The parent is
    root and acts for newuidmap(1).
    """
    def crowd():
        sessions = []
        try:
            while True:
                sessions.append(client.Session(sock))
        except (OSError, EOFError) as e:
            os.write(report[1], b"%d sessions, then: %s\n" %
                     (len(sessions), str(e).encode()))
        signal.pause()

    def owner():
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        unshare(CLONE_NEWUSER)
        os.write(ready[1], b"x")
        os.read(mapped[0], 1)
        for uid in range(1, n + 1):
            fork(member, uid)
        signal.pause()

    def member(uid):
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        libc.prctl(PR_SET_DUMPABLE, 1)
        crowd()

    ready, mapped, report = os.pipe(), os.pipe(), os.pipe()
    pid = fork(owner)
    os.read(ready[0], 1)
    for kind in "uid", "gid":
        write("/proc/%d/%s_map" % (pid, kind),
              "0 %d 1\n1 %d 65535\n" % (user, first))
    os.write(mapped[1], b"x")
    with os.fdopen(report[0]) as f:
        begun("; ".join(f.readline().strip() for _ in range(n)))
    signal.pause()


# Row 8.

def many_threads(n=6000, nsessions=8):
    """
    A process with many threads, in a pid namespace, enables kcov for a thread
    that it does not have.
    """
    def enable(_):
        session = client.Session(os.path.join(sockets, "kcov"))
        while True:
            try:
                session.call(client.ENABLETHREAD,
                             (0x102).to_bytes(4, sys.byteorder) +
                             (999999).to_bytes(4, sys.byteorder))
            except client.Refused:
                continue

    def crowd():
        threading.stack_size(1 << 16)
        event = threading.Event()
        threads(n, lambda _: event.wait())
        threads(nsessions, enable)
        begun("%d threads, %d sessions of kcov" % (n, nsessions))
        event.wait()

    limit, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    if limit != resource.RLIM_INFINITY:  # a small machine has a lower one
        n = min(n, limit - 100)
    uid, gid = os.getuid(), os.getgid()
    unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS)
    write("/proc/self/setgroups", "deny")
    write("/proc/self/uid_map", "%d %d 1" % (uid, uid))
    write("/proc/self/gid_map", "%d %d 1" % (gid, gid))
    os.waitpid(fork(crowd), 0)


# Row 9.

def patterns(nsessions=16):
    """Patterns that are costly to match, two at a time for each session."""
    worst = ["*" + "*[a-" * 60, "*[a-z_:]" * 30, "kprobe:" + "*[a-z_]" * 34,
             "*" + "*[a-z][!b]" * 24 + "?"]
    requests = [client.lookup(pattern) for pattern in worst]

    def ask(i):
        session = client.Session(sock)
        session.send(client.LOOKUP, requests[i % len(requests)])
        while True:
            i += 1
            session.send(client.LOOKUP, requests[i % len(requests)])
            try:
                session.reply()
            except client.Refused:
                continue

    begun("%d sessions that look up patterns" % nsessions)
    threads(nsessions, ask)


NAMES = {fn.__name__.replace("_", "-"): fn for fn in (
    hung_client, hung_debug_file, lease, intervals, subordinate_uids,
    many_threads, patterns, endless_names, small_sessions)}

libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
os.nice(19)  # others are to wait for dtd only, not for a CPU
NAMES[sys.argv[1]]()
