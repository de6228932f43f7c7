"use strict";
/* A sweep: a parameter against a statistic, small multiples, Pareto lines, the
 * points. */

/* The points that no other is at least as good as in both, by the first. */
function paretoFront(points) {
	const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
	const front = [];

	for (const point of sorted)
		if (!front.length || point.y < front[front.length - 1].y)
			front.push(point);
	return front;
}

function plainScale(values, from, to) {
	const numbers = values.every((value) => typeof value === "number");
	const list = [...new Set(values)].sort(compare);
	const low = Math.min(...list), high = Math.max(...list);
	/* Powers of two and the like stand at equal distances. */
	const spread = numbers && low > 0 && list.length > 2 &&
		high / low > 2 * list.length;

	if (!numbers || spread || list.length === 1) {
		const at = (value) => list.indexOf(value);

		return { place: (value) => from + (list.length > 1
			? at(value) / (list.length - 1) : 0.5) * (to - from),
		ticks: list };
	}
	return { place: (value) => from + (value - low) / (high - low) *
		(to - from), ticks: list.length <= 10 ? list : ticks(low, high) };
}

/* points: {x, y, series, row}. Lines join the points of a series. */
function sweepChart(points, options) {
	const WIDTH = options.wide ? 1000 : 420, HEIGHT = options.wide ? 360 : 230;
	const LEFT = 74, BOTTOM = 44;
	const xs = plainScale(points.map((point) => point.x), LEFT + 14, WIDTH - 16);
	const most = options.most || Math.max(...points.map((point) => point.y));
	const least = Math.min(0, ...points.map((point) => point.y));
	const y = (value) => 10 + (most - value) / ((most - least) || 1) *
		(HEIGHT - BOTTOM - 10);
	const chart = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img",
		"aria-label": `${options.y} over ${options.x}` });

	for (const tick of ticks(least, most, 5))
		chart.append(svg("line", { class: "axis", x1: LEFT, x2: WIDTH,
			y1: y(tick), y2: y(tick) }), svg("text", { x: LEFT - 6,
			y: y(tick) + 4, class: "soft", "text-anchor": "end" },
			nice(tick)));
	for (const tick of xs.ticks)
		chart.append(svg("text", { x: xs.place(tick), y: HEIGHT - 26,
			class: "soft", "text-anchor": "middle" }, nice(tick)));
	chart.append(svg("text", { x: (WIDTH + LEFT) / 2, y: HEIGHT - 6,
		"text-anchor": "middle" }, options.x));
	const series = [...new Set(points.map((point) => point.series))]
		.sort(compare);
	series.forEach((name, at) => colours.set(`series ${name}`,
		PALETTE[at % PALETTE.length]));
	for (const name of series) {
		const own = points.filter((point) => point.series === name)
			.sort((a, b) => compare(a.x, b.x));
		const line = options.front ? paretoFront(own) : own;

		chart.append(svg("polyline", { fill: "none", "stroke-width": 2,
			stroke: colourOf(`series ${name}`),
			points: line.map((point) => `${xs.place(point.x).toFixed(1)},${
				y(point.y).toFixed(1)}`).join(" ") }));
		for (const point of own) {
			const dot = hint(svg("circle", { cx: xs.place(point.x),
				cy: y(point.y), r: 5, fill: colourOf(`series ${name}`),
				"data-y": point.y }), () => `${point.text}\n${options.y} = ${
				nice(point.y, 6)}`);

			chart.append(point.link ? svg("a", { href: point.link }, dot) : dot);
		}
	}
	return el("div", {}, options.title ? el("h3", {}, options.title) : null,
		chart, series.length > 1 || series[0] !== "" ? el("div",
			{ class: "legend" }, ...series.map((name) => el("span", {},
			el("i", { style: `background:${colourOf(`series ${name}`)}` }),
			`${options.series} = ${name}`))) : null);
}

function sweepSection(sweep) {
	const numeric = sweep.statistics.filter((_, at) => sweep.rows.some((row) =>
		typeof row.statistics[at] === "number"));
	const varied = sweep.parameters.filter((_, at) => new Set(sweep.rows.map(
		(row) => row.parameters[at])).size > 1);
	const state = { x: varied.find((name) => name !== "program") || varied[0] ||
		sweep.parameters[0], y: numeric[0], series: "", multiples: "",
	front: false };
	const others = varied.filter((name) => name !== state.x);
	const place = el("div");

	state.series = others[0] || "";
	state.multiples = others[1] || "";

	function value(row, name) {
		const at = sweep.parameters.indexOf(name);

		return at >= 0 ? row.parameters[at]
			: row.statistics[sweep.statistics.indexOf(name)];
	}

	function show() {
		const points = sweep.rows.map((row) => ({ row, link: row.link,
			x: value(row, state.x), y: value(row, state.y),
			series: state.series ? String(value(row, state.series)) : "",
			multiple: state.multiples
				? String(value(row, state.multiples)) : "",
			text: sweep.parameters.map((name, at) =>
				`${name} = ${row.parameters[at]}`).join("\n") }))
			.filter((point) => typeof point.y === "number" &&
				point.x !== null && point.x !== undefined &&
				point.x !== "");
		const groups = [...new Set(points.map((point) => point.multiple))]
			.sort(compare);
		const most = Math.max(...points.map((point) => point.y));

		place.className = groups.length > 1 ? "multiples" : "";
		place.replaceChildren(...(points.length ? groups.map((name) =>
			sweepChart(points.filter((point) => point.multiple === name),
				{ ...state, most, wide: groups.length === 1,
					title: name === "" ? "" : `${state.multiples} = ${name}` }))
			: [el("p", {}, "No point has both.")]));
	}

	const pick = (label, key, values) => choice(label, values, state[key],
		(chosen) => { state[key] = chosen; show(); });
	const front = el("input", { type: "checkbox", onchange: () => {
		state.front = front.checked;
		show();
	} });

	if (numeric.length)
		show();
	return section("sweep", `Sweep ${sweep.name}`, el("div", { class: "row" },
		pick("across", "x", [...varied, ...numeric]),
		pick("upwards", "y", numeric),
		pick("a line for each", "series", ["", ...varied]),
		pick("a picture for each", "multiples", ["", ...varied]),
		el("label", {}, front, " Pareto line: less of both is better")), place,
	el("p", { class: "note" }, "A click on a point, or on its row's first " +
		"cell, leads to the run."),
	table({ columns: ["id", ...sweep.parameters, "status",
		...sweep.statistics],
	rows: sweep.rows.map((row) => [row.id, ...row.parameters, row.status,
		...row.statistics, row.link]) },
	{ link: (row) => row[row.length - 1], most: 400 }));
}
