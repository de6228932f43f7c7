"use strict";
/* Roofline, and the occupancy calculator. */

function logScale(low, high, from, to) {
	const a = Math.log10(low), b = Math.log10(high);

	return (value) => from + (Math.log10(value) - a) / (b - a) * (to - from);
}

function decades(low, high) {
	const list = [];

	for (let power = Math.ceil(Math.log10(low) - 1e-9);
	     10 ** power <= high * 1.0001; power++)
		list.push(10 ** power);
	return list;
}

const ROOFS = [["memory", "DRAM", "#d55e00"], ["L1", "L1 caches", "#009e73"],
	["local", "local memory", "#cc79a7"]];

function rooflineSection(run) {
	const data = run.roofline;

	if (!data || !data.points.length)
		return null;
	const WIDTH = 1000, HEIGHT = 420, LEFT = 66, BOTTOM = 40;
	const at = (point, kind) => point.operations / point[kind];
	const places = data.points.flatMap((point) => ["memory", "L1"]
		.filter((kind) => point[kind] > 0).map((kind) => at(point, kind)));
	const ridge = data.roofs.operations / data.roofs.memory;
	const low = 10 ** Math.floor(Math.log10(Math.min(0.1, ...places)));
	const high = 10 ** Math.ceil(Math.log10(Math.max(10 * ridge, ...places)));
	const least = 10 ** Math.floor(Math.log10(Math.min(data.roofs.operations /
		100, ...data.points.map((point) => point.rate))));
	const most = data.roofs.operations * 2;
	const x = logScale(low, high, LEFT, WIDTH - 10);
	const y = logScale(least, most, HEIGHT - BOTTOM, 10);
	const chart = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img",
		"aria-label": "roofline: operations a second over operations a byte" });
	const rate = (value) => Math.max(least, Math.min(most, value));

	for (const tick of decades(low, high))
		chart.append(svg("line", { class: "axis", x1: x(tick), x2: x(tick),
			y1: 10, y2: HEIGHT - BOTTOM }), svg("text", { x: x(tick),
			y: HEIGHT - 22, class: "soft", "text-anchor": "middle" },
			nice(tick)));
	for (const tick of decades(least, most))
		chart.append(svg("line", { class: "axis", x1: LEFT, x2: WIDTH - 10,
			y1: y(tick), y2: y(tick) }), svg("text", { x: LEFT - 6,
			y: y(tick) + 4, class: "soft", "text-anchor": "end" },
			nice(tick)));
	chart.append(svg("text", { x: WIDTH / 2, y: HEIGHT - 5,
		"text-anchor": "middle" }, "operations for each byte"),
		svg("text", { x: 12, y: HEIGHT / 2, "text-anchor": "middle",
			transform: `rotate(-90 12 ${HEIGHT / 2})` },
		"10⁹ operations a second"));
	ROOFS.forEach(([kind, label, colour]) => {
		const roof = data.roofs[kind], knee = data.roofs.operations / roof;
		const start = Math.max(low, least / roof);

		chart.append(svg("polyline", { fill: "none", stroke: colour,
			"stroke-width": 2, points: `${x(start)},${y(rate(start * roof))} ${
				x(Math.max(knee, low))},${y(data.roofs.operations)}` }),
			svg("text", { x: x(start) + 40, y: y(rate(start * roof)) + 2,
				style: `fill:${colour}` },
			`${label}, ${nice(roof, 4)} GB/s`));
	});
	chart.append(svg("line", { x1: x(low), x2: x(high),
		y1: y(data.roofs.operations), y2: y(data.roofs.operations),
		stroke: "var(--ink)", "stroke-width": 2 }),
		svg("text", { x: WIDTH - 14, y: y(data.roofs.operations) - 7,
			"text-anchor": "end" },
		`all five slots, ${nice(data.roofs.operations)}·10⁹/s`));
	for (const point of data.points.slice(0, 60)) {
		const packed = data.roofs.operations * point.slots / 5;

		if (data.points.length <= 4)
			chart.append(svg("line", { x1: LEFT, x2: WIDTH - 10,
				y1: y(rate(packed)), y2: y(rate(packed)),
				stroke: "var(--soft)", "stroke-dasharray": "5 4" }),
				svg("text", { x: WIDTH - 14, y: y(rate(packed)) - 5,
					class: "soft", "text-anchor": "end" },
				`launch ${point.launch}: ${nice(point.slots, 3)} slots filled`));
		for (const [kind, , colour] of ROOFS.slice(0, 2)) {
			if (!(point[kind] > 0))
				continue;
			chart.append(hint(svg("circle", { cx: x(at(point, kind)),
				cy: y(rate(point.rate)), r: 6, tabindex: 0,
				fill: kind === "memory" ? colour : "var(--paper)",
				stroke: colour, "stroke-width": 2,
				"data-rate": point.rate }), () =>
				`launch ${point.launch}: ${point.name}\n${
					nice(point.rate)}·10⁹ operations/s\n${
					nice(at(point, kind))} operations for each byte of ${
					kind === "memory" ? "DRAM" : "L1"}`));
		}
	}
	return section("roofline", "Roofline", el("p", { class: "note" },
		`The roofs are those of the simulated device (${data.device}). An ` +
		"operation is what one slot of a VLIW group does for one work-item. " +
		"Filled points: bytes of DRAM; hollow points: bytes of the blocks " +
		"that fetches and stores touch, which the L1 caches serve. A launch " +
		"without traffic to DRAM has no filled point."), chart);
}

