# SPDX-License-Identifier: ISC
# Checks the HTML page of a profile in a browser.
#
#	page_check.py PAGE		checks each control; for page.t's profile
#	page_check.py PAGE functions	prints the rows of the table
#	page_check.py PAGE values	prints the whole, and the table, of each value
#	page_check.py PAGE axe FILE	prints what axe-core, in FILE, finds
#	page_check.py PAGE long		prints the height of what shows a long name
#	page_check.py PAGE lines	prints the description of the heaviest stack
import base64
import json
import re
import sys
import time

from browser import (base, call, choose, finish, js, open_page, press, text)


def functions():
    return js("return [...document.querySelectorAll('#functions tbody tr')]"
              ".map(r => r.cells[4].textContent)")


# A hash of what is drawn.
def picture():
    return js("const c = document.getElementById('graph'); let h = 0;"
              "const d = c.getContext('2d').getImageData(0, 0, c.width,"
              "c.height).data; for (let i = 0; i < d.length; i += 4)"
              "h = (h * 31 + d[i] + d[i + 1] * 7 + d[i + 2] * 3) | 0;"
              "return h + ' ' + c.height;")


def check(ok, what):
    print("%s: %s" % ("ok" if ok else "WRONG", what))


def threads():
    return js("return [...document.getElementById('thread').options]"
              ".map(o => o.textContent)")


# A thread, and the graph by time.
def times():
    press("Escape")
    whole = picture()
    name, samples = re.match(r"(share \d+): ([0-9,]+ samples)$", next(
        t for t in threads() if t.startswith("share "))).groups()
    choose("thread", js("return [...document.getElementById('thread').options]"
                        ".find(o => o.textContent.startsWith(arguments[0]))"
                        ".value", name))
    check(text("info").startswith("all: 100.00 %, " + samples) and
          "two" in functions(), "one thread has its samples")
    check("thread " + name in text("path"), "the path has the thread")
    heavy = picture()
    choose("order", "time")
    check(heavy != picture(), "the order of time is another one")
    press("ArrowDown")
    press("ArrowDown")
    check(re.search(r"\d\.\d{6} to \d+\.\d{6} s$", text("info")),
          "a box has its time")
    choose("thread", "")
    check(text("info").startswith("all: 100.00 %, "), "all threads by time")
    press("ArrowDown")
    check(re.match(r"\w+ \d+: ", text("info")), "threads are apart")
    choose("order", "heavy")
    press("Escape")
    check(whole == picture(), "the first graph is back")


# The page on paper, printed while it is dark.
def printed():
    js("window.onbeforeprint = () => window.paper ="
       "getComputedStyle(document.body).backgroundColor")
    pdf = base64.b64decode(call(base + "/print", {}))
    check(pdf.startswith(b"%PDF") and
          0 < len(re.findall(rb"/Type /Page\b", pdf)) < 10, "it can be printed")
    check(js("return window.paper") == "rgb(255, 255, 255)", "paper is white")
    check(js("return document.documentElement.classList.contains('dark')"),
          "the page is dark again")
    call(base + "/goog/cdp/execute", {
        "cmd": "Emulation.setEmulatedMedia", "params": {"media": "print"}})
    check(js("return ['tools', 'bar'].map(e => getComputedStyle("
             "document.getElementById(e))).map(s => s.display + s.position)")
          == ["nonestatic", "blockstatic"], "paper has no controls")
    call(base + "/goog/cdp/execute", {
        "cmd": "Emulation.setEmulatedMedia", "params": {"media": ""}})


