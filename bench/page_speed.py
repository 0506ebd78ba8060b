# SPDX-License-Identifier: ISC
# Measures an HTML page of a profile in a browser:
#
#	page_speed.py PAGE ROUNDS
#
# Prints a line for each round: the milliseconds until the page has opened and is
# drawn, and the most that one of several zooms took until it was drawn.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../tests/run"))
from browser import base, call, finish, js, open_page, press

OPEN = """
const [page] = performance.getEntriesByType('navigation');
const [paint] = performance.getEntriesByName('first-contentful-paint');
return Math.max(page.loadEventEnd, paint ? paint.startTime : Infinity);
"""

# The page's own listener of the event comes first, and draws.
ZOOM = """
const [key, done] = arguments, start = performance.now();
window.addEventListener('hashchange', () => requestAnimationFrame(() =>
    setTimeout(() => done(performance.now() - start))), { once: true });
document.getElementById('graph').dispatchEvent(new KeyboardEvent('keydown',
    { key: key, bubbles: true, cancelable: true }));
"""


def zoom(key):
    return call(base + "/execute/async", {"script": ZOOM, "args": [key]})


def measure(page):
    open_page(page)
    opened = js(OPEN)
    worst = 0
    for _ in range(4):
        press("ArrowDown")
        worst = max(worst, zoom("Enter"))
    return opened, max(worst, zoom("Escape"))


try:
    for _ in range(int(sys.argv[2])):
        print("%.3f %.3f" % measure(sys.argv[1]), flush=True)
finally:
    finish()
