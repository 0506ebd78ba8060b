# SPDX-License-Identifier: ISC
# Compares the manual pages with the sources, and with --help of the programs.
#
#	manual_check.py TREE CHECK	prints one line per difference
import glob
import os
import re
import subprocess
import sys

TREE = sys.argv[1]
RECORDING = ["run", "trace", "stat", "syscalls", "record", "profile", "offcpu"]
OTHERS = ["list", "top", "where", "report", "diff", "doctor", "kcov"]
TPROF = ["list", "monitor", "count", "analyze", "top"]


def read(path):
    with open(os.path.join(TREE, path), encoding="utf-8") as f:
        return f.read()


def sources(pattern):
    paths = sorted(glob.glob(os.path.join(TREE, pattern), recursive=True))
    return "\n".join(read(os.path.relpath(p, TREE)) for p in paths)


def wrong(text):
    print("WRONG: " + text)


# The text of a macro line as it prints, without most macros.
def unroff(line):
    line = re.sub(r"^\.", "", line)
    line = re.sub(r"\b(It|Ic|Li|Cm|Fl|Ar|Dv|Er|Fn|Fa|Va|Pa|Xr|No|Ns|Ta)\b *",
                  "", line)
    return line.replace("\\-", "-").replace("\\&", "").replace("\\:", "")


# Returns the part of a page from a heading to the next of its kind.
def section(page, heading):
    begin = page.index("\n." + heading) + 1
    ends = [page.find("\n.Sh ", begin)]
    if heading.startswith("Ss"):
        ends.append(page.find("\n.Ss ", begin))
    ends = [e for e in ends if e != -1]
    return page[begin:min(ends)] if ends else page[begin:]


def differ(what, code, page):
    for name in sorted(code - page):
        wrong("%s: %s is missing in the page" % (what, name))
    for name in sorted(page - code):
        wrong("%s: %s is in the page only" % (what, name))


# Constants of C that are numbers.
def constants(text):
    values = {}
    for name, value in re.findall(r"#define\s+(\w+)\s+(.+)", text):
        value = re.sub(r"/\*.*", "", value).strip()
        value = re.sub(r"\b(0x[0-9a-fA-F]+|\d+)[uUlL]*\b", r"\1", value)
        for known in sorted(values, key=len, reverse=True):
            value = re.sub(r"\b%s\b" % known, str(values[known]), value)
        if re.fullmatch(r"[0-9a-fA-Fx()<>*+ -]+", value):
            try:
                values[name] = eval(value)
            except SyntaxError:
                pass
    return values


def number(text):
    m = re.fullmatch(r"(\d+)([kMG]?)", text)
    return int(m[1]) << {"": 0, "k": 10, "M": 20, "G": 30}[m[2]] if m else None


# Options

def help_options(program, *words):
    text = subprocess.run([program, *words, "--help"], text=True,
                          stdout=subprocess.PIPE).stdout
    found = []
    for line in text.splitlines():
        m = re.match(r"  (?:-(\w),?| {3}) +(?:--([a-z][a-z-]*))?", line)
        if m and (m[1] or m[2]):
            found.append((m[1], m[2]))
    if not found:
        wrong("%s: --help has no options" % " ".join([program, *words]))
    return found


# The options of a text: letters and long names.
def page_options(text):
    found = set()
    for line in text.splitlines():
        if not line.startswith("."):
            continue
        line = line.replace("Fl Fl ", "Fl -")
        for part in re.findall(r"\bFl ((?:-?[\w-]+(?: , )?(?:Fl )?)+)", line):
            for word in part.replace("Fl ", "").split(" , "):
                if word.startswith("-"):
                    found.add(word[1:])
                else:
                    found.update(word if len(word) <= 10 else [])
    return found


def common_heads(page):
    text = section(page, "Ss Options of all subcommands")
    return [re.findall(r"Fl (-?[\w-]+)", line) for line in text.splitlines()
            if line.startswith(".It Fl ")]


# The heads of options of one subcommand: names of these, and the options; and
# the text below.
def own_heads(page):
    heads = []
    text = section(page, "Ss Options of one subcommand")
    for part in text.split("\n.It ")[1:]:
        line, body = part.split("\n", 1)
        m = re.match(r"Cm (.*?) : (.*)", line) or re.match(
            r"Cm ([a-z ,]+?)(?: ,)? (?:Cm \w+ )?(Fl .*)", line)
        if m:
            names = re.split(r" , | (?=Fl )", m[1])
            if m[0].count("Cm ") > 1:
                names += re.findall(r", Cm (\w+)", line)
            heads.append((names, re.findall(r"Fl (-?[\w-]+)", m[2])
                          + re.findall(r" , (-[\w-]+)", m[2]), body))
    return heads


