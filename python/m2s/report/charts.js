"use strict";
/* Summary, cycle stacks, figures over time. */

function summarySection(run) {
	return section("summary", "Summary",
		el("div", { class: "figures" }, ...run.summary.map(
			([label, value, unit, stat]) => el("div", { class: "figure" },
				el("b", { "data-stat": stat, "data-value": value },
					nice(value, 6) + (unit ? ` ${unit}` : "")),
				el("span", {}, label)))),
		...run.diagnoses.slice(0, 12).map(([what, text]) =>
			el("div", { class: "diagnosis" }, el("b", {}, `${what}: `), text)),
		run.diagnoses.length > 12 ? el("p", { class: "note" },
			`and ${run.diagnoses.length - 12} more launches`) : null);
}

/* Bars of parts in per cent. */
function stackBars(bars) {
	const WIDTH = 1000, ROW = bars.length > 8 ? 15 : 24, LEFT = 130;
	const chart = svg("svg", { viewBox: `0 0 ${WIDTH} ${bars.length * ROW + 4}`,
		role: "img", "aria-label": "stacked bars of shares in per cent" });

	bars.forEach(([name, parts], row) => {
		let at = LEFT;

		chart.append(svg("text", { x: LEFT - 8, y: row * ROW + ROW * 0.7,
			"text-anchor": "end" }, name));
		for (const [part, value] of parts) {
			const width = value / 100 * (WIDTH - LEFT - 10);

			if (!(width > 0))
				continue;
			chart.append(hint(svg("rect", { x: at, y: row * ROW + 2,
				width, height: ROW - 4, fill: colourOf(part),
				"data-part": part, "data-share": value }),
				() => `${name}\n${part}: ${share(value)}`));
			at += width;
		}
	});
	return chart;
}

function stacksSection(run) {
	const groups = run.stacks.map((group) => {
		const used = [...new Set(group.bars.flatMap(([, parts]) =>
			parts.filter(([, value]) => value > 0).map(([name]) => name)))];

		return [el("h3", {}, group.title), stackBars(group.bars), legend(used)];
	});

	return section("stacks", "Where cycles go",
		el("p", { class: "note" }, "Each bar is all time of an engine, of " +
			"wavefronts or of a core; Issued and Base are work, every " +
			"other part is a reason for waiting."),
		...groups.slice(0, 12).flat(),
		groups.length > 12 ? el("p", { class: "note" },
			`${groups.length - 12} more are in the statistics below`) : null);
}

/* Areas of shares over time. */
function areaChart(end, parts) {
	const WIDTH = 1000, HEIGHT = 220, LEFT = 46, BOTTOM = 26;
	const last = end[end.length - 1], x = (t) => LEFT + t / last *
		(WIDTH - LEFT - 6);
	const y = (v) => 6 + (100 - v) / 100 * (HEIGHT - BOTTOM - 6);
	const chart = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img",
		"aria-label": "shares of the ALU engines' time over cycles" });
	let floor = end.map(() => 0);

	for (const [name, values] of parts) {
		const top = floor.map((v, at) => v + values[at]);
		const up = top.map((v, at) => `${x(at ? end[at - 1] : 0).toFixed(1)},${
			y(v).toFixed(1)} ${x(end[at]).toFixed(1)},${y(v).toFixed(1)}`);
		const down = floor.map((v, at) => `${x(end[at]).toFixed(1)},${
			y(v).toFixed(1)} ${x(at ? end[at - 1] : 0).toFixed(1)},${
			y(v).toFixed(1)}`).reverse();

		chart.append(hint(svg("polygon", { points: [...up, ...down].join(" "),
			fill: colourOf(name) }), () => name));
		floor = top;
	}
	for (const tick of ticks(0, last, 8))
		chart.append(svg("text", { x: x(tick), y: HEIGHT - 8, class: "soft",
			"text-anchor": "middle" }, nice(tick)));
	for (const tick of [0, 50, 100])
		chart.append(svg("text", { x: LEFT - 6, y: y(tick) + 4, class: "soft",
			"text-anchor": "end" }, `${tick} %`));
	return chart;
}

function lineChart(end, name, values) {
	const WIDTH = 480, HEIGHT = 130, LEFT = 56, BOTTOM = 22;
	const last = end[end.length - 1], most = Math.max(...values) || 1;
	const x = (t) => LEFT + t / last * (WIDTH - LEFT - 6);
	const y = (v) => 8 + (1 - v / most) * (HEIGHT - BOTTOM - 8);

	return el("div", {}, el("h3", {}, name),
		svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img",
			"aria-label": `${name} over cycles` },
		svg("path", { class: "axis", d: `M${LEFT},8V${HEIGHT - BOTTOM}H${WIDTH}` }),
		svg("polyline", { fill: "none", stroke: "var(--accent)",
			"stroke-width": 1.5, points: values.map((v, at) =>
				`${x(end[at]).toFixed(1)},${y(v).toFixed(1)}`).join(" ") }),
		svg("text", { x: LEFT - 4, y: 14, class: "soft",
			"text-anchor": "end" }, nice(most, 3)),
		...ticks(0, last, 4).map((tick) => svg("text", { x: x(tick),
			y: HEIGHT - 6, class: "soft", "text-anchor": "middle" },
			nice(tick)))));
}

function intervalsSection(run) {
	const over = run.intervals;

	if (!over)
		return null;
	return section("intervals", "Figures over time",
		el("p", { class: "note" }, "The ALU engines' time in per cent, over " +
			"the GPU's cycles of all launches."),
		areaChart(over.end, over.parts), legend(over.parts.map(([n]) => n)),
		el("div", { class: "multiples" }, ...Object.entries(over.rates).map(
			([name, values]) => lineChart(over.end, name, values))));
}

function tablesSection(run) {
	return section("tables", "Tables",
		run.launches.rows.length ? el("h3", {}, "Launches") : null,
		run.launches.rows.length ? table(run.launches,
			{ heat: ["Cycles"] }) : null,
		run.units.rows.length ? el("h3", {}, "Compute units") : null,
		run.units.rows.length ? table(run.units, { heat: ["Instructions",
			"LocalMemory.ConflictCycles"] }) : null,
		el("h3", {}, "All statistics"),
		table({ columns: ["report", "section", "variable", "value"],
			rows: run.statistics }),
		run.provenance.length ? el("h3", {}, "Where this comes from") : null,
		run.provenance.length ? table({ columns: ["what", "value"],
			rows: run.provenance }) : null);
}
