# SPDX-License-Identifier: ISC
# Reads a profile of the Firefox profiler: checks the fields, tables and indices
# that the types of its "processed profile format", version 57, require.
#
#	firefox_check.py FILE		prints the threads, markers and categories
#	firefox_check.py FILE folded	prints the samples as folded stacks
import collections
import json
import re
import sys

COLOURS = ("transparent purple green orange yellow lightblue blue brown "
           "magenta red lightred darkgrey grey").split()
PLACES = ("marker-chart marker-table timeline-overview timeline-memory "
          "timeline-ipc timeline-fileio stack-chart").split()
INTEGER, NUMBER = (int,), (int, float)


def fail(*what):
    sys.exit("WRONG: " + " ".join(map(str, what)))


def need(ok, *what):
    if not ok:
        fail(*what)


def number(v):
    return isinstance(v, NUMBER) and not isinstance(v, bool)


def index(v, n):
    return isinstance(v, int) and not isinstance(v, bool) and 0 <= v < n


# columns: by name, a function that returns whether a value is allowed.
def table(thread, name, columns):
    t = thread[name]
    need(set(t) == set(columns) | {"length"}, name, "has", sorted(t))
    for key, allows in columns.items():
        need(len(t[key]) == t["length"], name, key, "has another length")
        for v in t[key]:
            need(allows(v), name, key, "has", v)
    return t


def null(v):
    return v is None


def meta(p):
    m = p["meta"]
    need(m["preprocessedProfileVersion"] == 57, "version")
    for key in ("interval", "startTime", "processType", "version"):
        need(number(m[key]), key)
    need(m["interval"] > 0 and m["startTime"] > 1.6e12, "times")
    need(m["stackwalk"] in (0, 1) and m["symbolicated"] is True, "symbols")
    need(isinstance(m["product"], str) and m["oscpu"] == "Linux", "product")
    for c in m["categories"]:
        need(isinstance(c["name"], str) and c["color"] in COLOURS and
             c["subcategories"][0] == "Other", "category", c)
    need(any(c["color"] == "grey" for c in m["categories"]), "default category")
    for s in m["markerSchema"]:
        need(set(s["display"]) <= set(PLACES), "display", s)
        need(all(isinstance(f["key"], str) and f["format"] in
                 ("unique-string", "string", "integer") for f in s["fields"]),
             "fields", s)
    for section in m["extra"]:
        need(all(e["format"] == "integer" and isinstance(e["value"], int)
                 for e in section["entries"]), "extra", section)
    need(m["sampleUnits"] == {"time": "ms", "eventDelay": "ms",
                              "threadCPUDelta": "ns"}, "units")
    for lib in p["libs"]:
        need(all(isinstance(lib[k], str) for k in
                 "arch name path debugName debugPath codeId".split()), lib)
        need(re.fullmatch("[0-9A-F]{33}", lib["breakpadId"]), lib)
    need(all(isinstance(s, str) for s in p["shared"]["stringArray"]), "strings")
    return m


def stacks(p, t):
    strings, ncategories = len(p["shared"]["stringArray"]), \
        len(p["meta"]["categories"])

    def string(v):
        return index(v, strings)

    resources = table(t, "resourceTable", {
        "lib": lambda v: v is None or index(v, len(p["libs"])),
        "name": string, "host": null, "type": lambda v: v == 1})
    funcs = table(t, "funcTable", {
        "name": string, "isJS": lambda v: v is False,
        "relevantForJS": lambda v: v is False,
        "resource": lambda v: v == -1 or index(v, resources["length"]),
        "fileName": lambda v: v is None or string(v),
        "lineNumber": null, "columnNumber": null})
    table(t, "nativeSymbols", {"libIndex": null, "address": null, "name": null,
                               "functionSize": null})
    frames = table(t, "frameTable", {
        "address": lambda v: v == -1, "inlineDepth": lambda v: index(v, 1000),
        "category": lambda v: index(v, ncategories),
        "subcategory": lambda v: v == 0,
        "func": lambda v: index(v, funcs["length"]), "nativeSymbol": null,
        "innerWindowID": null, "line": lambda v: v is None or v > 0,
        "column": null})
    table(t, "stackTable", {
        "frame": lambda v: index(v, frames["length"]),
        "prefix": lambda v: v is None or isinstance(v, int)})
    for i, prefix in enumerate(t["stackTable"]["prefix"]):
        need(prefix is None or index(prefix, i), "prefix after its stack")


