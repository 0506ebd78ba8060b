#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""
http_bad.py many|slow|crowd|nonsense [PORT]: misbehaving clients of dt-exporter,
at the socket m, and at a port.

many	holds more connections than allowed, and sends nothing, or half of a
	request: the other socket serves; all are closed, then the port serves
slow	sends a few bytes every second: is closed, too
crowd	keeps 40 connections, each with half a request that grows; those that
	are closed are opened again.  Other clients are served
nonsense sends data that is not HTTP: 400, or the connection is closed
"""
import socket
import subprocess
import sys
import threading
import time


def fetch_once(*where, seconds=8):
    return subprocess.run(
        ["curl", "-s", "-o", "body", "-w", "%{http_code}", "--max-time",
         str(seconds), *where],
        capture_output=True, text=True).stdout


def fetch(*where):
    return fetch_once("--retry", "5", "--retry-all-errors", *where, seconds=60)


def is_closed(s):
    try:
        while s.recv(1000):
            pass
    except ConnectionError:
        pass
    return True


def many(port):
    socks = [socket.create_connection(("127.0.0.1", port), 60)
             for _ in range(40)]
    for s in socks[::2]:
        s.send(b"GET /metrics HTTP/1.1\r\nHost: x\r\nX: ")
    print(fetch("--unix-socket", "m", "http://x/metrics"))
    print(sum(is_closed(s) for s in socks))
    print(fetch("http://127.0.0.1:%d/metrics" % port))


def slow():
    s = socket.socket(socket.AF_UNIX)
    s.connect("m")
    s.settimeout(1)
    start = time.monotonic()
    try:
        s.send(b"GET /metrics HTTP/1.1\r\nX: ")
        while True:
            s.send(b"x")
            try:
                if not s.recv(1000):
                    break
            except TimeoutError:
                pass
    except OSError:
        pass
    took = time.monotonic() - start
    print("closed" if 10 < took < 150 else took)


def keep(connect, stop):
    socks = []
    while not stop.is_set():
        while len(socks) < 40:
            s = connect()
            s.setblocking(False)
            socks.append(s)
        for s in list(socks):
            try:
                s.send(b"GET /metrics HTTP/1.1\r\nX: x" if s not in kept
                       else b"x")
                kept.add(s)
                if s.recv(1000) == b"":
                    raise ConnectionError
            except BlockingIOError:
                pass
            except OSError:
                kept.discard(s)
                socks.remove(s)
                s.close()
        filled.set()
        stop.wait(0.1)


kept = set()
filled = threading.Event()


def unix():
    s = socket.socket(socket.AF_UNIX)
    s.connect("m")
    return s


def crowd(port):
    for connect, where in (
            (lambda: socket.create_connection(("127.0.0.1", port), 60),
             ["http://127.0.0.1:%d/metrics" % port]),
            (unix, ["--unix-socket", "m", "http://x/metrics"])):
        stop = threading.Event()
        filled.clear()
        t = threading.Thread(target=keep, args=(connect, stop))
        t.start()
        filled.wait(60)
        print(*(fetch_once(*where) for _ in range(4)))
        stop.set()
        t.join()


def nonsense():
    for what in (b"nonsense\r\n\r\n", b"\0\1\2\3" * 100 + b"\r\n\r\n",
                 b"GET /metrics HTTP/9.9\r\n\r\n", b"\x16\x03\x01" * 4000):
        s = socket.socket(socket.AF_UNIX)
        s.connect("m")
        s.settimeout(60)
        answer = b""
        try:
            s.send(what)
            s.shutdown(socket.SHUT_WR)
            while True:
                some = s.recv(1000)
                if not some:
                    break
                answer += some
        except ConnectionError:
            pass
        words = answer.split()
        print("refused" if not words or words[1][:1] in b"45" else answer)
    print(fetch("--unix-socket", "m", "http://x/metrics"))


if sys.argv[1] in ("many", "crowd"):
    {"many": many, "crowd": crowd}[sys.argv[1]](int(sys.argv[2]))
else:
    {"slow": slow, "nonsense": nonsense}[sys.argv[1]]()
