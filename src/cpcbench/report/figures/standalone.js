// A figure alone on its page: as wide as the window, light or dark as the reader's system is, or as the button says.
"use strict";
(async () => {
  async function unpacked(id) {
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
  }
  const [source, text] = await Promise.all([unpacked("plotly"), unpacked("data")]);
  const script = document.createElement("script");
  script.textContent = source;
  document.head.append(script);
  const { data, layout } = JSON.parse(text);
  const [root, place, button] = [document.documentElement, document.getElementById("figure"), document.getElementById("theme")];
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  const style = (name) => getComputedStyle(root).getPropertyValue(name).trim();

  function coloured() { // the colours of the page, in every axis and scene
    const made = { ...layout, autosize: true, paper_bgcolor: style("--paper"), plot_bgcolor: style("--blank"),
                   font: { ...layout.font, color: style("--ink") } };
    const axis = (given) => ({ ...given, gridcolor: style("--line"), zerolinecolor: style("--line"), linecolor: style("--line") });
    for (const name of Object.keys(made)) {
      if (/^[xy]axis/.test(name)) made[name] = axis(made[name]);
      if (/^scene/.test(name)) {
        made[name] = { ...made[name], ...Object.fromEntries(["xaxis", "yaxis", "zaxis"].map(
          (side) => [side, { ...axis(made[name][side]), backgroundcolor: style("--blank"), showbackground: true }])) };
      }
    }
    return made;
  }
  async function draw() {
    root.dataset.theme = chosen ?? (system.matches ? "dark" : "light");
    button.textContent = root.dataset.theme === "dark" ? "Light" : "Dark";
    await Plotly.react(place, data, coloured(), { responsive: true, displaylogo: false });
    root.dataset.ready = "yes";
  }
  button.addEventListener("click", () => { chosen = root.dataset.theme === "dark" ? "light" : "dark"; draw(); });
  system.addEventListener("change", draw);
  await draw();
})();