/* The rules of src/evergreen/timing/occupancy.c. */
const LIMITS = ["work-groups per compute unit", "wavefronts per compute unit",
	"registers", "local memory"];

function occupancy(config, items, registers, local) {
	const up = (value, step) => Math.ceil(value / step) * step;
	const allows = (there, used) => used ? Math.floor(there / used) : Infinity;
	const wavefronts = Math.ceil(items / 64);
	const usable = Math.max(config.registers - config.reserved, 0);
	const group = config.perWavefront
		? wavefronts * up(registers * 64, config.step)
		: up(wavefronts * registers * 64, config.step);
	const allowed = [config.groups, allows(config.wavefronts, wavefronts),
		allows(usable, group),
		allows(config.local, up(local, config.localStep))];
	let limit = 0;

	for (let i = 1; i < 4; i++)
		if (allowed[i] < allowed[limit])
			limit = i;
	return { groups: allowed[limit], wavefronts: allowed[limit] * wavefronts,
		limit: LIMITS[limit], allowed };
}

/* Wavefronts of a unit over one of the three needs. */
function occupancyCurve(config, use, which, most, step) {
	const WIDTH = 320, HEIGHT = 150, LEFT = 30, BOTTOM = 22;
	const x = (v) => LEFT + v / most * (WIDTH - LEFT - 8);
	const y = (v) => 8 + (1 - v / config.wavefronts) * (HEIGHT - BOTTOM - 8);
	const points = [];

	for (let value = which === 0 ? 1 : 0; value <= most; value += step) {
		const other = [...use];
		other[which] = value;
		points.push(`${x(value).toFixed(1)},${
			y(occupancy(config, ...other).wavefronts).toFixed(1)}`);
	}
	return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img",
		"aria-label": "wavefronts of a compute unit" },
		svg("path", { class: "axis",
			d: `M${LEFT},8V${HEIGHT - BOTTOM}H${WIDTH}` }),
		svg("polyline", { points: points.join(" "), fill: "none",
			stroke: "var(--accent)", "stroke-width": 2 }),
		svg("circle", { cx: x(use[which]), cy: y(occupancy(config,
			...use).wavefronts), r: 5, fill: "#d55e00" }),
		svg("text", { x: LEFT - 4, y: 14, class: "soft",
			"text-anchor": "end" }, config.wavefronts),
		...ticks(0, most, 4).map((tick) => svg("text", { x: x(tick),
			y: HEIGHT - 6, class: "soft", "text-anchor": "middle" },
			nice(tick))));
}

function occupancySection(run) {
	const data = run.occupancy;

	if (!data)
		return null;
	const config = data.config;
	const use = data.uses.length ? data.uses[0].slice(1) : [64, 16, 0];
	const needs = [["work-items of a work-group", 256, 1, 1],
		["registers of a work-item", 128, 1, 1],
		["local memory of a work-group", config.local, config.localStep, 64]];
	const result = el("p", { class: "diagnosis", id: "occupancy-result",
		"aria-live": "polite" });
	const curves = el("div", { class: "multiples" });
	const outputs = [], inputs = [];

	function show() {
		const found = occupancy(config, ...use);
		const all = Math.min(found.groups * config.units, Math.floor(
			config.deviceWavefronts / Math.ceil(use[0] / 64)));

		use.forEach((value, at) => {
			inputs[at].value = value;
			outputs[at].textContent = nice(value);
		});
		result.textContent = `${found.groups} work-groups, ${
			found.wavefronts} of ${config.wavefronts} wavefronts (${
			share(100 * found.wavefronts / config.wavefronts)}) in a ` +
			`compute unit; limit: ${found.limit}; at most ${all} ` +
			"work-groups in the device";
		result.dataset.groups = found.groups;
		result.dataset.wavefronts = found.wavefronts;
		result.dataset.limit = found.limit;
		curves.replaceChildren(...needs.map(([label, most, , step], at) =>
			el("div", {}, el("h3", {}, `wavefronts by ${label}`),
				occupancyCurve(config, use, at, most, step))));
	}

	const sliders = needs.map(([label, most, step], at) => {
		inputs[at] = el("input", { type: "range", min: at === 0 ? 1 : 0,
			max: most, step, "aria-label": label, oninput: () => {
				use[at] = Number(inputs[at].value);
				show();
			} });
		outputs[at] = el("output");
		return el("div", { class: "slider" }, label, inputs[at], outputs[at]);
	});
	const kernels = data.uses.length ? choice("start from", data.uses.map(
		([name]) => name), data.uses[0][0], (name) => {
		use.splice(0, 3, ...data.uses.find(([n]) => n === name).slice(1));
		show();
	}) : null;

	show();
	return section("occupancy", "Occupancy", el("p", { class: "note" },
		"How many work-groups a compute unit holds, by the dispatcher's rules."),
		kernels, ...sliders, result, curves);
}
