# SPDX-License-Identifier: ISC
"""
bystander.py SOCKET PROGRAM FOLDER

An ordinary client, whom an attack should not delay.  About once per second it
runs a copy of a program that nobody has run before, and requests the name of
the function in which that program waits.  Prints seconds, and the name or the
reason why there is none.
"""
import os
import shutil
import subprocess
import sys
import time

import client


def main():
    sock, program, folder = sys.argv[1:]
    number = 0
    while True:
        number += 1
        copy = os.path.join(folder, "new%d" % number)
        shutil.copy(program, copy)
        proc = subprocess.Popen([copy, "other"], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE)
        pc = int(proc.stdout.readline(), 16)
        start = time.monotonic()
        try:
            session = client.Session(sock)
            name, why = session.symbol(proc.pid, pc)
            session.close()
        except (OSError, EOFError) as e:
            name, why = None, str(e)
        print("%.3f %s" % (time.monotonic() - start, name or why), flush=True)
        proc.stdin.close()
        proc.wait()
        os.unlink(copy)
        time.sleep(1)


main()
