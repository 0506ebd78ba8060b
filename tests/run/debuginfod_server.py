#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
#
# debuginfod_server.py FOLDER HITS PORT [hang]
#
# A debuginfod server on loopback: serves the files below FOLDER, or accepts
# connections and never replies.  Each request is a line in HITS, and PORT has
# its port once it accepts.
import functools
import http.server
import os
import sys
import time

folder, hits, port = sys.argv[1:4]
log = open(hits, "w", buffering=1)


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        log.write(self.path + "\n")
        if sys.argv[4:] == ["hang"]:
            time.sleep(1000)
        super().do_GET()

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(
    ("127.0.0.1", 0), functools.partial(Handler, directory=folder))
server.daemon_threads = True
with open(port + ".new", "w") as f:
    print(server.server_port, file=f)
os.rename(port + ".new", port)
server.serve_forever()
