"use strict";
/* The memory hierarchy as a graph: columns are levels, edges have the width of
 * the bytes that went over them. */

function memoryGraph(data) {
	const columns = data.levels.map((_, level) => data.modules.filter(
		(module) => module[1] === level));
	const tallest = Math.max(...columns.map((column) => column.length));
	const WIDTH = 1000, BOX = Math.min(150, 0.62 * WIDTH /
		data.levels.length), ROW = Math.max(20, Math.min(46,
		560 / tallest)), HEIGHT = tallest * ROW + 34;
	const gap = data.levels.length > 1 ? (WIDTH - BOX) /
		(data.levels.length - 1) : 0;
	const place = new Map(), full = BOX > 120;
	const busiest = Math.max(1, ...data.modules.map((module) => module[2]));
	const widest = Math.max(1, ...data.edges.map((edge) => edge[2]));
	const chart = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img",
		"aria-label": "memory hierarchy with traffic on its edges" });

	columns.forEach((column, level) => column.forEach((module, at) => {
		place.set(module[0], [level * gap, 30 + (at + 0.5) *
			(HEIGHT - 34) / column.length]);
	}));
	for (const [source, target, bytes, messages, busy] of data.edges) {
		const [ax, ay] = place.get(source), [bx, by] = place.get(target);
		const right = bx > ax, x1 = right ? ax + BOX : ax;
		const x2 = right ? bx : bx + BOX, bend = (x2 - x1) / 2;
		const lift = right ? -3 : 3;

		if (!messages)
			continue;
		chart.append(hint(svg("path", { fill: "none", "data-bytes": bytes,
			d: `M${x1},${ay + lift}C${x1 + bend},${ay + lift} ${
				x2 - bend},${by + lift} ${x2},${by + lift}`,
			stroke: right ? "#0072b2" : "#e69f00",
			"stroke-width": (0.4 + 7 * bytes / widest).toFixed(2),
			"stroke-opacity": (0.15 + 0.65 * bytes / widest).toFixed(2) }),
		() => `${source} → ${target}\n${nice(bytes)} bytes in ${
			nice(messages)} messages\nbusiest link: ${share(100 * busy)}`));
	}
	data.levels.forEach((name, level) => chart.append(svg("text", {
		x: level * gap + BOX / 2, y: 16, "text-anchor": "middle" }, name)));
	for (const [name, , accesses, hits, read, written, busy] of data.modules) {
		const [x, y] = place.get(name), height = ROW - 5;

		chart.append(hint(svg("rect", { x, y: y - height / 2, width: BOX, height,
			rx: 3, fill: `rgba(var(--heat), ${(0.65 * accesses /
				busiest).toFixed(3)})`, stroke: "var(--soft)",
			"data-module": name, tabindex: 0 }), () => `${name}\n${
			nice(accesses)} accesses${hits === null ? "" :
				`, ${share(100 * hits)} hits`}${read === null ? "" :
				`\n${nice(read)} bytes read, ${nice(written)} written`}${
			busy === null ? "" : `\nbusy ${share(100 * busy)} of the time`}`),
		svg("text", { x: x + 6, y: y + 4, "pointer-events": "none" }, name),
		svg("text", { x: x + BOX - 6, y: y + 4, "text-anchor": "end",
			class: "soft", "pointer-events": "none" },
		hits === null || !accesses || !full ? "" : `${nice(100 * hits, 3)} %`));
	}
	return chart;
}

function memorySection(run) {
	const data = run.memory;

	if (!data)
		return null;
	return section("memory", "Memory and networks", el("p", { class: "note" },
		"Shade: accesses. Per cent: hits. Blue edges lead away from the " +
		"processors, orange ones back; their width is the number of bytes."),
	...data.parts.map(memoryGraph), el("h3", {}, "Modules"),
	table(data.table, { heat: ["Accesses", "Misses"] }),
	data.links.rows.length ? el("h3", {}, "Links") : null,
	data.links.rows.length ? table(data.links, { sort: 3, down: true,
		heat: ["bytes"] }) : null);
}
