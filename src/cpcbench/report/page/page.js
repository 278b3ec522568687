// What moves on the page: theme, sorting, landscapes, lines that stand out and the runs behind a cell. All text from
// the data goes into the page as text, never as markup. Data and Plotly are unpacked when they are first asked for.
"use strict";
(() => {
  async function unpacked(id) {
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).text();
  }
  const kept = {}; // what was unpacked, or is being so
  const data = () => (kept.data ??= unpacked("data").then(JSON.parse));
  const library = () => (kept.plotly ??= unpacked("plotly").then((source) => {
    const script = document.createElement("script");
    script.textContent = source;
    document.head.append(script);
    return window.Plotly;
  }));
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
    const entry = event.target.closest(".legend button");
    if (entry) standOut(entry);
  });

  // --- charts
  const layout = (extra) => ({
    paper_bgcolor: style("--paper"), plot_bgcolor: style("--panel"), font: { color: style("--ink"), size: 12 },
    margin: { l: 55, r: 10, t: 20, b: 50 }, height: innerWidth < 700 ? 300 : 412, ...extra,
  });
  const axis = (extra) => ({ gridcolor: style("--line"), zerolinecolor: style("--line"), automargin: true, ...extra });
  const options = { responsive: true, displaylogo: false, modeBarButtonsToRemove: ["toImage", "sendDataToCloud"] };
  // Plotly reads a few tags in names; those from the data are shown as they are
  const plain = (name) => String(name).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/%/g, "&#37;");
  const clone = (value) => JSON.parse(JSON.stringify(value)); // Plotly keeps what it is given

  const bytesOf = (packed) => Uint8Array.from(atob(packed.bdata), (c) => c.charCodeAt(0)).buffer;
  const inverse = { linear: (h) => h, log: (h) => 10 ** h, symlog: (h, unit) => 2 * unit * Math.sinh(h * Math.LN10) };
  function unfold(view) { // heights on the scale, which are drawn, and the values, which are shown when pointed at
    const columns = Number(view.z.shape.split(",")[1]);
    const [bottom, top] = view.heights;
    const heights = Array.from(new Uint16Array(bytesOf(view.z)), (k) => (k ? bottom + (top - bottom) * (k - 1) / 65534 : null));
    const back = inverse[view.scale.kind];
    const rows = (values) => Array.from({ length: values.length / columns }, (_, i) => values.slice(i * columns, (i + 1) * columns));
    view.rows = rows(heights);
    view.text = rows(heights.map((h) => (h === null ? "" : back(h, view.scale.unit).toPrecision(5))));
  }

  function drawLandscape(place, views, state) {
    const view = views[state.view];
    if (!view.rows) unfold(view);
    const [x, y, z] = [clone(view.x), clone(view.y), view.rows];
    const scale = { colorscale: "Viridis", cmin: view.low, cmax: view.high, zmin: view.low, zmax: view.high };
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

  async function landscape(sheet) {
    const place = sheet.querySelector(".landscape");
    if (!place || drawn.has(place)) return;
    drawn.set(place, () => {});
    const [{ landscapes }] = await Promise.all([data(), library()]);
    const views = landscapes[place.dataset.problem];
    const first = views.findIndex((view) => view.share > 0.02); // the first in which there is something to see
    const state = { view: first < 0 ? views.length - 1 : first, kind: "heat" };
    place.replaceChildren();
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

  // --- a name in a legend makes its lines stand out in every chart; once more, and all are alike again
  function standOut(entry) {
    const place = entry.getAttribute("aria-pressed") === "true" ? null : entry.closest("[data-series]").dataset.series;
    for (const button of document.querySelectorAll(".legend button")) {
      button.setAttribute("aria-pressed", String(button.closest("[data-series]").dataset.series === place));
    }
    for (const part of document.querySelectorAll(".chart > svg [data-series]")) {
      part.classList.toggle("dim", place !== null && part.dataset.series !== place);
    }
  }

  // --- what is wider than its place says so
  const wide = new ResizeObserver((entries) => entries.forEach((entry) => edges(entry.target)));
  function edges(place) {
    const left = place.scrollLeft > 2;
    const right = place.scrollLeft + place.clientWidth < place.scrollWidth - 2;
    if (left || right) place.dataset.more = [left && "left", right && "right"].filter(Boolean).join(" ");
    else delete place.dataset.more;
  }
  for (const place of document.querySelectorAll(".scroll, .formula")) {
    place.addEventListener("scroll", () => edges(place), { passive: true });
    wide.observe(place);
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
  async function showRuns(key) {
    const { runs, runColumns } = await data();
    const cell = runs[key];
    if (!cell) return;
    dialog.querySelector("h2").textContent = cell.title;
    dialog.querySelector("p").textContent = cell.note;
    const [head, body] = [dialog.querySelector("thead tr"), dialog.querySelector("tbody")];
    const filled = (tag, value) => Object.assign(document.createElement(tag), { textContent: value ?? "-" });
    head.replaceChildren(...runColumns.map((name) => {
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
  root.dataset.ready = "yes";
})();