def item(page, name):
    begin = page.index("\n.It Cm %s\n" % name)
    return page[begin:page.index("\n.It ", begin + 1)]


def synopsis(page, name):
    text = section(page, "Sh SYNOPSIS")
    return "".join(re.findall(r"\.Nm\n(\.Cm %s\n.*?)(?=\.Nm|\Z)" % name, text,
                              re.S))


def documented(page, name):
    found = {"h", "help"}
    if name in RECORDING:
        for head in common_heads(page):
            found.update(w.lstrip("-") for w in head)
    for names, words, body in own_heads(page):
        if name in names:
            found.update(w.lstrip("-") for w in words)
            found |= page_options(body)
    extra = {"trace": "Ss Calls as strace prints them", "kcov": "Ss kcov",
             "top": "Ss The screen of top"}.get(name)
    if extra:
        found |= page_options(section(page, extra))
    return found | page_options(item(page, name)) | page_options(
        synopsis(page, name))


def check_options():
    page = read("man/dt.1")
    for name in RECORDING + OTHERS:
        options = help_options("dt", name)
        known = documented(page, name)
        names = {w for o in options for w in o if w}
        for letter, long in options:
            if letter not in known and long not in known:
                wrong("dt.1: option %s of dt %s" % (long or letter, name))
        heads = [w for n, w, _ in own_heads(page) if name in n]
        if name in RECORDING:
            heads += common_heads(page)
        for head in heads:
            for word in head:
                if word.lstrip("-") not in names | {""}:
                    wrong("dt.1: dt %s has no option %s" % (name, word))
    known = page_options(section(page, "Ss tprof") + section(
        page, "Sh SYNOPSIS")) | {"h", "help"}
    for name in TPROF:
        for letter, long in help_options("dt", "tprof", name):
            if letter not in known and long not in known:
                wrong("dt.1: option %s of dt tprof %s" % (long, name))
    for program, path in (("dtd", "man/dtd.8"),
                          ("dt-exporter", "man/dt-exporter.8")):
        known = page_options(read(path))
        for letter, long in help_options(program):
            if (long or letter) not in known or (letter or long) not in known:
                wrong("%s: option %s" % (path, long or letter))


# Messages

# Impossible, or of the programmer.
NEVER = {"%s/%s: path is too long", "too many settings"}


def messages():
    text = sources("daemon/**/*.c")
    calls = re.findall(r"\b(log_warnx?|log_notice|log_info|fatalx?|errx)\("
                       r"\s*(?:\d, *)?\s*"
                       r"((?:\"(?:[^\"\\]|\\.)*\"|[A-Z_]+|\s)+)[,)]", text)
    for function, args in calls:
        parts = re.findall(r"\"(?:[^\"\\]|\\.)*\"|[A-Z_]+", args)
        form = "".join(p[1:-1] if p[0] == '"' else "%s" for p in parts)
        yield form + (": %s" if function in ("log_warn", "fatal") else "")


CONVERSION = r"%[-.0-9]*(?:ll|l|z)?[a-z]"


# A form as a regular expression.
def expression(form):
    return ".*".join(re.escape(p.replace("%%", "%"))
                     for p in re.split(CONVERSION, form))


def check_messages():
    page = section(read("man/dtd.8"), "Sh DIAGNOSTICS")
    shown = re.findall(r'^\.It "(.*)"$', page, re.M)
    forms = sorted(set(messages()) - NEVER)
    if len(forms) < 50 or len(shown) < 50:
        wrong("%d messages in the sources, %d in the page"
              % (len(forms), len(shown)))
    for form in forms:
        if not any(re.fullmatch(expression(form), m) for m in shown):
            wrong("dtd.8: message %s" % form)
    # a form such as "%s: %s" matches anything
    special = [f for f in forms
               if len(re.findall(r"[a-z]", re.sub(CONVERSION, "", f))) > 4]
    for message in shown:
        if not re.match(r"[A-Z]+(:[A-Z]+)*: ", message) and not any(
                re.fullmatch(expression(f), message) for f in special):
            wrong("dtd.8: there is no message %s" % message)


# Settings

