# SPDX-License-Identifier: ISC
# The manual pages and PROTOCOL.md agree with the sources and the programs.

NAME	dt.1 has the options of each subcommand, and no others
NEEDS	dt.1 python3
RUN	python3 $S/tests/run/manual_check.py $S options
NOOUT	WRONG
NOERR	.

NAME	dtd.8 has every message of dtd
NEEDS	dt.1 python3
RUN	python3 $S/tests/run/manual_check.py $S messages
NOOUT	WRONG
NOERR	.

NAME	dtd.conf.5 has every setting with its default, and dtd.8 every limit
NEEDS	dt.1 python3
RUN	python3 $S/tests/run/manual_check.py $S settings
NOOUT	WRONG
NOERR	.

NAME	dt.4 and libdt.3 have the structs of the headers
NEEDS	dt.1 python3
RUN	python3 $S/tests/run/manual_check.py $S structs
NOOUT	WRONG
NOERR	.

NAME	the pages of the devices have every command, and PROTOCOL.md its rights
NEEDS	dt.1 python3
RUN	python3 $S/tests/run/manual_check.py $S commands
NOOUT	WRONG
NOERR	.

NAME	dt-exporter.8 has every metric
NEEDS	dt.1 python3
RUN	python3 $S/tests/run/manual_check.py $S metrics
NOOUT	WRONG
NOERR	.

NAME	bt.5 has every function, value and probe of scripts
NEEDS	dt.1 python3
RUN	python3 $S/tests/run/manual_check.py $S scripts
NOOUT	WRONG
NOERR	.
