"use strict";
/* Heat over source lines and machine code; the slots of the hottest blocks. */

const FIGURES = ["cycles", "stall_cycles", "executions", "active", "slots",
	"transactions", "bank_conflicts"];

function heatTable(columns, rows, options) {
	return table({ columns, rows }, { most: 1500, ...options });
}

function sourceView(kernel) {
	const columns = ["line", "cycles", "stall_cycles", "instructions", "active",
		"slots", "transactions", "bank_conflicts", "source"];

	return heatTable(columns, kernel.lines.map((line) => [line.place,
		...columns.slice(1, -1).map((name) => line[name]), line.text]),
	{ code: [8], heat: ["cycles", "stall_cycles", "transactions",
		"bank_conflicts"] });
}

function machineView(kernel) {
	const columns = ["row", ...FIGURES, "line", "instruction"];

	return heatTable(columns, kernel.instructions.map((one, row) => [row,
		...FIGURES.map((name) => one[name]), one.source, one.text]),
	{ code: [columns.length - 1], heat: ["cycles", "stall_cycles", "transactions",
		"bank_conflicts"] });
}

function slotMap(kernel) {
	const whole = kernel.instructions.reduce((sum, one) => sum + one.cycles, 0);

	return kernel.blocks.map(([first, count, cycles], at) => {
		const rows = kernel.instructions.slice(first, first + count);
		const filled = rows.reduce((sum, one) => sum + one.slots *
			one.executions, 0);
		const issued = rows.reduce((sum, one) => sum + one.executions, 0);
		const most = Math.max(1, ...rows.map((one) => one.cycles));
		const map = el("div", { class: "slots" },
			el("span"), ...[..."xyzwt"].map((slot) => el("span", {}, slot)),
			el("span", {}, "cycles"), el("span", {}, "first instruction"));

		for (const [number, one] of rows.slice(0, 200).entries()) {
			map.append(el("span", {}, String(first + number)),
				...[0, 1, 2, 3, 4].map((slot) => el("i",
					one.mask >> slot & 1 ? { class: "full" } : {})),
				el("span", { style: `background:rgba(var(--heat),${
					(0.75 * one.cycles / most).toFixed(2)})` },
				nice(one.cycles)),
				el("code", { title: one.text },
					one.text.trim().split("\n")[0]));
		}
		return el("details", at ? {} : { open: "" }, el("summary", {},
			`clause at row ${first}: ${count} groups, ${
				share(100 * cycles / (whole || 1))} of the kernel's cycles, ${
				nice(issued ? filled / issued : 0, 3)} of 5 slots filled`),
		el("div", { class: "scroll", tabindex: 0 }, map));
	});
}

function codeSection(run) {
	if (!run.code.length && !run.x86_code)
		return null;
	const place = el("div");

	function show(name) {
		const kernel = run.code.find((one) => one.name === name);

		place.replaceChildren(
			el("h3", {}, "Source lines"),
			el("p", { class: "note" }, "cycles: for which instructions kept " +
				"their engine. stall_cycles: of wavefronts, before them. " +
				"active: work-items of 64. slots: filled, of 5."),
			sourceView(kernel), el("h3", {}, "Machine code"),
			machineView(kernel),
			el("h3", {}, "VLIW slots of the hottest clauses"),
			...slotMap(kernel));
	}

	if (run.code.length)
		show(run.code[0].name);
	return section("code", "Code", run.code.length > 1 ? choice("kernel",
		run.code.map((one) => one.name), run.code[0].name, show) : null, place,
	run.x86_code ? el("h3", {}, "Host program: hottest places") : null,
	run.x86_code ? table(run.x86_code, { heat: ["slots of retirement"],
		code: [8] }) : null);
}
