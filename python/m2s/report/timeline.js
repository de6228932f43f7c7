"use strict";
/* The timeline: one canvas that draws what is in view. A compute unit that is
 * closed shows its ALU engine; open, all its tracks. */

/* The events of a track, from the bytes that timeline.py writes: starts and ends
 * in picoseconds, names, arguments. */
function unpackTrack(bytes, track) {
	const starts = new Float64Array(track.count);
	const ends = new Float64Array(track.count);
	const names = new Uint16Array(track.count);
	const values = new Float64Array(track.count);
	let at = track.at, time = track.first, value = 0;

	function number() {
		let result = 0, scale = 1, byte;

		do {
			byte = bytes[at++];
			result += (byte & 127) * scale;
			scale *= 128;
		} while (byte & 128);
		return result;
	}

	for (let i = 0; i < track.count; i++) {
		time += number() * track.step;
		starts[i] = time;
		time += number() * track.step;
		ends[i] = time;
		names[i] = number();
		const change = number();
		value += change & 1 ? -(change + 1) / 2 : change / 2;
		values[i] = value - 1;
	}
	return { ...track, starts, ends, names, values };
}

/* The first event that ends after `time`. */
function firstAfter(ends, time) {
	let low = 0, high = ends.length;

	while (low < high) {
		const middle = (low + high) >> 1;

		if (ends[middle] > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* 1234567 ps: 1.234567 us. */
function timeText(time) {
	for (const [unit, size] of [["s", 1e12], ["ms", 1e9], ["us", 1e6],
		["ns", 1e3]])
		if (Math.abs(time) >= size)
			return `${nice(time / size, 7)} ${unit}`;
	return `${nice(time)} ps`;
}

class Timeline {
	constructor(meta, bytes, period, clock) {
		this.clock = clock;
		this.meta = meta;
		this.period = period;
		this.tracks = meta.tracks.map((track) => unpackTrack(bytes, track));
		this.open = new Set(meta.processes.slice(0, 2).map(([n]) => n)
			.filter((n) => n < 10));
		this.first = Math.min(...this.tracks.map((t) => t.starts[0]));
		this.whole();
		this.scroll = 0;
		this.canvas = el("canvas", { tabindex: 0, role: "img",
			"aria-label": "timeline: arrow keys move, plus and minus zoom, " +
			"0 shows everything, page keys scroll",
			onwheel: (event) => this.wheel(event),
			onkeydown: (event) => this.key(event),
			onpointerdown: (event) => this.down(event),
			onpointermove: (event) => this.hover(event),
			onpointerup: () => { this.drag = null; },
			ondblclick: (event) => this.toggle(event) });
		this.status = el("p", { class: "note", "aria-live": "polite" });
		hint(this.canvas, () => this.text || "");
		new ResizeObserver(() => this.draw()).observe(this.canvas);
	}

	whole() {
		this.from = this.first;
		this.to = this.meta.end;
	}

	/* Rows: [label, tracks, process or null]. */
	rows() {
		const rows = [];

		for (const [number, name] of this.meta.processes) {
			const own = this.tracks.filter((t) => t.process === number);
			const open = this.open.has(number);
			const engines = own.filter((t) => t.track >= 1 && t.track <= 16);

			rows.push([`${open ? "▾" : "▸"} ${name}`, open ? [] :
				number >= 10 && engines.length ? engines : own, number]);
			if (open)
				rows.push(...own.map((t) => [`   ${t.name}`, [t], null]));
		}
		return rows;
	}

	draw() {
		const ROW = 17, LEFT = 150, TOP = 20;
		const ratio = devicePixelRatio || 1;
		const width = this.canvas.clientWidth || 1200;
		const context = this.canvas.getContext("2d");
		const style = getComputedStyle(document.documentElement);
		const ink = style.getPropertyValue("--ink");
		const rows = this.rows();
		const HEIGHT = Math.min(460, TOP + (rows.length + 1) * ROW);
		const shown = Math.floor((HEIGHT - TOP) / ROW);

		this.layout = { ROW, LEFT, TOP, width, rows };
		this.canvas.height = HEIGHT * ratio;
		this.canvas.width = width * ratio;
		this.canvas.style.height = `${HEIGHT}px`;
		context.scale(ratio, ratio);
		this.scroll = Math.max(0, Math.min(this.scroll, rows.length - shown));
		context.font = "11px sans-serif";
		for (const tick of ticks(this.from, this.to, 7)) {
			const x = this.x(tick);

			context.fillStyle = style.getPropertyValue("--line");
			context.fillRect(x, TOP - 5, 1, HEIGHT);
			context.fillStyle = style.getPropertyValue("--soft");
			context.fillText(timeText(tick), Math.min(x + 3, width - 70), 11);
		}
		for (let i = 0; i < shown && this.scroll + i < rows.length; i++) {
			const [label, tracks] = rows[this.scroll + i];
			const y = TOP + i * ROW;

			for (const track of tracks)
				this.drawTrack(context, track, y + 1, ROW - 3);
			context.fillStyle = style.getPropertyValue("--panel");
			context.fillRect(0, y, LEFT - 4, ROW);
			context.fillStyle = ink;
			context.fillText(label, 4, y + 12, LEFT - 10);
		}
		const cycles = (this.to - this.from) / this.period;
		this.status.textContent = `${timeText(this.from)} to ${
			timeText(this.to)}, ${nice(cycles, 5)} cycles of the ${
			this.clock}; ${
			nice(this.meta.events)} events` + (rows.length > shown
			? `; rows ${this.scroll + 1} to ${Math.min(rows.length,
				this.scroll + shown)} of ${rows.length}` : "");
	}

	x(time) {
		const { LEFT, width } = this.layout;

		return LEFT + (time - this.from) / (this.to - this.from) *
			(width - LEFT);
	}

	/* Events narrower than a pixel add up to one of the colour that has most
	 * of it, as dense as it is covered. */
	drawTrack(context, track, y, height) {
		const { LEFT, width } = this.layout;
		const scale = (width - LEFT) / (this.to - this.from);
		let i = firstAfter(track.ends, this.from);
		let pixel = -1, covered = 0, most = 0, name = 0;

		const flush = () => {
			if (covered > 0) {
				context.globalAlpha = Math.min(1, 0.25 + covered);
				context.fillStyle = colourOf(this.meta.names[name]);
				context.fillRect(pixel, y, 1, height);
				context.globalAlpha = 1;
			}
			covered = most = 0;
		};

		for (; i < track.count && track.starts[i] < this.to; i++) {
			const x0 = Math.max(LEFT, LEFT + (track.starts[i] - this.from) *
				scale);
			const x1 = Math.min(width, LEFT + (track.ends[i] - this.from) *
				scale);

			if (x1 - x0 < 1.5) {
				if (Math.floor(x0) !== pixel) {
					flush();
					pixel = Math.floor(x0);
				}
				covered += x1 - x0;
				if (x1 - x0 > most) {
					most = x1 - x0;
					name = track.names[i];
				}
				continue;
			}
			flush();
			context.fillStyle = colourOf(this.meta.names[track.names[i]]);
			context.fillRect(x0, y, Math.max(1, x1 - x0 - 0.5), height);
			if (x1 - x0 > 60) {
				const name = this.meta.names[track.names[i]];

				context.fillStyle = inkOn(colourOf(name));
				context.fillText(name === "work-group"
					? `${name} ${track.values[i]}` : name, x0 + 3,
				y + height - 4, x1 - x0 - 6);
			}
		}
		flush();
	}

	move(share) {
		const span = this.to - this.from;
		const low = this.first, high = this.meta.end;
		const from = Math.max(low, Math.min(high - span,
			this.from + share * span));

		this.from = from;
		this.to = from + span;
	}

	zoom(factor, at = 0.5) {
		const middle = this.from + at * (this.to - this.from);
		const span = Math.max(2 * this.period, Math.min(this.meta.end -
			this.first, (this.to - this.from) * factor));

		this.from = middle - at * span;
		this.to = this.from + span;
		this.move(0);
	}

	wheel(event) {
		const { LEFT, width } = this.layout;

		if (!event.ctrlKey && !event.shiftKey)
			return;
		event.preventDefault();
		this.zoom(event.deltaY + event.deltaX > 0 ? 1.25 : 0.8,
			Math.max(0, (event.offsetX - LEFT) / (width - LEFT)));
		this.draw();
	}

	key(event) {
		const actions = { ArrowLeft: () => this.move(-0.2),
			ArrowRight: () => this.move(0.2), "+": () => this.zoom(0.5),
			"=": () => this.zoom(0.5), "-": () => this.zoom(2),
			0: () => this.whole(), ArrowUp: () => { this.scroll--; },
			ArrowDown: () => { this.scroll++; },
			PageUp: () => { this.scroll -= 20; },
			PageDown: () => { this.scroll += 20; } };

		if (!actions[event.key])
			return;
		event.preventDefault();
		actions[event.key]();
		this.draw();
	}

	down(event) {
		this.drag = { x: event.offsetX, y: event.offsetY, from: this.from,
			to: this.to, scroll: this.scroll };
		this.canvas.setPointerCapture(event.pointerId);
	}

	hover(event) {
		const { LEFT, TOP, ROW, width, rows } = this.layout;

		if (this.drag) {
			const span = this.drag.to - this.drag.from;

			this.from = this.drag.from;
			this.to = this.drag.to;
			this.move((this.drag.x - event.offsetX) / (width - LEFT));
			this.scroll = this.drag.scroll + Math.round((this.drag.y -
				event.offsetY) / ROW);
			this.draw();
			return;
		}
		const row = rows[this.scroll + Math.floor((event.offsetY - TOP) / ROW)];
		const time = this.from + (event.offsetX - LEFT) / (width - LEFT) *
			(this.to - this.from);

		this.text = row ? row[0].trim() : timeText(time);
		for (const track of row ? row[1] : []) {
			const i = firstAfter(track.ends, time);

			if (i < track.count && track.starts[i] <= time) {
				this.text = `${track.name}\n${
					this.meta.names[track.names[i]]}${track.values[i] < 0
					? "" : ` (${nice(track.values[i])})`}\n${timeText(
					track.starts[i])}, for ${timeText(track.ends[i] -
					track.starts[i])} = ${nice((track.ends[i] -
					track.starts[i]) / this.period, 6)} cycles`;
				break;
			}
		}
	}

	toggle(event) {
		const { TOP, ROW, rows } = this.layout;
		const row = rows[this.scroll + Math.floor((event.offsetY - TOP) / ROW)];

		if (row && row[2] !== null) {
			this.setOpen(row[2], !this.open.has(row[2]));
			this.draw();
		}
	}

	setOpen(process, open) {
		if (open)
			this.open.add(process);
		else
			this.open.delete(process);
	}
}

function timelineSection(run, bytes) {
	const meta = run.timeline;

	if (!meta)
		return null;
	const gpu = meta.processes.some(([number]) => number >= 2);
	const megahertz = run.statistics.find(([kind, where, name]) =>
		name === "Frequency" && (gpu ? kind === "evg" &&
			where === "Config.Device" : kind === "x86" &&
			where === "Global"));
	const view = new Timeline(meta, bytes, 1e6 / (megahertz ? megahertz[3]
		: 850), gpu ? "GPU" : "cores");
	const act = (label, action) => el("button", { type: "button",
		onclick: () => { action(); view.draw(); } }, label);
	const units = meta.processes.filter(([number]) => number >= 10);
	const launches = view.tracks.find((t) => t.process === 2 && t.track === 0);
	const buttons = [act("whole run", () => view.whole()),
		act("+", () => view.zoom(0.5)), act("−", () => view.zoom(2)),
		act("←", () => view.move(-0.3)), act("→", () => view.move(0.3)),
		act("open all", () => meta.processes.forEach(([n]) =>
			view.setOpen(n, true))),
		act("close all", () => view.open.clear())];

	if (launches)
		buttons.push(choice("launch", [...Array(Math.min(launches.count, 500))
			.keys()], 0, (text) => {
			const span = launches.ends[text] - launches.starts[text];

			view.from = launches.starts[text] - 0.02 * span;
			view.to = launches.ends[text] + 0.02 * span;
			view.draw();
		}));
	if (units.length)
		buttons.push(choice("open", ["-", ...units.map(([, name]) => name)],
			"-", (name) => {
				const unit = units.find(([, other]) => other === name);

				if (!unit)
					return;
				view.setOpen(unit[0], true);
				view.scroll = view.rows().findIndex((row) =>
					row[2] === unit[0]);
				view.draw();
			}));
	if (launches && run.launches.rows.length) {
		view.from = launches.starts[0];
		view.to = launches.ends[launches.count - 1];
		view.zoom(1.05);
	}
	run.view = view;
	return section("timeline", "Timeline", el("p", { class: "note" },
		"Arrow keys move, + and − zoom, 0 shows the whole run; drag; Ctrl " +
		"with the wheel zooms; a double click opens a compute unit. Closed, " +
		"a unit shows its ALU engine." + (meta.incomplete
			? ` The run was cut short: ${meta.incomplete}.` : "") +
		(meta.events < meta.original ? ` ${nice(meta.original)} events were ` +
			"joined to fewer." : "")),
	el("div", { class: "row" }, ...buttons), view.canvas, view.status,
	legend(meta.names.slice(0, 24)));
}
