# SPDX-License-Identifier: ISC
# Limits: what a user, and all together, may have at once.  A refusal names the
# limit and the setting; what is given back may be taken again.  root is under
# the limits of all only.

NAME	opens of a user: EMFILE names the setting, and one that ends makes room
CORE
NEEDS	root nonroot
SERVICE	opens-user = 2
ASK	open; B: open; C: open; as 65534; D: open; E: open; F: open; error;
	D: close; F: open; G: open
EXPECT	0 0 0 0 0 0 EMFILE * 0 0 EMFILE
ERR	no 1 more opens: user 65534 has 2 of 2: setting opens-user

NAME	opens of all, root's too
NEEDS	root
SERVICE	opens = 2
ASK	open; B: open; C: open; error
EXPECT	0 0 EMFILE *
ERR	no 1 more opens: all users together have 2 of 2: setting opens$