def main():
    open_page(sys.argv[1])
    whole = picture()
    check(re.match(r"all: 100\.00 %, ", text("info")), "the root is described")
    check(len(functions()) > 5, "the table has functions")
    check("share" in js("return [...document.getElementById('process').options]"
                        ".map(o => o.value)"), "it has processes")

    press("ArrowDown")
    process = text("info")
    press("ArrowDown")
    check(process != text("info") and "all:" not in text("info"),
          "arrows move")
    press("Enter")
    zoomed = picture()
    check(zoomed != whole and "#z=" in js("return location.hash"), "Enter zooms")
    check("all" in text("path"), "the path leads back")
    js("history.back()")
    time.sleep(0.2)
    check(js("return location.hash") == "" and text("path") == "",
          "the history has views")
    js("location.hash = '#z=3'")
    time.sleep(0.1)
    press("Escape")
    check(js("return location.hash") in ("", "#"), "Escape shows everything")
    js("const c = document.getElementById('graph'); const r ="
       "c.getBoundingClientRect(); c.dispatchEvent(new MouseEvent('click',"
       "{ clientX: r.left + 20, clientY: r.top + 45, bubbles: true }));")
    time.sleep(0.1)
    check("z=" in js("return location.hash"), "a click zooms")
    press("Escape")

    choose("search", "^two$")
    share = float((text("found").split() or ["0"])[0])
    check(set(functions()) == {"two"} and 50 < share < 80,
          "a search finds a function and its share")
    choose("search", ".")
    check(text("found") == "100.00 % match", "nested matches count once")
    choose("search", "(")
    check(re.match(r"\d", text("found")), "an incomplete expression is text")
    choose("search", "")
    choose("process", "share")
    check(text("info").startswith("all: 100.00 %") and "two" in functions(),
          "one process")
    choose("process", "")
    check(threads()[0] == "all threads" and len(threads()) >= 3,
          "it has threads")
    times()

    js("[...document.querySelectorAll('#functions td button')]"
       ".find(b => b.textContent === 'two').click()")
    time.sleep(0.1)
    check("callers and callees of two" in text("path") and
          text("info").startswith("two: "), "a function is in focus")
    press("ArrowUp")
    check(not text("info").startswith("two: "), "its caller is above it")
    press("Escape")

    pictures = {whole}
    for colours in ("kind", "safe"):
        choose("colours", colours)
        pictures.add(picture())
    choose("colours", "module")
    choose("order", "name")
    pictures.add(picture())
    choose("order", "heavy")
    press("u")
    pictures.add(picture())
    check(len(pictures) == 5, "colours, order and direction change the graph")
    press("u")
    was = js("return getComputedStyle(document.body).backgroundColor")
    press("d")
    check(was != js("return getComputedStyle(document.body).backgroundColor"),
          "dark and light")
    printed()
    press("?")
    check(js("return document.getElementById('keys').open"), "keys are listed")
    js("document.getElementById('keys').close()")
    total = js("return [...document.querySelectorAll('#functions th')].map("
               "h => h.getAttribute('aria-sort'))")
    js("document.querySelectorAll('#functions th button')[2].click()")
    check(total != js("return [...document.querySelectorAll('#functions th')]"
                      ".map(h => h.getAttribute('aria-sort'))"),
          "the table is sorted")
    check("none lost" in text("ledger") or "lost" in text("ledger"),
          "losses are stated")
    check(js("return document.querySelectorAll('script').length") == 3 and
          js("return [...document.querySelectorAll('canvas,input,select,button')]"
             ".every(e => e.getAttribute('aria-label') || e.textContent ||"
             "e.labels && e.labels.length)"), "each control has a name")
    log = [e for e in call(base + "/se/log", {"type": "browser"})
           if e["level"] == "SEVERE"]
    check(log == [], "no error in the console %s" % log)
    urls = [json.loads(e["message"])["message"]["params"]["request"]["url"]
            for e in call(base + "/se/log", {"type": "performance"})
            if "Network.requestWillBeSent\"" in e["message"]]
    check([u for u in urls if not u.startswith("file:///")] == [],
          "nothing is requested from a network")


def rows(part):
    return js("return [...document.querySelectorAll('#functions ' +"
              "arguments[0] + ' tr')].map(r => [...r.cells].map("
              "c => c.textContent).join(' '))", part)


def show_values():
    open_page(sys.argv[1])
    values = js("return [...document.getElementById('value').options]"
                ".map(o => [o.value, o.textContent])")
    for value, name in values:
        choose("value", value)
        print("%s: %s" % (name, text("info")))
        print("%s: %s" % (name, text("summary")))
        print("%s: %s" % (name, rows("thead")[0]))
        print("%s: %s" % (name, ", ".join(threads())))
        for row in rows("tbody"):
            print("%s: %s" % (name, row))


# The findings in a state of the page.
def axe(state):
    found = call(base + "/execute/async", {"script":
                 "axe.run().then(arguments[0], e => arguments[0]({"
                 "violations: [{ impact: 'critical', id: '' + e,"
                 "nodes: [] }] }))", "args": []})
    for v in found["violations"]:
        print("%s: %s %s, %d: %s" % (
            state, v["impact"], v["id"], len(v["nodes"]), "; ".join(
                "%s %s" % (n["target"], n["html"][:80])
                for n in v["nodes"][:3])))
    print("%s: %d rules passed" % (state, len(found["passes"])))


def show_axe():
    open_page(sys.argv[1])
    js(open(sys.argv[3]).read() + "\nwindow.axe = axe;")
    axe("light")
    press("d")
    axe("dark")
    choose("order", "time")
    choose("search", "t")
    press("ArrowDown")
    press("Enter")
    axe("zoomed")
    js("document.querySelector('#functions td button').click()")
    axe("focus")
    press("?")
    axe("keys")


def show_lines():
    open_page(sys.argv[1])
    last = None
    while last != text("info"):
        last = text("info")
        print(last)
        press("ArrowDown")


# No name may hide the page: the height of what shows it, in lines.
def show_long():
    open_page(sys.argv[1])
    for _ in range(3):
        press("ArrowDown")
    for e in ("info", "path", "functions"):
        print("%s: %d lines" % (e, js(
            "return document.getElementById(arguments[0]).offsetHeight / 20",
            e)))
    press("Enter")
    print("zoomed: %d lines" % js("return document.getElementById('bar')"
                                  ".offsetHeight / 20"))
    choose("search", "long")
    print("search: " + text("found"))


def show_functions():
    open_page(sys.argv[1])
    for row in rows("tbody"):
        print(row.replace("\n", "\\n"))
    print(text("info"))
    press("ArrowDown")
    press("ArrowDown")
    print(text("info"))
    print("%d scripts" % js("return document.scripts.length"))


shows = {"functions": show_functions, "values": show_values,
         "lines": show_lines, "axe": show_axe, "long": show_long}
try:
    shows[sys.argv[2]]() if len(sys.argv) > 2 else main()
finally:
    finish()
