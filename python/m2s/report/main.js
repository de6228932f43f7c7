"use strict";
/* Unpacks the data and builds the page. */

async function unpack(id) {
	const node = document.getElementById(id);
	const text = atob(node.textContent.trim());
	const bytes = new Uint8Array(text.length);

	for (let i = 0; i < text.length; i++)
		bytes[i] = text.charCodeAt(i);
	node.textContent = "";
	const stream = new Blob([bytes]).stream().pipeThrough(
		new DecompressionStream("deflate"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

function setTheme(theme) {
	document.documentElement.dataset.theme = theme;
	document.dispatchEvent(new Event("theme"));
}

async function showRun(page, number) {
	const run = page.runs[number], main = document.querySelector("main");
	let bytes = null;

	if (run.timeline) {
		run.bytes = run.bytes || await unpack(`events-${number}`);
		bytes = run.bytes;
	}
	const parts = [summarySection(run), timelineSection(run, bytes),
		stacksSection(run), intervalsSection(run), codeSection(run),
		rooflineSection(run), occupancySection(run), memorySection(run),
		tablesSection(run)].filter((part) => part &&
			part.childElementCount > 1);

	main.replaceChildren(...page.sweeps.map(sweepSection), ...parts);
	document.querySelector("nav").replaceChildren(
		...[...main.querySelectorAll("section")].map((part) =>
			el("a", { href: `#${part.id}` },
				part.querySelector("h2").textContent)));
	if (run.view)
		run.view.draw();
	page.current = run;
}

async function start() {
	const page = JSON.parse(new TextDecoder().decode(await unpack("data")));

	/* For the console of who looks closer. */
	window.report = page;
	const dark = () => (document.documentElement.dataset.theme ||
		(matchMedia("(prefers-color-scheme: dark)").matches ? "dark"
			: "light")) === "dark";

	document.body.append(tip);
	document.querySelector("header").append(
		page.runs.length > 1 ? choice("run", page.runs.map((run, at) =>
			`${at + 1}: ${run.name}`), `1: ${page.runs[0].name}`, (text) =>
			showRun(page, parseInt(text, 10) - 1)) : "",
		el("button", { type: "button", onclick: () =>
			setTheme(dark() ? "light" : "dark") }, "light / dark"));
	document.addEventListener("theme", () => page.current &&
		page.current.view && page.current.view.draw());
	if (page.runs.length) {
		await showRun(page, 0);
	} else {
		document.querySelector("main").append(
			...page.sweeps.map(sweepSection));
	}
	if (location.hash)
		document.querySelector(`[id="${location.hash.slice(1)}"]`)
			?.scrollIntoView();
	document.body.dataset.ready = String(Math.round(performance.now()));
}

window.addEventListener("error", (event) => {
	document.body.dataset.failed = event.message;
});
start().catch((error) => {
	document.body.dataset.failed = String(error);
	document.querySelector("main").append(el("p", {}, `This page could not be ` +
		`shown: ${error}`));
	console.error(error);
});