def hits(p, t):
    strings = len(p["shared"]["stringArray"])
    nstacks = t["stackTable"]["length"]

    def stack(v):
        return v is None or index(v, nstacks)

    s = t["samples"]
    need(s["weightType"] in ("samples", "tracing-ms", "bytes"), "weightType")
    need(s["weight"] is None or len(s["weight"]) == s["length"], "weight")
    need(len(s["stack"]) == len(s["time"]) == s["length"] > 0, "samples")
    need(all(map(stack, s["stack"])) and all(map(number, s["time"])), "samples")
    if "threadCPUDelta" in s:
        need(len(s["threadCPUDelta"]) == s["length"] and
             all(isinstance(v, int) and v > 0 for v in s["threadCPUDelta"]),
             "threadCPUDelta")
    need(s["time"] == sorted(s["time"]), "times are not ascending")
    m = table(t, "markers", {
        "data": lambda v: v["type"] in [s["name"] for s in
                                        p["meta"]["markerSchema"]] and
        ("text" not in v or index(v["text"], strings)) and
        ("cause" not in v or index(v["cause"]["stack"], nstacks)),
        "name": lambda v: index(v, strings), "startTime": number,
        "endTime": number, "phase": lambda v: v in (0, 1),
        "category": lambda v: index(v, len(p["meta"]["categories"]))})
    need(all(a <= b for a, b in zip(m["startTime"], m["endTime"])), "markers")


def thread(p, t):
    for key in ("name", "processName", "pid", "processType"):
        need(isinstance(t[key], str), key)
    need(isinstance(t["tid"], int) and isinstance(t["isMainThread"], bool), t)
    need(t["pausedRanges"] == [] and t["registerTime"] == 0 and
         t["processStartupTime"] == 0 and t["unregisterTime"] is None and
         t["processShutdownTime"] is None, "times of a thread")
    stacks(p, t)
    hits(p, t)


# The names of a stack from the outermost on, with their categories.
def path(p, t, stack):
    names = []
    while stack is not None:
        frame = t["stackTable"]["frame"][stack]
        func = t["frameTable"]["func"][frame]
        names.append((p["shared"]["stringArray"][t["funcTable"]["name"][func]],
                      p["meta"]["categories"][
                          t["frameTable"]["category"][frame]]["name"], frame))
        stack = t["stackTable"]["prefix"][stack]
    return names[::-1]


def folded(p):
    labels = {"Incomplete stack": "[incomplete: %s]", "Wait": "[%s]"}
    sums = collections.Counter()
    for t in p["threads"]:
        s = t["samples"]
        for i, stack in enumerate(s["stack"]):
            if stack is not None:
                names = [labels.get(category, "%s") % name
                         for name, category, _ in path(p, t, stack)]
                sums[";".join([t["name"]] + names)] += \
                    s["weight"][i] if s["weight"] else 1
    for stack, n in sorted(sums.items()):
        print(stack, n)


def summary(p):
    categories = collections.Counter()
    for t in p["threads"]:
        m, s = t["markers"], t["samples"]
        seen = [x for x in s["stack"] if x is not None]
        print("thread %s of %s%s: %d samples, %d markers" % (
            t["name"], t["processName"], " (main)" if t["isMainThread"] else "",
            len(seen), m["length"]))
        for stack in seen:
            leaf = path(p, t, stack)[-1]
            line = t["frameTable"]["line"][leaf[2]]
            categories[leaf[0], leaf[1], line is not None] += 1
        for i, name in enumerate(m["name"]):
            strings, data = p["shared"]["stringArray"], m["data"][i]
            print("marker %s %.3f ms: %s; in %s" % (
                strings[name], m["endTime"][i] - m["startTime"][i],
                strings[data["text"]] if "text" in data else "",
                path(p, t, data["cause"]["stack"])[-1][0]
                if "cause" in data else ""))
    for (name, category, hasline), n in categories.most_common():
        print("leaf %s (%s%s) %d" % (name, category,
                                     ", line" if hasline else "", n))
    print("cpu %d ms" % (sum(
        sum(t["samples"].get("threadCPUDelta", [])) for t in p["threads"]) / 1e6))
    print("interval %.2f ms" % p["meta"]["interval"])
    for section in p["meta"]["extra"]:
        for e in section["entries"]:
            print("%s: %d" % (e["label"], e["value"]))


profile = json.load(open(sys.argv[1], encoding="utf-8"))
meta(profile)
mains = [t["pid"] for t in profile["threads"] if t["isMainThread"]]
need(len(mains) == len(set(mains)), "two main threads")
for one in profile["threads"]:
    thread(profile, one)
folded(profile) if len(sys.argv) > 2 else summary(profile)
