# SPDX-License-Identifier: ISC
# A page in headless Chromium, driven by chromedriver's own protocol.  Importing it
# starts the browser; finish() ends it.
import json
import os
import re
import subprocess
import time
import urllib.request

driver = subprocess.Popen(["chromedriver", "--port=0"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
port = next(m.group(1) for m in
            (re.search(r"successfully on port (\d+)", line)
             for line in driver.stdout) if m)


def call(path, body=None, method=None):
    req = urllib.request.Request(
        "http://127.0.0.1:%s%s" % (port, path),
        None if body is None else json.dumps(body).encode(), method=method)
    return json.load(urllib.request.urlopen(req, timeout=170))["value"]


def begin():
    args = ["--headless=new", "--no-sandbox", "--disable-gpu",
            "--window-size=1000,800"]
    return call("/session", {"capabilities": {"alwaysMatch": {
        "goog:chromeOptions": {"args": args},
        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})


# Ends the browser, and waits for its processes, whose arguments have its folder.
def finish():
    folder = session["capabilities"]["chrome"]["userDataDir"]
    try:
        call(base, method="DELETE")
        for _ in range(300):
            if subprocess.run(["pgrep", "-f", folder],
                              stdout=subprocess.DEVNULL).returncode != 0:
                break
            time.sleep(0.1)
    finally:
        driver.kill()


session = begin()
base = "/session/" + session["sessionId"]


# Opens a file; the page has drawn itself when this returns.
def open_page(name):
    call(base + "/url", {"url": "file://" + os.path.abspath(name)})


def js(script, *args):
    return call(base + "/execute/sync", {"script": script, "args": list(args)})


def text(element):
    return js("return document.getElementById(arguments[0]).textContent",
              element)


def press(key, where="graph"):
    js("const e = document.getElementById(arguments[1]); e.focus();"
       "e.dispatchEvent(new KeyboardEvent('keydown', { key: arguments[0],"
       "bubbles: true, cancelable: true }));", key, where)
    time.sleep(0.1)


def choose(element, value):
    js("const e = document.getElementById(arguments[0]); e.value = arguments[1];"
       "e.dispatchEvent(new Event(e.tagName === 'INPUT' ? 'input' : 'change',"
       "{ bubbles: true }));", element, value)
    time.sleep(0.1)
