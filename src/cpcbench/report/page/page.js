// What moves on the page: theme, sorting, landscapes, charts and the runs behind a cell. All text from the
// data goes into the page as text, never as markup.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const style = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const drawn = new Map(); // element -> function that draws it again

  // --- theme: the reader's system decides until the button does
  let chosen = null;
  try { chosen = localStorage.getItem("cpcbench-theme"); } catch { /* a file opened from disk may have no storage */ }
  const themeButton = document.getElementById("theme");
  function applyTheme() {
    root.dataset.theme = chosen ?? (dark.matches ? "dark" : "light");
    themeButton.textContent = root.dataset.theme === "dark" ? "Light" : "Dark";
    themeButton.setAttribute("aria-label", `switch to the ${root.dataset.theme === "dark" ? "light" : "dark"} theme`);
    for (const draw of drawn.values()) draw();
  }
  themeButton.addEventListener("click", () => {
    chosen = root.dataset.theme === "dark" ? "light" : "dark";
    try { localStorage.setItem("cpcbench-theme", chosen); } catch { /* as above */ }
    applyTheme();
  });
  dark.addEventListener("change", applyTheme);

  // --- sorting: numbers as numbers, what is undefined or missing last in either direction
  function sortBy(header) {
    const table = header.closest("table");
    const index = [...header.parentNode.children].indexOf(header);
    const down = header.getAttribute("aria-sort") === "ascending";
    const key = (row) => row.children[index].dataset.key ?? row.children[index].textContent;
    const compare = (a, b) => {
      const [x, y] = [key(a), key(b)];
      if (x === "" || y === "") return (x === "") - (y === "");
      const both = Number(x) - Number(y);
      const order = Number.isNaN(both) ? x.localeCompare(y, "en", { numeric: true }) : both;
      return down ? -order : order;
    };
    for (const other of header.parentNode.children) other.setAttribute("aria-sort", "none");
    header.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    body.append(...[...body.rows].sort(compare));
  }
  document.addEventListener("click", (event) => {
    const header = event.target.closest("table.sortable thead th");
    if (header) sortBy(header);
    const cell = event.target.closest("[data-runs]");
    if (cell) showRuns(cell.dataset.runs);
  });

  // --- charts
  const layout = (extra) => ({
    paper_bgcolor: style("--paper"), plot_bgcolor: style("--panel"), font: { color: style("--ink"), size: 12 },
    margin: { l: 55, r: 15, t: 30, b: 45 }, ...extra,
  });
  const axis = (extra) => ({ gridcolor: style("--line"), zerolinecolor: style("--line"), automargin: true, ...extra });
  const options = { responsive: true, displaylogo: false, modeBarButtonsToRemove: ["toImage", "sendDataToCloud"] };
  // Plotly reads a few tags in names; those from the data are shown as they are
  const plain = (name) => String(name).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/%/g, "&#37;");
  const clone = (value) => JSON.parse(JSON.stringify(value)); // Plotly keeps what it is given

  const decoded = (packed) => new Float32Array(Uint8Array.from(atob(packed.bdata), (c) => c.charCodeAt(0)).buffer);
  const inverse = { linear: (h) => h, log: (h) => 10 ** h, symlog: (h, unit) => 2 * unit * Math.sinh(h * Math.LN10) };
  function valuesAsText(view) { // what is drawn is a height on the scale; what is shown when pointed at is the value
    const [rows, columns] = view.z.shape.split(",").map(Number);
    const heights = decoded(view.z);
    const back = inverse[view.scale.kind];
    return Array.from({ length: rows }, (_, i) => Array.from(heights.subarray(i * columns, (i + 1) * columns),
      (h) => (Number.isNaN(h) ? "" : back(h, view.scale.unit).toPrecision(6))));
  }

  function drawLandscape(place, views, state) {
    const view = views[state.view];
    const [x, y, z] = [clone(view.x), clone(view.y), clone(view.z)];
    const scale = { colorscale: "Viridis", cmin: view.low, cmax: view.high, zmin: view.low, zmax: view.high };
    view.text ??= valuesAsText(view);
    const marks = { tickvals: view.ticks[0], ticktext: view.ticks[1] };
    const bar = { title: { text: view.scale.note ? `f (${view.scale.note})` : "f", side: "right" }, thickness: 12, len: .9, ...marks };
    const names = view.names.map(plain);
    const hover = `${names[0]} %{x:.6g}<br>${names[1]} %{y:.6g}<br>f %{text}<extra></extra>`;
    const traces = state.kind === "surface"
      ? [{ type: "surface", x, y, z, text: view.text, colorscale: scale.colorscale, cmin: view.low, cmax: view.high, colorbar: bar,
           hovertemplate: hover, connectgaps: false }]
      : [{ type: "heatmap", x, y, z, text: view.text, ...scale, colorbar: bar, hoverongaps: false, hovertemplate: hover }];
    if (state.kind !== "surface" && view.marks.length) {
      traces.push({ type: "scatter", mode: "markers", x: view.marks.map((m) => m[0]), y: view.marks.map((m) => m[1]),
        marker: { symbol: "star", size: 13, color: "#ff3d7f", line: { color: "#fff", width: 1 } },
        name: "best known", hovertemplate: "best known<extra></extra>", showlegend: false });
    }
    const flat = { xaxis: axis({ title: { text: names[0] }, range: view.window[0] }),
                   yaxis: axis({ title: { text: names[1] }, range: view.window[1] }) };
    const scene = { scene: { xaxis: axis({ title: { text: names[0] } }), yaxis: axis({ title: { text: names[1] } }),
                    zaxis: axis({ title: { text: "f" }, range: [view.low, view.high], ...marks }) } };
    Plotly.react(place, traces, layout({ ...(state.kind === "surface" ? scene : flat) }), options);
    place.dataset.view = view.title;
    place.dataset.kind = state.kind;
  }

  function landscape(sheet) {
    const place = sheet.querySelector(".landscape");
    if (!place || drawn.has(place)) return;
    const views = data.landscapes[place.dataset.problem];
    const first = views.findIndex((view) => view.share > 0.02); // the first in which there is something to see
    const state = { view: first < 0 ? views.length - 1 : first, kind: "heat" };
    const draw = () => drawLandscape(place, views, state);
    const choices = sheet.querySelector(".choices");
    const button = (label, pressed, act) => {
      const made = document.createElement("button");
      made.type = "button";
      made.textContent = label;
      made.setAttribute("aria-pressed", String(pressed()));
      made.addEventListener("click", () => {
        act();
        for (const [other, is] of buttons) other.setAttribute("aria-pressed", String(is()));
        draw();
      });
      choices.append(made);
      buttons.push([made, pressed]);
    };
    const buttons = [];
    views.forEach((view, i) => button(view.title, () => state.view === i, () => { state.view = i; }));
    button("surface", () => state.kind === "surface", () => { state.kind = state.kind === "surface" ? "heat" : "surface"; });
    drawn.set(place, draw);
    draw();
  }

  const DASHES = ["solid", "dash", "dot", "dashdot", "longdash"];
  function room(place, names) { // the legend stands below in columns, and the chart grows with it
    const entry = Math.min(260, 60 + 7 * Math.max(0, ...names.map((name) => name.length)));
    const rows = Math.ceil(names.length / Math.max(1, Math.floor((place.clientWidth - 70) / entry)));
    const below = 60 + 20 * rows;
    return { height: 300 + below, margin: { l: 60, r: 15, t: 20, b: below },
             legend: { orientation: "h", yref: "container", y: 0, yanchor: "bottom", entrywidth: entry - 40, maxheight: 1e4 } };
  }
  function chart(place) {
    if (drawn.has(place)) return;
    const wanted = data.charts[place.dataset.chart];
    const draw = () => Plotly.react(
      place,
      wanted.curves.map((c, i) => ({ type: "scatter", mode: "lines", x: clone(c.x), y: clone(c.y), name: plain(c.name),
        line: { shape: wanted.steps ? "hv" : "linear", dash: DASHES[Math.floor(i / 10) % DASHES.length] } })),
      layout({ xaxis: axis({ title: { text: plain(wanted.x) }, type: wanted.log ? "log" : "linear", range: wanted.range }),
               yaxis: axis({ title: { text: plain(wanted.y) }, range: [0, 1.02] }),
               ...room(place, wanted.curves.map((c) => String(c.name))) }),
      options);
    drawn.set(place, draw);
    draw();
  }

  // --- sheets open from links, and draw when they are opened
  for (const sheet of document.querySelectorAll("details.sheet")) {
    sheet.addEventListener("toggle", () => { if (sheet.open) landscape(sheet); });
    if (sheet.open) landscape(sheet);
  }
  function openTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const sheet = target?.closest("details");
    if (sheet) { sheet.open = true; target.scrollIntoView(); }
  }
  addEventListener("hashchange", openTarget);
  document.getElementById("open-all")?.addEventListener("click", (event) => {
    const open = event.target.getAttribute("aria-pressed") !== "true";
    event.target.setAttribute("aria-pressed", String(open));
    for (const sheet of document.querySelectorAll("details.sheet")) sheet.open = open;
  });

  // --- the runs behind a cell
  const dialog = document.getElementById("runs");
  function showRuns(key) {
    const cell = data.runs[key];
    if (!cell) return;
    dialog.querySelector("h2").textContent = cell.title;
    dialog.querySelector("p").textContent = cell.note;
    const [head, body] = [dialog.querySelector("thead tr"), dialog.querySelector("tbody")];
    const filled = (tag, value) => Object.assign(document.createElement(tag), { textContent: value ?? "-" });
    head.replaceChildren(...data.runColumns.map((name) => {
      const made = filled("th", "");
      made.setAttribute("aria-sort", "none");
      const button = filled("button", name);
      button.type = "button";
      made.append(button);
      return made;
    }));
    body.replaceChildren(...cell.rows.map((row) => {
      const line = document.createElement("tr");
      line.append(...row.map((value) => {
        const made = filled("td", value);
        made.dataset.key = value === "undefined" ? "" : value ?? "";
        return made;
      }));
      return line;
    }));
    dialog.showModal();
  }
  dialog?.querySelector(".close").addEventListener("click", () => dialog.close());

  applyTheme();
  openTarget();
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) chart(entry.target);
  }, { rootMargin: "300px" });
  for (const place of document.querySelectorAll(".chart")) seen.observe(place);
  root.dataset.ready = "yes";
})();
