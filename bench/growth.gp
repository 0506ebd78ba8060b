# SPDX-License-Identifier: ISC
# Plots the curves of bench/growth.sh.  Parameters: tsv, svg, about.
#
# Three columns (sessions, probes, size), each with the cost on top.  The
# palette is by Okabe and Ito; each curve also has a distinct point.

set terminal svg size 1260,760 font "sans,13" background "white"
set output svg
set datafile separator "\t"
set multiplot layout 2,3 title about margins 0.065,0.98,0.09,0.88 \
    spacing 0.075,0.17
set style line 1 lc rgb "#0072B2" lw 2 pt 7 ps 0.8
set style line 2 lc rgb "#D55E00" lw 2 pt 5 ps 0.8
set style line 3 lc rgb "#009E73" lw 2 pt 9 ps 1.0
set style line 4 lc rgb "#CC79A7" lw 2 pt 13 ps 1.0 dt 2
set style line 9 lc rgb "#dddddd" lw 1
set grid ytics ls 9
set border 3
set tics nomirror
set key left top Left reverse samplen 2 spacing 1.1 font ",12"

# Selects the points of a panel and a series, or of one label.
sel(panel, series) = \
    sprintf("< awk -F '\\t' '$1 == \"%s\" && $2 == \"%s\"' %s", \
    panel, series, tsv)
one(panel, label) = \
    sprintf("< awk -F '\\t' '$1 == \"%s\" && $3 ~ \"%s\"' %s", \
    panel, label, tsv)
below = "^user|^kernel"
above = "^both|^all"

set logscale x 2
set logscale y
set xlabel "opens that record"
set xrange [0.8:80]
set xtics (1, 4, 16, 64)
set yrange [100:60000]
set ylabel "ns added to a call"
set title "Opens: cost"
a = "all record it"
d = "all record it, 64 kB rings"
b = "one does, others: a process"
c = "one does, others: a name"
plot sel("opens-ns", a) using 4:5:6:7 with yerrorlines ls 1 \
        title "all record the call", \
    sel("opens-ns", d) using 4:5:6:7 with yerrorlines ls 4 \
        title "all, rings of 64 kB", \
    sel("opens-ns", b) using 4:5:6:7 with yerrorlines ls 2 \
        title "one; others filter by process", \
    sel("opens-ns", c) using 4:5:6:7 with yerrorlines ls 3 \
        title "one; others filter by name"

set logscale x 10
set xlabel "enabled probes of one open"
set xrange [0.7:1200]
set xtics (1, 10, 100, "all" 764)
unset logscale y
set yrange [0:500]
set ylabel "ns added to a call"
set title "Probes: cost (all: its return is recorded, too)"
plot sel("probes-ns", "a call that is enabled") \
        using 4:5:6:7 with yerrorlines ls 1 title "a call that is enabled", \
    sel("probes-ns", "a call that is not") \
        using 4:5:6:7 with yerrorlines ls 2 title "a call that is not"

unset logscale x
set xlabel "bytes in the ring"
set xrange [20:180]
set xtics autofreq
set logscale y
set yrange [100:20000]
set ylabel "ns added to a call"
set title "Size of the record: cost"
plot sel("size-ns", "values") using 4:5:6:7 with yerrorbars ls 1 \
        title "arguments, return, name", \
    sel("size-ns", "with stacks") using 4:5:6:7 with yerrorbars ls 2 \
        title "stacks too", \
    one("size-ns", above) using 4:5:3 with labels \
        offset 0,0.9 font ",11" notitle, \
    one("size-ns", below) using 4:5:3 with labels \
        offset 0,-0.9 font ",11" notitle

set logscale x 2
set xlabel "opens that record"
set xrange [0.8:80]
set xtics (1, 4, 16, 64)
unset logscale y
set yrange [0:30]
set ylabel "M events/s, all opens together"
set title "Opens: events delivered"
plot sel("opens-rate", a) using 4:5:6:7 with yerrorlines ls 1 \
        title "all record the call", \
    sel("opens-rate", d) using 4:5:6:7 with yerrorlines ls 4 \
        title "all, rings of 64 kB", \
    sel("opens-rate", b) using 4:5:6:7 with yerrorlines ls 2 \
        title "one; others filter by process", \
    sel("opens-rate", c) using 4:5:6:7 with yerrorlines ls 3 \
        title "one; others filter by name"

set logscale x 10
set xlabel "enabled probes of one open"
set xrange [0.7:1200]
set xtics (1, 10, 100, "all" 764)
set logscale y
set yrange [0.05:500]
set ylabel "ms"
set title "Probes: time of a command"
plot sel("probes-ms", "ENABLE of all, and rings") \
        using 4:5:6:7 with yerrorlines ls 1 title "ENABLE of all of them", \
    sel("probes-ms", "RECORD 1") using 4:5:6:7 with yerrorlines ls 2 \
        title "RECORD 1", \
    sel("probes-ms", "RECORD 0") using 4:5:6:7 with yerrorlines ls 3 \
        title "RECORD 0 (waits for a grace period)"

unset logscale x
set logscale y
set xlabel "bytes in the ring"
set xrange [20:180]
set xtics autofreq
set yrange [0.1:20]
set ylabel "M events/s"
set title "Size of the record: events delivered"
plot sel("size-rate", "values") using 4:5:6:7 with yerrorbars ls 1 \
        title "arguments, return, name", \
    sel("size-rate", "with stacks") using 4:5:6:7 with yerrorbars ls 2 \
        title "stacks too", \
    one("size-rate", above) using 4:5:3 with labels \
        offset 0,0.9 font ",11" notitle, \
    one("size-rate", below) using 4:5:3 with labels \
        offset 0,-0.9 font ",11" notitle
unset multiplot