def check_settings():
    page = section(read("man/dtd.conf.5"), "Sh SETTINGS")
    conf = read("daemon/base/conf.c")
    limit = read("daemon/access/limit.c")
    rows = re.findall(r'\bCONF\("([a-z-]+)",\s*(\w+),\s*conf\.(\w+),(.*?)\),\n',
                      conf, re.S)
    limits = re.findall(r'CONF_LIMIT\("([a-z-]+)", (\w+)', limit)
    keys = {r[0] for r in rows} | {"allow", "monitor"} | {n for n, _ in limits}
    shown = {}
    for text in page.split("\n.It Ic ")[1:]:
        head, body = text.split("\n", 1)
        for name in head.split(" , "):
            shown[name] = body
    differ("dtd.conf.5", keys | {"ring-bytes-user"}, set(shown))

    at_once = re.search(r"change at once.*?suffix", read("man/dtd.conf.5"),
                        re.S)[0]
    at_once = {w for line in re.findall(r"^\.Ic (.*)$", at_once, re.M)
               for w in line.replace(",", " ").split()}
    differ("dtd.conf.5, Reload",
           {r[0] for r in rows if "CONF_RELOAD" in r[3]} | {"allow"}, at_once)

    values = dict(re.findall(r"\.(cf_\w+) = (.*?),\n",
                             conf[conf.index("struct conf conf"):]))
    for key, kind, field, _ in rows:
        value = re.sub(r"[UL]+\b", "", values.get(field, "0"))
        text = unroff(shown[key].replace("\n.Pa ", " ").replace("\n.Cm ", " "))
        m = re.search(r"default(?: is|,)? (/\S+|[0-9.]+[kMG]?)(?=[ .;,\n]|$)",
                      text)
        if value[0] == '"' and value[1] == "/":
            ok = m is not None and m[1] == value[1:-1]
        elif kind == "conf_percent" and value != "CONF_UNSET":
            ok = value == "0" and "0, the default" in text or (
                m is not None and float(m[1].rstrip(".")) * 1e4 == eval(value))
        elif kind in ("conf_bytes", "conf_seconds", "conf_pairs",
                      "conf_processes"):
            ok = m is not None and number(m[1].rstrip(".")) == eval(value)
        elif kind == "conf_bool":
            ok = re.search(r"(yes|no)\s\(default\)", text) is not None and \
                re.search(r"(yes|no)\s\(default\)", text)[1] == (
                    "yes" if value == "1" else "no")
        else:
            continue
        if not ok:
            wrong("dtd.conf.5: default of %s is %s" % (key, value))

    table = {m[0]: m[1:] for m in re.findall(
        r"^\.It Ic ([a-z-]+) Ta (\w+) Ta (\w+) Ta Er (\w+) Ta",
        read("man/dtd.8"), re.M)}
    known = constants(read("bpf/dt_cond_table.h"))
    maxima = dict(re.findall(r'\[(LIMIT_\w+)\] = \{ ([^"]*?) \},', limit))
    errors = dict(re.findall(
        r'\[(LIMIT_\w+)\] = \{ "[^"]*", "[^"]*",\s*(\w+) \}', limit))
    differ("dtd.8, LIMITS", {n for n, _ in limits}, set(table))
    for name, what in limits:
        code = [int(eval(re.sub(r"(\d)ULL", r"\1", v).replace("/", "//"),
                         dict(known))) for v in maxima[what].split(", ")]
        if name in table and (code != [number(v) for v in table[name][:2]]
                              or errors[what] != table[name][2]):
            wrong("dtd.8: limits of %s are %s, %s" % (name, code, errors[what]))


# Structs and commands

def members(body, known):
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    body = re.sub(r"\b__(?:s|(u))(\d+) ",
                  lambda m: "%sint%s_t " % (m[1] or "", m[2]), body)
    body = re.sub(r"\b[A-Z_]+\b(?=\])", lambda m: str(known.get(m[0], m[0])),
                  body)
    return [re.sub(r"\s*([*\[\]])\s*", r"\1", " ".join(m.split()))
            for m in body.split(";") if m.strip()]


STRUCT = r"^struct (\w+) \{\n(.*?)^\};"
# The page shows a part of a union, and a struct in another.
SHORT = {"dt_evt", "dtioc_req_v1"}


