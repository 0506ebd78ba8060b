// SPDX-License-Identifier: ISC
// The page of a profile.  Its data are a tree of stacks merged from the root:
// for each node its depth, its frame, and the weight of the stacks that end
// there, for each value; of two profiles also the weight in the older one.  A
// node precedes its children, of which the heaviest by the first value is the
// first.  If the threads and times of hits are known, they are a list for each
// value and thread: times in microseconds, each since the one before, and the
// nodes of the tree.  Long lists of numbers are text, see unpack().
// Names are untrusted: they become text, never markup.
'use strict';

document.addEventListener('DOMContentLoaded', function () {

const ROW = 18;			// pixels
const ROWS_MAX = 1500;		// a canvas has at most 32,767 pixels
const TABLE_MAX = 500;		// functions that the table shows
const TIME_MAX = 3e6;		// nodes of a graph by time
const NAME_MAX = 1000;		// characters of a name that the page shows
const KINDS = ['function', 'kernel', 'generated code', 'no name', 'process',
    'wait', 'incomplete'];
const INLINED = 8;		// in the kind of a frame
// Okabe and Ito's colours, which differ for all kinds of colour vision.
const SAFE = ['#56b4e9', '#e69f00', '#009e73', '#bbbbbb', '#f0e442', '#cc79a7',
    '#999999', '#0f9ad0'];
const WARM = ['#ffb35c', '#ff8c42', '#f2c14e', '#bfbfbf', '#e8e4da', '#c9b6e4',
    '#a9a9a9', '#ffd08a'];

const $ = id => document.getElementById(id);

// Numbers of text: digits of five bits, the lowest first, in the alphabet of
// base64; a sixth bit marks all but the last one of a number.
const DIGITS = new Uint8Array(128);

[...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].forEach(
    (c, i) => DIGITS[c.charCodeAt(0)] = i);

function unpack(text, Type) {
	const list = new Type(text.length);
	let n = 0, v = 0, scale = 1;

	for (let i = 0; i < text.length; i++) {
		const digit = DIGITS[text.charCodeAt(i)];

		v += (digit & 31) * scale;
		scale *= 32;
		if (digit < 32) {
			list[n++] = v;
			v = 0;
			scale = 1;
		}
	}
	return list.subarray(0, n);
}

const data = JSON.parse($('data').textContent);

if (data.before !== undefined)
	data.before = unpack(data.before, Float64Array);
const isDiff = data.before !== undefined;
const [strings, fName, fModule, fKind] = [data.strings, data.names,
    data.modules, data.kinds];
const canvas = $('graph'), ctx = canvas.getContext('2d');

// --- functions ---------------------------------------------------------------

// Threads are frames of their own, in graphs by time.
const threadFrame = fName.length;

for (const [pid, tid, name] of data.threads || []) {
	fName.push(strings.push(strings[name] + ' ' + (pid === tid ? pid :
	    pid + '/' + tid)) - 1);
	fModule.push(-1);
	fKind.push(4);
}

// Frames of one function differ in whether it was inlined.
const funcs = [], funcOf = new Int32Array(fName.length);

(function () {
	const known = new Map();

	for (let f = 0; f < fName.length; f++) {
		const key = fName[f] + ' ' + fModule[f] + ' ' + (fKind[f] & 7);
		let id = known.get(key);

		if (id === undefined) {
			id = funcs.length;
			known.set(key, id);
			funcs.push({ name: strings[fName[f]],
			    module: fModule[f] < 0 ? '' : strings[fModule[f]],
			    kind: fKind[f] & 7, self: 0, total: 0, was: 0,
			    hit: false });
		}
		funcOf[f] = id;
	}
}());

// Where in the source a node of the data is, by the heaviest line.
const places = new Map();

for (let i = 0; i < data.places.length; i += 4)
	places.set(data.places[i], i + 1);

function place(t, i) {
	const p = places.get(t.origin ? t.origin[i] : i);

	if (p === undefined)
		return '';
	const line = data.places[p + 1], others = data.places[p + 2];

	return strings[data.places[p]] + (line > 0 ? ':' + line : '') +
	    (others > 0 ? ' and ' + others + ' other line' +
		(others > 1 ? 's' : '') : '');
}

// --- trees -------------------------------------------------------------------

// Parents follow from the depths, as each node precedes its children.
const nodes = (function () {
	const depth = unpack(data.depths, Uint16Array), parent =
	    new Int32Array(depth.length), last = [];
	const frame = unpack(data.frames, Int32Array);

	for (let i = 0; i < depth.length; i++) {
		parent[i] = i > 0 ? last[depth[i] - 1] : -1;
		last[depth[i]] = i;
		frame[i]--;	// 0: none
	}
	return { n: depth.length, parent: parent, depth: depth, frame: frame };
}());

// A tree is arrays by node; kids are linked lists, in the order of drawing.
// x: the arrays of its nodes, of which parent, frame and self are needed;
// isOrdered: a node's kids and theirs follow it, in this order.  Arrays of
// millions of nodes take most of the time in which a page opens, so there are no
// more of them than needed.
function tree(x, isOrdered) {
	const n = x.parent.length, t = Object.assign({ n: n,
	    total: x.self instanceof Uint32Array ? x.self.slice() :
		new Float64Array(x.self),
	    was: isDiff ? new Float64Array(x.before) : null,
	    first: null, next: new Int32Array(n) }, x);

	for (let i = n - 1; i > 0; i--) {
		t.total[t.parent[i]] += t.total[i];
		if (isDiff)
			t.was[t.parent[i]] += t.was[i];
	}
	if (!t.depth) {
		t.depth = new Int32Array(n);
		for (let i = 1; i < n; i++)
			t.depth[i] = t.depth[t.parent[i]] + 1;
	}
	if (isOrdered)
		link(t);
	else
		arrange(t);
	return t;
}

// Links the kids of each node in the order of the nodes.
function link(t) {
	const after = [];	// by depth, as the node's next

	for (let i = t.n - 1; i >= 0; i--) {
		const d = t.depth[i], next = after[d];

		t.next[i] = next === undefined ? -1 : next;
		after[d] = i;
		after[d + 1] = -1;
	}
}

// The first kid of a node, or -1.
function kid(t, i) {
	if (t.first !== null)
		return t.first[i];
	return i + 1 < t.n && t.parent[i + 1] === i ? i + 1 : -1;
}

// Orders the kids of each node: the heaviest first, or by name.
function arrange(t) {
	const end = new Int32Array(t.n + 1), kids = new Int32Array(t.n);
	const compare = state.o === 'name'
	    ? (a, b) => name(t, a) < name(t, b) ? -1 :
		name(t, a) > name(t, b) ? 1 : a - b
	    : (a, b) => t.total[b] - t.total[a] || a - b;

	for (let i = 1; i < t.n; i++)	// the end of each node's kids in kids
		end[t.parent[i]]++;
	for (let i = 1; i < t.n; i++)
		end[i] += end[i - 1];
	for (let i = t.n - 1; i > 0; i--)
		kids[--end[t.parent[i]]] = i;	// then the beginning
	end[t.n] = t.n - 1;
	t.next.fill(-1);
	t.first = new Int32Array(t.n);
	for (let i = 0; i < t.n; i++) {
		const from = end[i], to = i + 1 < t.n ? end[i + 1] : t.n - 1;

		if (to - from > 1)
			kids.subarray(from, to).sort(compare);
		t.first[i] = from < to ? kids[from] : -1;
		for (let k = from; k < to; k++)
			t.next[kids[k]] = k + 1 < to ? kids[k + 1] : -1;
	}
}

function name(t, i) {
	return i === 0 && t.frame[0] < 0 ? 'all' : strings[fName[t.frame[i]]];
}

// Builds a tree from paths: add() returns the kid of a node for a frame.
function builder(root) {
	const x = { parent: [-1], frame: [root], self: [0], before: [0],
	    origin: [-1] };
	const known = new Map();

	return { self: x.self, before: x.before,
		add(at, f, origin) {
			const key = at * funcs.length + funcOf[f];
			let k = known.get(key);

			if (k === undefined) {
				k = x.parent.length;
				known.set(key, k);
				x.parent.push(at);
				x.frame.push(f);
				x.self.push(0);
				x.before.push(0);
				x.origin.push(origin);
			}
			return k;
		},
		tree: () => tree(x) };
}

// The parts of the data's tree that have a weight, or are of one process.
function prune(self, process) {
	const map = new Int32Array(nodes.n).fill(-1), x = { parent: [-1],
	    frame: [-1], self: [0], before: [0], origin: [0] };
	const used = new Uint8Array(nodes.n);

	for (let i = nodes.n - 1; i > 0; i--)
		if (used[i] || self[i] > 0 || (isDiff && data.before[i] > 0))
			used[i] = used[nodes.parent[i]] = 1;
	for (let i = 1; i < nodes.n; i++) {
		const p = nodes.parent[i];

		if (!used[i] || (p === 0 ? process !== '' &&
		    strings[fName[nodes.frame[i]]] !== process : map[p] < 0))
			continue;
		map[i] = x.parent.length;
		x.parent.push(p === 0 ? 0 : map[p]);
		x.frame.push(nodes.frame[i]);
		x.self.push(self[i]);
		x.before.push(isDiff ? data.before[i] : 0);
		x.origin.push(i);
	}
	return tree(x);
}

// --- threads and times -------------------------------------------------------

let hits = null;		// the data, when first needed

// The lists of hits of a value, of one thread (-1: all).
function runs(value, thread) {
	if (hits === null)
		hits = $('hits') ? JSON.parse($('hits').textContent) : [];
	const list = (hits[value] || []).filter(r => thread < 0 ||
	    r.thread === thread);

	for (const r of list)
		if (typeof r.nodes === 'string') {
			r.times = unpack(r.times, Float64Array);
			r.nodes = unpack(r.nodes, Int32Array);
			r.weights = r.weights && unpack(r.weights, Float64Array);
		}
	return list;
}

// The weights of the data's nodes.  Hits that the page lists are few.
function selfOf(value) {
	const u = data.values[value];

	if (typeof u.self === 'string')
		u.self = unpack(u.self, u.isvalue || u.threads.length === 0 ?
		    Float64Array : Uint32Array);
	return u.self;
}

function weightsOf(list) {
	const self = new Float64Array(nodes.n);

	for (const r of list)
		r.nodes.forEach((i, k) =>
		    self[i] += r.weights ? r.weights[k] : 1);
	return self;
}

// A graph by time: a node for each stretch in which its function did not
// change.  With several threads, each has its own part of the graph.
function byTime(list, process) {
	const x = { parent: [-1], frame: [-1], self: [0], origin: [0],
	    from: [0], to: [0] };
	let cut = 0;

	function add(at, frame, origin, time) {
		x.frame.push(frame);
		x.self.push(0);
		x.origin.push(origin);
		x.from.push(time);
		x.to.push(time);
		return x.parent.push(at) - 1;
	}
	function run(r) {
		let time = 0, open = [], root = 0;	// open: [origin, node]

		if (list.length > 1)
			root = add(0, threadFrame + r.thread, -1, 0);
		r.nodes.forEach((leaf, k) => {
			const path = [];
			let at = root, d = 0;

			time += r.times[k];
			for (let i = leaf; i > 0; i = nodes.parent[i])
				path.push(i);
			path.reverse();
			if (process !== '' && strings[fName[nodes.frame[
			    path[0]]]] !== process)
				return;
			if (x.parent.length > TIME_MAX) {
				cut++;
				return;
			}
			for (; d < path.length && d < open.length &&
			    open[d][0] === path[d]; d++)
				x.to[at = open[d][1]] = time;
			open.length = d;
			for (; d < path.length; d++) {
				at = add(at, nodes.frame[path[d]], path[d], time);
				open.push([path[d], at]);
			}
			x.self[at] += r.weights ? r.weights[k] : 1;
		});
	}
	list.forEach(run);
	return Object.assign(tree(x, true), { cut: cut });
}

// Callees of a function, and its callers from it outwards.
function around(t, func) {
	let root = -1;
	const inside = new Int32Array(t.n).fill(-1);	// node among the callees

	for (let f = 0; f < fName.length && root < 0; f++)
		if (funcOf[f] === func)
			root = f;
	const down = builder(root), up = builder(root), origin = i =>
	    t.origin ? t.origin[i] : i;

	for (let i = 1; i < t.n; i++) {
		const p = t.parent[i];

		if (inside[p] >= 0)
			inside[i] = down.add(inside[p], t.frame[i], origin(i));
		else if (funcOf[t.frame[i]] === func) {
			let at = inside[i] = 0;

			for (let a = p; a > 0; a = t.parent[a])
				at = up.add(at, t.frame[a], origin(a));
			up.self[at] += t.total[i];
			up.before[at] += isDiff ? t.was[i] : 0;
		}
		if (inside[i] >= 0) {
			down.self[inside[i]] += t.self[i];
			down.before[inside[i]] += isDiff ? t.before[i] : 0;
		}
	}
	return { up: up.tree(), down: down.tree() };
}

// Self and total weight of each function; recursive calls count once.  Each node
// precedes its kids.
function count(t) {
	const n = funcs.length, self = new Float64Array(n);
	const total = new Float64Array(n), was = new Float64Array(n);
	const open = new Int32Array(n), above = [];	// functions by depth
	let d = 0;

	for (let i = 1; i < t.n; i++) {
		const fn = funcOf[t.frame[i]];

		for (; d >= t.depth[i]; d--)
			open[above[d]]--;
		above[++d] = fn;
		self[fn] += t.self[i];
		if (isDiff)
			was[fn] += t.before[i];
		if (open[fn]++ === 0)
			total[fn] += t.total[i];
	}
	funcs.forEach((fn, i) =>
	    [fn.self, fn.total, fn.was] = [self[i], total[i], was[i]]);
}

// --- text --------------------------------------------------------------------

function number(v) {
	return Math.round(v).toLocaleString('en');
}

function value(v) {
	const times = [['s', 1e9], ['ms', 1e6], ['\u00b5s', 1e3]];
	const sizes = [['GB', 2 ** 30], ['MB', 2 ** 20], ['kB', 2 ** 10]];

	if (!unit.istime && !unit.isbytes)
		return number(v) + (unit.isvalue ? '' : ' ' + unit.what);
	for (const [name, n] of unit.istime ? times : sizes)
		if (v >= n)
			return (v / n).toPrecision(4) + ' ' + name;
	return v + (unit.istime ? ' ns' : ' bytes');
}

// A name of any length without hiding the rest of the page.
function shorten(s) {
	return s.length <= NAME_MAX ? s : s.slice(0, NAME_MAX - 100) +
	    '\u2026' + s.slice(-100);
}

function share(v, all) {
	return all > 0 ? (100 * v / all).toFixed(2) + ' %' : '';
}

function describe(t, i) {
	const f = t.frame[i], all = tree0.total[0];
	const fn = f < 0 ? null : funcs[funcOf[f]];
	const title = shorten(name(t, i)) + ': ' + share(t.total[i], all);
	let s = title + ', ' + value(t.total[i]) + ', itself ' +
	    value(t.self[i]);

	if (t === trees.up)	// ends of paths are outermost callers
		s = title + ', ' + value(t.total[i]);
	if (isDiff)
		s = title + ', before ' + share(t.was[i], tree0.was[0]);
	if (fn && fn.module)
		s += ' \u00b7 ' + fn.module;
	if (fn && fKind[f] & INLINED)
		s += ' \u00b7 inlined';
	if (place(t, i))
		s += ' \u00b7 ' + place(t, i);
	if (t.from && i > 0)
		s += ' \u00b7 ' + (t.from[i] / 1e6).toFixed(6) + ' to ' +
		    (t.to[i] / 1e6).toFixed(6) + ' s';
	return s;
}

// --- state -------------------------------------------------------------------

// It is in the address, so that the browser's history has each view.
// v: value; z: zoomed node; f: function in focus; p: process; t: thread; q:
// search; o: order; u: upwards; c: colours.
const defaults = { v: '0', z: '0', f: '', p: '', t: '', q: '', o: 'heavy',
    u: '', c: isDiff ? 'change' : 'module' };
let state = Object.assign({}, defaults);
let unit = data.values[0];	// the value
let tree0;			// of the selected process or thread
let trees = {};			// those drawn: down, and in focus up
let zoomed = 0, current = { t: null, i: 0 };
let rows = [];			// for the pointer: { y, list }

function parse() {
	const q = new URLSearchParams(location.hash.slice(1));

	return Object.fromEntries(Object.keys(defaults).map(k =>
	    [k, q.has(k) ? q.get(k) : defaults[k]]));
}

function go(change, replace) {
	const q = new URLSearchParams();
	const want = Object.assign({}, state, change);

	for (const k of Object.keys(defaults))
		if (want[k] !== defaults[k])
			q.set(k, want[k]);
	if (replace) {
		history.replaceState(null, '', '#' + q);
		show();
	} else if ('#' + q === (location.hash || '#'))
		show();
	else
		location.hash = '#' + q;	// calls show()
}

// The tree of the value, of the process or the thread, heaviest first or by
// name; the functions are counted in it.
function select(value) {
	const self = state.t === '' ? selfOf(value) :
	    weightsOf(runs(value, +state.t));
	const isWhole = state.t === '' && state.p === '' && value === 0;
	const t = isWhole ? tree(Object.assign({ self: self,
	    before: data.before }, nodes), state.o !== 'name') :
	    prune(self, state.p);

	count(t);
	return t;
}

function show() {
	const old = state;
	const first = tree0 === undefined;

	state = parse();
	const isOther = first || ['v', 'p', 't', 'o'].some(k =>
	    state[k] !== old[k]);

	if (isOther) {
		const value = data.values[+state.v] ? +state.v : 0;

		unit = data.values[value];
		tree0 = select(value);
		if (state.o === 'time')
			tree0 = byTime(runs(value, state.t === '' ? -1 :
			    +state.t), state.p);
		trees = {};
	}
	if (!trees.down || state.f !== old.f) {
		const func = state.f === '' ? NaN : +state.f;

		trees = funcs[func] ? around(tree0, func) : { down: tree0 };
		current = { t: trees.down, i: 0 };
	}
	zoomed = trees.down.n > +state.z && +state.z > 0 ? +state.z : 0;
	if (current.t === trees.down && zoomed !== 0)
		current.i = zoomed;
	if (isOther || state.q !== old.q) {
		find();
		table();
	}
	if (isOther || state.c !== old.c)
		legend();
	if (isOther)
		threads();
	controls();
	path();
	draw();
	tell(current.t, current.i);
	if (state.f !== old.f || state.u !== old.u || state.z !== old.z)
		reveal();
}

// Scrolls the current box into the window, below the controls.
function reveal() {
	const y = rows.findIndex(isCurrent) * ROW +
	    canvas.getBoundingClientRect().top;

	if (y < $('bar').offsetHeight || y > window.innerHeight - 2 * ROW)
		window.scrollBy(0, y - window.innerHeight / 2);
}

// --- search ------------------------------------------------------------------

let found = 0;

function find() {
	let re = null;

	if (state.q !== '')
		try {
			re = new RegExp(state.q, 'i');
		} catch (e) {	// not an expression yet: its text
			re = new RegExp(state.q.replace(/[^\w\s]/g, '\\$&'), 'i');
		}
	for (const fn of funcs)
		fn.hit = re !== null && re.test(fn.name);
	found = 0;
	const inside = new Uint8Array(re === null ? 0 : tree0.n);

	for (let i = 1; i < inside.length; i++) {
		inside[i] = inside[tree0.parent[i]];
		if (!inside[i] && funcs[funcOf[tree0.frame[i]]].hit) {
			inside[i] = 1;
			found += tree0.total[i];
		}
	}
	$('found').textContent = re === null ? '' :
	    share(found, tree0.total[0]) + ' match';
}

// --- colours -----------------------------------------------------------------

function hue(text) {
	let h = 5381;

	for (let i = 0; i < text.length; i++)
		h = (h * 33 + text.charCodeAt(i)) % 360;
	return h;
}

const isDark = () => document.documentElement.classList.contains('dark');

function moduleColour(fn) {
	if (fn.kind === 1)
		return '#ffb35c';
	if (fn.kind >= 3 || fn.module === '')
		return WARM[fn.kind];
	return 'hsl(' + hue(fn.module) + ',55%,75%)';
}

// Orange: the share has grown; blue: it has shrunk; by up to 10 points.
function changeColour(t, i) {
	const change = t.total[i] / tree0.total[0] - t.was[i] / tree0.was[0];
	const part = Math.min(Math.sqrt(Math.abs(change) / 0.1), 1);

	return 'hsl(' + (change > 0 ? 25 : 210) + ',' + 90 * part + '%,' +
	    (88 - 30 * part) + '%)';
}

function colour(t, i) {
	const f = t.frame[i], fn = f < 0 ? null : funcs[funcOf[f]];

	if (state.c === 'change' && isDiff)
		return changeColour(t, i);
	if (fn === null)
		return WARM[4];
	if (state.c === 'module')
		return moduleColour(fn);
	return (state.c === 'safe' ? SAFE : WARM)[fKind[f] & INLINED &&
	    fn.kind === 0 ? 7 : fn.kind];
}

function legend() {
	const box = $('legend'), sums = new Map();

	box.textContent = '';
	if (state.c === 'change' && isDiff)
		box.textContent = 'orange: a larger share than before; blue: ' +
		    'a smaller one';
	for (const fn of state.c === 'change' ? [] : funcs) {
		if (fn.total === 0)
			continue;
		const text = state.c === 'module' && fn.kind < 3
		    ? fn.module.slice(fn.module.lastIndexOf('/') + 1) ||
			KINDS[fn.kind]
		    : KINDS[fn.kind];
		const was = sums.get(text) || { sum: 0, c: state.c === 'module'
		    ? moduleColour(fn)
		    : (state.c === 'safe' ? SAFE : WARM)[fn.kind] };

		was.sum += fn.self;
		sums.set(text, was);
	}
	if (state.c !== 'module' && !isDiff && fKind.some(k => k & INLINED))
		sums.set('inlined', { sum: 0,
		    c: (state.c === 'safe' ? SAFE : WARM)[7] });
	[...sums].sort((a, b) => b[1].sum - a[1].sum).slice(0, 12)
	    .forEach(([text, was]) => {
		const span = box.appendChild(document.createElement('span'));

		span.appendChild(document.createElement('i')).style.background =
		    was.c;
		span.append(text + (was.sum > 0 ? ' ' +
		    share(was.sum, tree0.total[0]) : ''));
	});
}

// --- drawing -----------------------------------------------------------------

let charWidth = 7.2;

// The nodes of a tree from one node on, by row.  Of those that are narrower than a
// pixel there is one per pixel; narrower ones are left out.
function layout(t, root, width) {
	const list = [], scale = width / (t.total[root] || 1);
	const todo = [root], from = [0];	// where each begins, as weight

	while (todo.length > 0) {
		const i = todo.pop(), d = t.depth[i] - t.depth[root];
		let at = from.pop();

		if (d >= ROWS_MAX)
			continue;
		(list[d] = list[d] || []).push({ i: i, t: t,
		    x: at * scale, w: t.total[i] * scale });
		let column = -1;	// of the last narrow one

		for (let k = kid(t, i); k >= 0; k = t.next[k]) {
			const w = t.total[k] * scale;
			const x = Math.floor(at * scale);

			if (w >= 1 || (w >= 0.4 && x !== column)) {
				todo.push(k);
				from.push(at);
				column = w < 1 ? x : -1;
			}
			at += t.total[k];
		}
	}
	return list;
}

function outer(width) {		// the callers of the zoomed node
	const list = [];

	for (let i = trees.down.parent[zoomed]; zoomed > 0 && i >= 0;
	    i = trees.down.parent[i])
		list.unshift([{ i: i, t: trees.down, x: 0, w: width, out: true }]);
	return list;
}

function draw() {
	const ratio = window.devicePixelRatio || 1;
	const width = Math.max(canvas.parentNode.clientWidth, 200);
	const inner = layout(trees.down, zoomed, width);
	let list = outer(width).concat(inner);

	if (state.u !== '')
		list.reverse();
	if (trees.up)
		list = layout(trees.up, 0, width).slice(1).reverse().concat(list);
	canvas.style.height = list.length * ROW + 'px';
	canvas.width = width * ratio;
	canvas.height = list.length * ROW * ratio;
	ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
	ctx.font = '12px "DejaVu Sans Mono",Menlo,Consolas,monospace';
	ctx.textBaseline = 'middle';
	charWidth = ctx.measureText('mmmmmmmmmm').width / 10 || 7.2;
	rows = list;
	list.forEach((row, y) => row.forEach(box => paint(box, y * ROW)));
	canvas.setAttribute('aria-label', 'Graph of ' + list.length +
	    ' rows; arrows move, Enter zooms, the line above describes it');
}

function paint(box, y) {
	const f = box.t.frame[box.i], w = box.w > 3 ? box.w - 0.7 : box.w;
	const isHit = f >= 0 && funcs[funcOf[f]].hit;
	const text = name(box.t, box.i), n = Math.floor((w - 6) / charWidth);

	ctx.globalAlpha = box.out ? 0.6 : 1;
	ctx.fillStyle = isHit ? (isDark() ? '#ff6fd8' : '#ff8ae0') : colour(box.t, box.i);
	ctx.fillRect(box.x, y, w, ROW - 1);
	if (n >= 3) {
		ctx.fillStyle = '#111';
		ctx.fillText(text.length <= n ? text :
		    text.slice(0, n - 2) + '..', box.x + 3, y + ROW / 2);
	}
	if (box.t === current.t && box.i === current.i &&
	    document.activeElement === canvas) {
		ctx.strokeStyle = isDark() ? '#fff' : '#000';
		ctx.lineWidth = 2;
		ctx.strokeRect(box.x + 1, y + 1, Math.max(w - 2, 1), ROW - 3);
	}
	ctx.globalAlpha = 1;
}

// The box below the pointer, or null.
function under(e) {
	const row = rows[Math.floor(e.offsetY / ROW)];

	return row && row.find(b => e.offsetX >= b.x && e.offsetX < b.x + b.w) ||
	    null;
}

function tell(t, i) {
	$('info').textContent = describe(t, i);
}

// --- moving ------------------------------------------------------------------

function zoom(box) {
	if (box.t === trees.down)
		go({ z: '' + box.i });
	else
		focusOn(box);
}

function focusOn(box) {
	const f = box.t.frame[box.i];

	if (f >= 0 && funcs[funcOf[f]].kind < 4)
		go({ f: '' + funcOf[f], z: '0' });
}

function isCurrent(row) {
	return row.some(b => b.t === current.t && b.i === current.i);
}

// The box next to the current one, in the direction of the key.
function near(key) {
	let y = rows.findIndex(isCurrent);

	if (y < 0)
		return rows[0] && rows[0][0];
	const row = rows[y].slice().sort((a, b) => a.x - b.x);
	const box = row.find(b => isCurrent([b]));
	const side = row.indexOf(box);

	if (key === 'ArrowLeft')
		return row[side - 1];
	if (key === 'ArrowRight')
		return row[side + 1];
	y += key === 'ArrowDown' ? 1 : -1;
	return rows[y] && rows[y].reduce((best, b) =>
	    b.x < box.x + box.w && b.x + b.w > box.x &&
	    (!best || b.w > best.w) ? b : best, null);
}

function path() {
	const nav = $('path'), t = trees.down, list = [];

	nav.textContent = '';
	for (let i = zoomed; i > 0; i = t.parent[i])
		list.unshift(i);
	if (list.length === 0 && state.f === '' && state.p === '' &&
	    state.t === '')
		return;
	button(nav, 'all', () => go({ z: '0', f: '', p: '', t: '' }));
	if (state.t !== '')
		button(nav, '\u203a thread ' + threadName(+state.t), () =>
		    go({ z: '0', f: '' }));
	if (state.p !== '')
		button(nav, '\u203a process ' + state.p, () => go({ z: '0', f: '' }));
	if (state.f !== '')
		button(nav, '\u203a callers and callees of ' +
		    funcs[+state.f].name, () => go({ z: '0' }));
	for (const i of list)
		button(nav, '\u203a ' + name(t, i), () => go({ z: '' + i }));
}

function button(parent, text, click) {
	const b = parent.appendChild(document.createElement('button'));

	b.textContent = text;
	b.addEventListener('click', click);
	return b;
}

// --- table -------------------------------------------------------------------

let sort = isDiff ? 'change' : 'self';

function table() {
	const body = $('functions').tBodies[0];
	const list = funcs.filter(fn => fn.total + fn.was > 0 && fn.kind < 4 &&
	    (state.q === '' || fn.hit));

	for (const fn of isDiff ? list : [])
		fn.change = fn.self / tree0.total[0] - fn.was / tree0.was[0];
	list.sort((a, b) => sort === 'name' ? (a.name < b.name ? -1 : 1) :
	    sort === 'change' ? Math.abs(b.change) - Math.abs(a.change) :
	    b[sort] - a[sort] || b.total - a.total);
	for (const i of isDiff ? [] : [1, 3])
		$('functions').tHead.rows[0].cells[i].firstChild.textContent =
		    unit.head;
	body.textContent = '';
	for (const fn of list.slice(0, TABLE_MAX)) {
		const tr = body.insertRow();

		numbers(fn).forEach(v => cell(tr, 'n', v));
		button(cell(tr, 'c', ''), shorten(fn.name),
		    () => go({ f: '' + funcs.indexOf(fn), z: '0' }));
		cell(tr, 'c', fn.module);
	}
	$('functions').caption.textContent = 'Functions' +
	    (list.length > TABLE_MAX ? ', the first ' + TABLE_MAX + ' of ' +
	    number(list.length) : '') + (state.q !== '' ? ' that match' : '');
}

// The numbers of a row, as text.
function numbers(fn) {
	const all = tree0.total[0] || 1, percent = v => (100 * v).toFixed(2);
	const long = v => unit.istime || unit.isbytes ? value(v) :
	    number(v);

	if (isDiff)
		return [percent(fn.was / (tree0.was[0] || 1)),
		    percent(fn.self / all), (fn.change > 0 ? '+' : '') +
		    percent(fn.change)];
	return [percent(fn.self / all), long(fn.self), percent(fn.total / all),
	    long(fn.total)];
}

function cell(tr, kind, text) {
	const td = tr.insertCell();

	td.className = kind;
	td.textContent = text;
	return td;
}

function sortable() {
	const keys = isDiff ? ['was', 'self', 'change', 'name'] :
	    ['self', 'self', 'total', 'total', 'name'];

	[...$('functions').tHead.rows[0].cells].forEach((th, i) => {
		const text = th.textContent;

		if (!keys[i])
			return;
		th.textContent = '';
		button(th, text, () => {
			sort = keys[i];
			aria();
			table();
		});
	});
	function aria() {
		[...$('functions').tHead.rows[0].cells].forEach((th, i) =>
		    keys[i] === sort ? th.setAttribute('aria-sort',
		    sort === 'name' ? 'ascending' : 'descending') :
		    th.removeAttribute('aria-sort'));
	}
	aria();
}

// --- controls ----------------------------------------------------------------

function threadName(t) {
	return strings[fName[threadFrame + t]];
}

// The threads of the process, by weight.
function threads() {
	const box = $('thread');

	while (box.options.length > 1)
		box.remove(1);
	unit.threads.filter(([t]) => state.p === '' ||
	    strings[data.threads[t][2]] === state.p)
	    .sort((a, b) => b[1] - a[1])
	    .forEach(([t, n]) => box.add(new Option(threadName(t) + ': ' +
		value(n), t)));
	box.hidden = box.options.length < 3 && state.t === '';
	if ($('hits'))
		$('order').lastElementChild.disabled = unit.threads.length === 0;
}

function controls() {
	if (document.activeElement !== $('search'))
		$('search').value = state.q;
	$('value').value = data.values.indexOf(unit);
	$('order').value = state.o;
	$('colours').value = state.c;
	$('process').value = state.p;
	$('thread').value = state.t;
	$('up').setAttribute('aria-pressed', state.u !== '');
	$('up').textContent = state.u !== '' ? 'Callees below' : 'Callees above';
	if (unit.summary)
		$('summary').textContent = unit.summary;
	$('note').textContent = tree0.cut ? number(tree0.cut) + ' ' +
	    unit.what + ' at the end are not in the graph; select a thread' :
	    unit.unkept ? 'Threads and times are unknown: there are too many ' +
	    unit.what : '';
}

let wasDark = false;		// before it was printed

function setDark(on) {
	document.documentElement.classList.toggle('dark', on);
	$('dark').setAttribute('aria-pressed', on);
	$('dark').textContent = on ? 'Light' : 'Dark';
	if (tree0)
		draw();
}

function begin() {
	const names = new Set();
	const lost = $('ledger') && +$('ledger').dataset.lost;

	for (let i = 1; i < nodes.n; i++)
		if (nodes.depth[i] === 1)
			names.add(strings[fName[nodes.frame[i]]]);
	for (const n of [...names].sort())
		$('process').add(new Option(n, n));
	$('process').hidden = names.size < 2;
	data.values.forEach((u, i) => $('value').add(new Option(u.name, i)));
	$('value').hidden = data.values.length < 2;
	if (!$('hits'))
		$('order').lastElementChild.remove();
	if (isDiff)
		$('colours').add(new Option('colour by change', 'change'), 0);
	if (lost > 0)
		$('lost').textContent = number(lost) +
		    (lost > 1 ? ' events were' : ' event was') +
		    ' lost: the shares below are of the others';
	$('search').addEventListener('input', e =>
	    go({ q: e.target.value }, true));
	for (const [id, key, others] of [['order', 'o'], ['colours', 'c'],
	    ['process', 'p', { t: '' }], ['thread', 't', { p: '' }],
	    ['value', 'v', { t: '', o: 'heavy' }]])
		$(id).addEventListener('change', e => go(Object.assign({
		    [key]: e.target.value, z: '0' }, others)));
	$('up').addEventListener('click', () =>
	    go({ u: state.u === '' ? '1' : '' }));
	$('dark').addEventListener('click', () => setDark(!isDark()));
	$('help').addEventListener('click', () => $('keys').showModal());
	canvas.addEventListener('click', e => {
		const box = under(e);

		if (!box)
			return;
		current = { t: box.t, i: box.i };
		if (e.shiftKey)
			focusOn(box);
		else
			zoom(box);
	});
	canvas.addEventListener('mousemove', e => {
		const box = under(e);

		canvas.title = box ? describe(box.t, box.i) : '';
		tell(box ? box.t : current.t, box ? box.i : current.i);
	});
	canvas.addEventListener('focus', draw);
	canvas.addEventListener('blur', draw);
	window.addEventListener('resize', draw);
	window.addEventListener('hashchange', show);
	window.addEventListener('beforeprint', () => {
		wasDark = isDark();
		setDark(false);
	});
	window.addEventListener('afterprint', () => setDark(wasDark));
	document.addEventListener('keydown', key);
	sortable();
	setDark(window.matchMedia('(prefers-color-scheme: dark)').matches);
	show();
}

const keys = {
	'/': () => $('search').focus(),
	'?': () => $('keys').showModal(),
	Escape: () => go({ z: '0', f: '' }),
	Enter: () => zoom(current),
	Backspace: () => history.back(),
	f: () => focusOn(current),
	u: () => $('up').click(),
	d: () => $('dark').click(),
};

function key(e) {
	const inText = /^(INPUT|SELECT)$/.test(e.target.tagName);

	if (e.ctrlKey || e.altKey || e.metaKey || $('keys').open)
		return;
	if (e.target === $('search') && /^(Escape|Enter)$/.test(e.key)) {
		if (e.key === 'Escape')
			go({ q: '' }, true);
		$('search').value = state.q;
		canvas.focus();
	} else if (inText || (e.target.tagName === 'BUTTON' &&
	    e.key === 'Enter'))
		return;
	else if (/^Arrow/.test(e.key) && document.activeElement === canvas) {
		const box = near(e.key);

		if (box) {
			current = { t: box.t, i: box.i };
			tell(box.t, box.i);
			draw();
			reveal();
		}
	} else if (keys[e.key])
		keys[e.key]();
	else
		return;
	e.preventDefault();
}

begin();
});
