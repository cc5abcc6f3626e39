// Plots of tables: each `<table data-plot="label">` with times or days in its first column and numbers in the others.
"use strict";

(() => {
  const HALF_DAY_S = 43_200;
  const drawn = new Map(); // by table: the plot, its figure and what watches its width
  let library = null;

  function loadLibrary() {
    library ??= new Promise((resolve, reject) => {
      const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/static/uPlot.min.css" });
      const script = Object.assign(document.createElement("script"), { src: "/static/uPlot.iife.min.js" });
      script.onload = resolve;
      script.onerror = reject;
      document.head.append(sheet, script);
    });
    return library;
  }

  function readTable(table) {
    const rows = [...table.tBodies[0].rows];
    const at = (row) => row.cells[0].textContent.trim();
    const seconds = (text) => new Date(text.length > 10 ? text : `${text}T00:00`).getTime() / 1000;
    const number = (cell) => Number(cell.textContent.replaceAll(",", ""));
    const names = [...table.tHead.rows[0].cells].slice(1).map((cell) => cell.textContent.trim());
    const series = names.map((_name, place) => rows.map((row) => number(row.cells[place + 1]))).reverse();
    return { rows, names: names.reverse(), data: [rows.map((row) => seconds(at(row))), ...series] };
  }

  // The first column is a dashed line with points, the last one bars, and the line is drawn over them: nobody needs the
  // colours to tell them apart. A table that is to be a line alone (data-as) begins where its numbers do.
  function makeOptions(table, { names, rows, data }, width) {
    const { as, until } = table.dataset;
    const isLine = as === "line";
    const end = Math.max(data[0].at(-1), until ? new Date(`${until}T00:00`).getTime() / 1000 : 0);
    const style = getComputedStyle(document.documentElement);
    const ink = (name) => {
      const probe = document.body.appendChild(document.createElement("i"));
      probe.style.color = `var(${name})`;
      const colour = getComputedStyle(probe).color;
      probe.remove();
      return colour;
    };
    const small = `${parseFloat(style.fontSize) * 0.8125}px ${style.getPropertyValue("--sans")}`;
    const axis = { stroke: ink("--quiet"), font: small, grid: { stroke: ink("--raised"), width: 1 }, ticks: { show: false } };
    const line = { stroke: ink("--text"), width: 1.5, dash: [5, 3], points: { show: true, size: 4, fill: ink("--text"), filter: (plot, at) => [...plot.data[at].keys()].filter((place) => plot.data[at][place]) } };
    const bars = { stroke: ink("--accent"), fill: ink("--accent"), width: 0, paths: uPlot.paths.bars({ size: [0.6, 40] }), points: { show: false } };
    return {
      width,
      height: 160,
      cursor: { drag: { x: false, y: false } },
      legend: { markers: { dash: (_plot, place) => (place > 1 ? "dashed" : "solid") } },
      scales: {
        x: { range: () => [data[0][0] - HALF_DAY_S, end + HALF_DAY_S] },
        y: { range: (_plot, low, high) => (isLine ? [Math.max(low - Math.max((high - low) * 0.1, 2), 0), high + Math.max((high - low) * 0.1, 2)] : [0, Math.max(high * 1.1, 4)]) },
      },
      axes: [
        { ...axis, size: 28, space: 64, values: (_plot, marks) => marks.map((mark) => new Date(mark * 1000).toLocaleDateString([], { day: "numeric", month: "short" })) },
        { ...axis, size: 40, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6] },
      ],
      series: [
        { label: "Day", value: (_plot, at) => (at == null ? "" : new Date(at * 1000).toLocaleDateString()) },
        ...names.map((label, place) => ({ label, value: (_plot, one) => one?.toLocaleString("en") ?? "", ...(isLine ? { stroke: bars.stroke, width: 2, points: { show: false } } : place ? line : bars) })),
      ],
      hooks: {
        ready: [(plot) => plot.over.addEventListener("click", () => rows[plot.cursor.idx]?.querySelector("a")?.click())],
      },
    };
  }

  // Its room is kept before the library is there: what stands below does not jump.
  function makeRoom(table) {
    const figure = document.createElement("div");
    figure.className = "plot";
    figure.setAttribute("role", "img");
    figure.setAttribute("aria-label", `${table.dataset.plot}; the table below has the numbers`);
    (table.closest("details") ?? table).before(figure);
    drawn.set(table, { figure, text: table.textContent });
  }

  function draw(table) {
    const { figure } = drawn.get(table);
    const read = readTable(table);
    const plot = new uPlot(makeOptions(table, read, figure.clientWidth), read.data, figure);
    const watcher = new ResizeObserver(() => plot.setSize({ width: figure.clientWidth, height: plot.height }));
    watcher.observe(figure);
    Object.assign(drawn.get(table), { plot, watcher });
  }

  function erase(table) {
    const { plot, figure, watcher } = drawn.get(table);
    watcher?.disconnect();
    plot?.destroy();
    figure.remove();
    drawn.delete(table);
  }

  async function drawAll() {
    for (const [table, one] of drawn) {
      if (!table.isConnected || !one.figure.isConnected || one.text !== table.textContent) erase(table);
    }
    const tables = [...document.querySelectorAll("table[data-plot]")].filter((table) => table.tBodies[0]?.rows.length);
    if (!tables.length) return;
    for (const table of tables) if (!drawn.has(table)) makeRoom(table);
    await loadLibrary();
    for (const table of tables) if (table.isConnected && drawn.has(table) && !drawn.get(table).plot) draw(table);
  }

  document.addEventListener("DOMContentLoaded", drawAll);
  document.addEventListener("htmx:after:settle", drawAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const table of [...drawn.keys()]) erase(table);
    drawAll();
  });
})();