def check_structs():
    headers = sources("include/**/*.h")
    known = constants(headers)
    code = {n: members(b, known) for n, b in
            re.findall(STRUCT, headers, re.M | re.S)}
    shown = 0
    for path in ("man/dt.4", "man/libdt.3"):
        page = read(path)
        for name, body in re.findall(STRUCT, page, re.M | re.S):
            shown += 1
            if name not in SHORT and members(body, known) != code.get(name):
                wrong("%s: struct %s is %s" % (path, name, code.get(name)))
        if path == "man/dt.4":
            for name in code:
                if name.startswith("dtioc_") and "struct %s" % name not in page:
                    wrong("%s: struct %s" % (path, name))
    if shown < 30:
        wrong("%d structs in the pages" % shown)


def rights_of_code():
    rows = re.findall(r"\{ (DTIOC\w+), ([A-Z_| ]+),", read(
        "daemon/dt/dt_ioctl.c"))
    return {n: {r.strip().replace("RIGHT_", "") for r in v.split("|")}
            for n, v in rows}


def rights_of_page():
    text = section(read("man/dt.4"), "Sh RIGHTS")
    rights = {}
    table, rest = text.split(".El\n", 1)
    for row in table.split("\n.It ")[1:]:
        for name in re.findall(r"DTIOC\w+", row):
            rights.setdefault(name, set()).add(row.split(" ")[0])
    rest = rest[:rest.index("require one of")]
    for name in re.findall(r"DTIOC\w+", rest):
        rights.setdefault(name, set()).add("TRACE")
    rights.get("DTIOCGFULLSTAT", set()).discard("STATS") # some fields
    return rights


def rights_of_protocol():
    rows = re.findall(r"^\| 0x[0-9a-f]+ \| (DTIOC\w+) \|.*\| ([^|]+) \|$",
                      read("PROTOCOL.md"), re.M)
    return {n: {r.replace("trace", "TRACE") for r in v.strip().split(" or ")}
            for n, v in rows}


def check_commands():
    for path, header, names in (
            ("man/dt.4", "include/dev/dt/dtvar.h", r"DTIOC\w+"),
            ("man/tprof.4", "include/dev/tprof/tprof_ioctl.h",
             r"TPROF_IOC_\w+"),
            ("man/kcov.4", "include/sys/kcov.h", r"KIO[A-Z]+")):
        defined = set(re.findall(r"#define (%s)\s+DT_IO" % names,
                                 read(header)))
        items = re.findall(r"^\.It Dv (.*)$", read(path), re.M)
        shown = {n for i in items for n in re.findall(names, i)}
        differ(path, defined, shown)
    code = rights_of_code()
    for what, shown in (("dt.4, RIGHTS", rights_of_page()),
                        ("PROTOCOL.md", rights_of_protocol())):
        differ(what, set(code), set(shown))
        for name in sorted(set(code) & set(shown)):
            if code[name] != shown[name]:
                wrong("%s: %s requires %s" % (what, name, " or ".join(
                    sorted(code[name]))))


# Metrics, and words of scripts

def check_metrics():
    page = section(read("man/dt-exporter.8"), "Sh METRICS")
    globs = [g for line in re.findall(r"^\.It (dt_.*)$", page, re.M)
             for g in line.split(" , ")]
    names = set(re.findall(r'"(dt_[a-z_]+)"', read("exporter/metrics.c")))
    names |= set(re.findall(r"# TYPE (dt_\w+)", read("exporter/defined.c")))
    for name in sorted(names):
        if not any(re.fullmatch(g.replace("*", "\\w+"), name) for g in globs):
            wrong("dt-exporter.8: metric %s" % name)
    for g in globs:
        if not any(re.fullmatch(g.replace("*", "\\w+"), n) for n in names):
            wrong("dt-exporter.8: there is no metric %s" % g)


def check_scripts():
    page = read("man/bt.5")
    words = set(re.findall(r"\w+", page))
    names = set(re.findall(r'(?:VOID|VALUE|AGG|REFUSED)\("(\w+)"',
                           read("cli/script/script_func.c")))
    names |= set(re.findall(r'^\t\{ "(\w+)", ST_',
                            read("cli/script/script_builtin.c"), re.M))
    for row in re.findall(r'^\t\{ "(\w+)", "(\w+)", target_(\w+)',
                          read("cli/script/script_target.c"), re.M):
        names |= set(row[:2]) if row[2] != "refused" else set()
    if len(names) < 60:
        wrong("%d names in the sources" % len(names))
    for name in sorted(names - words):
        wrong("bt.5: %s" % name)


{"options": check_options, "messages": check_messages,
 "settings": check_settings, "structs": check_structs,
 "commands": check_commands, "metrics": check_metrics,
 "scripts": check_scripts}[sys.argv[2]]()
