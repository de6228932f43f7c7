"use strict";
/* What every part of the page uses: elements, colours, numbers, tables. */

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
	for (const [name, value] of Object.entries(attributes || {})) {
		if (name.startsWith("on"))
			node.addEventListener(name.slice(2), value);
		else if (value !== undefined && value !== null)
			node.setAttribute(name, value);
	}
	node.append(...children.filter((child) => child !== null &&
					child !== undefined));
	return node;
}

function el(tag, attributes, ...children) {
	return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
	return fill(document.createElementNS(SVG, tag), attributes, children);
}

/* Okabe and Ito's palette, which colour-blind eyes tell apart, then darker and
 * lighter ones of it. */
const PALETTE = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9",
	"#cc79a7", "#f0e442", "#7a7a7a", "#004c77", "#8f6300", "#006147",
	"#8a3d00", "#a8dcf5", "#7d3c63", "#9c932a", "#c9c9c9"];
const FIXED = { Issued: 0, ALUEngine: 0, Base: 0, user: 0, "ALU clause": 0,
	Data: 1, Memory: 1, DRAM: 1, fetch: 1, LocalMemory: 3,
	BranchMispredict: 3, TEXEngine: 4, CFEngine: 2, Dependence: 5,
	ClauseCaches: 6, InstructionCache: 6, Barrier: 8, NoWavefront: 15,
	Idle: 15, Drain: 7, "work-group": 4, kernel: 3, store: 5,
	transfer: 5, "launch latency": 15, Wait: 7, "waits for the GPU": 15,
	Kernel: 8, ControlFlow: 2, LocalData: 11, Addresses: 10 };
const colours = new Map();

function colourOf(name) {
	if (!colours.has(name))
		colours.set(name, PALETTE[FIXED[name] ??
			(colours.size * 5 + 9) % (PALETTE.length - 2)]);
	return colours.get(name);
}

/* Black or white, whichever is read on a colour of the palette. */
function inkOn(colour) {
	const part = (at) => parseInt(colour.slice(at, at + 2), 16);

	return 0.3 * part(1) + 0.59 * part(3) + 0.11 * part(5) > 120 ? "#000"
		: "#fff";
}

function nice(value, digits = 4) {
	if (typeof value !== "number")
		return value === null || value === undefined ? "" : String(value);
	if (Number.isInteger(value) && Math.abs(value) < 1e15)
		return value.toLocaleString("en");
	if (value !== 0 && (Math.abs(value) >= 1e9 || Math.abs(value) < 1e-4))
		return value.toExponential(digits - 1);
	return value.toLocaleString("en", { maximumSignificantDigits: digits });
}

function share(value) {
	return `${nice(value, 3)} %`;
}

const tip = el("div", { class: "tip", hidden: "" });

/* Shows `text()` beside the pointer, or at a focused element. */
function hint(node, text) {
	const show = (event) => {
		const box = node.getBoundingClientRect();
		const x = event.clientX || box.left, y = event.clientY || box.top;

		tip.textContent = text();
		tip.hidden = false;
		tip.style.left = `${Math.min(x + 14, innerWidth - 300)}px`;
		tip.style.top = `${Math.max(y - 10 - tip.offsetHeight, 4)}px`;
	};
	node.addEventListener("mousemove", show);
	node.addEventListener("focus", show);
	for (const event of ["mouseleave", "blur"])
		node.addEventListener(event, () => { tip.hidden = true; });
	return node;
}

function legend(names) {
	return el("div", { class: "legend" }, ...names.map((name) => el("span", {},
		el("i", { style: `background:${colourOf(name)}` }), name)));
}

function choice(label, values, chosen, change) {
	const select = el("select", { "aria-label": label,
		onchange: () => change(select.value) },
		...values.map((value) => el("option", { value }, String(value))));

	select.value = chosen;
	return el("label", { class: "row" }, label, select);
}

function compare(one, other) {
	if (typeof one === "number" && typeof other === "number")
		return one - other;
	return String(one ?? "").localeCompare(String(other ?? ""), "en",
					       { numeric: true });
}

/* A table that sorts by a click on a head and shows rows with the words of the
 * filter. spec: {columns, rows}; options.heat: columns that are shaded. */
function table(spec, options = {}) {
	const MOST = options.most || 250;
	const heat = new Map();
	let sorted = options.sort ?? null, down = options.down ?? false;
	const body = el("tbody"), note = el("p", { class: "note" });
	const filter = el("input", { type: "search", placeholder: "filter",
		"aria-label": "filter rows", oninput: () => show() });

	for (const name of options.heat || []) {
		const at = spec.columns.indexOf(name);
		heat.set(at, Math.max(1e-12, ...spec.rows.map((row) =>
			Number(row[at]) || 0)));
	}
	const heads = spec.columns.map((name, at) => el("th", { scope: "col" },
		el("button", { type: "button", onclick: () => {
			down = sorted === at ? !down :
				spec.rows.some((row) => typeof row[at] === "number");
			sorted = at;
			show();
		} }, name)));

	function cell(value, at, row) {
		const numeric = typeof value === "number";
		const node = el("td", { class: numeric ? "number" :
			(options.code || []).includes(at) ? "code" : "" });

		if (options.link && at === 0 && options.link(row))
			node.append(el("a", { href: options.link(row) }, nice(value)));
		else
			node.textContent = nice(value);
		if (heat.has(at) && value)
			node.style.background = `rgba(var(--heat), ${
				(0.75 * value / heat.get(at)).toFixed(3)})`;
		return node;
	}

	function show() {
		const words = filter.value.toLowerCase().split(/\s+/)
			.filter(Boolean);
		let rows = spec.rows.filter((row) => {
			const text = row.join(" ").toLowerCase();
			return words.every((word) => text.includes(word));
		});

		if (sorted !== null)
			rows = [...rows].sort((a, b) => (down ? -1 : 1) *
				compare(a[sorted], b[sorted]));
		body.replaceChildren(...rows.slice(0, MOST).map((row) =>
			el("tr", {}, ...row.slice(0, spec.columns.length)
				.map((value, at) => cell(value, at, row)))));
		heads.forEach((head, at) => {
			if (at === sorted)
				head.setAttribute("aria-sort",
					down ? "descending" : "ascending");
			else
				head.removeAttribute("aria-sort");
		});
		note.textContent = rows.length > MOST
			? `${MOST} of ${nice(rows.length)} rows: filter for others`
			: `${nice(rows.length)} rows`;
	}

	show();
	return el("div", {}, el("div", { class: "row" }, filter, note),
		el("div", { class: "scroll", tabindex: 0 }, el("table", {},
			el("thead", {}, el("tr", {}, ...heads)), body)));
}

function section(id, title, ...children) {
	return el("section", { id }, el("h2", {}, title), ...children);
}

/* Ticks of an axis: round numbers from `low` to `high`. */
function ticks(low, high, count = 6) {
	const rough = (high - low) / count || 1;
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = [1, 2, 5, 10].find((n) => n * power >= rough) * power;
	const list = [];

	for (let at = Math.ceil(low / step) * step; at <= high + step / 1e6;
	     at += step)
		list.push(Math.abs(at) < step / 1e6 ? 0 : at);
	return list;
}
