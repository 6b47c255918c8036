// Draws the charts of the page, and lets the controls above them hide and show what they name.
(() => {
  "use strict";
  const { charts, files } = JSON.parse(document.getElementById("page-data").textContent);
  const touch = matchMedia("(pointer: coarse)").matches;
  const config = {
    responsive: true, displaylogo: false, doubleClick: "reset", scrollZoom: false,
    // All buttons by name: Plotly's own choice has one that uploads the chart.
    modeBarButtons: [["toImage"], ["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"]],
    showSendToCloud: false,
    displayModeBar: touch ? false : "hover",
  };
  const drawn = [...document.querySelectorAll(".chart")];

  for (const element of drawn) {
    const { data, layout, height } = charts[element.id];
    layout.height = Math.min(height, innerWidth < 640 ? Math.max(320, height * .85) : height);
    if (touch) layout.dragmode = false; // a finger that scrolls the page must not zoom the chart
    Plotly.newPlot(element, data, layout, config);
    element.addEventListener("keydown", walk);
  }

  // Arrow keys walk along the first visible line and show its values; Escape leaves.
  function walk(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const lines = event.currentTarget.data
      .map((trace, curve) => ({ trace, curve }))
      .filter(({ trace }) => trace.visible !== false && trace.hoverinfo !== "skip");
    if (event.key === "Escape") return Plotly.Fx.unhover(event.currentTarget);
    if (!step || !lines.length) return;
    const { trace, curve } = lines[0];
    const at = (Number(event.currentTarget.dataset.at ?? (step > 0 ? -1 : trace.x.length)) + step + trace.x.length)
      % trace.x.length;
    event.currentTarget.dataset.at = at;
    const together = event.currentTarget.layout.hovermode === "x unified";
    Plotly.Fx.hover(event.currentTarget, together
      ? { xval: trace.x[at] } : [{ curveNumber: curve, pointNumber: at }]);
    event.preventDefault();
  }

  for (const controls of document.querySelectorAll(".controls")) {
    const own = drawn.filter((element) => controls.parentElement.contains(element));
    const arms = [...controls.querySelectorAll("button[data-arm]")];
    const bands = controls.querySelector("button[data-bands]");
    const all = controls.querySelector("button[data-all]");
    const seed = controls.querySelector("select");
    const pressed = (button) => button.getAttribute("aria-pressed") === "true";
    const show = () => {
      const on = new Set(arms.filter(pressed).map((button) => Number(button.dataset.arm)));
      for (const element of own) {
        const known = element.data.some((trace) => trace.meta);
        if (known) Plotly.restyle(element, { visible: element.data.map(({ meta }) =>
          (meta.reference || on.has(meta.arm)) && (!meta.band || pressed(bands)) && (meta.seed === undefined || meta.seed === Number(seed.value))) });
      }
    };
    for (const button of [...arms, bands].filter(Boolean)) button.addEventListener("click", () => {
      button.setAttribute("aria-pressed", String(!pressed(button)));
      show();
    });
    for (const button of arms) button.addEventListener("dblclick", () => {
      for (const other of arms) other.setAttribute("aria-pressed", String(other === button));
      show();
    });
    all?.addEventListener("click", () => {
      for (const button of arms) button.setAttribute("aria-pressed", "true");
      show();
    });
    seed?.addEventListener("change", show);
    show();
  }

  for (const link of document.querySelectorAll("a[data-file]"))
    link.href = URL.createObjectURL(new Blob([files[link.dataset.file]], { type: "text/csv;charset=utf-8" }));

  // Paper is narrower than a screen, and a chart does not shrink by itself.
  addEventListener("beforeprint", () => drawn.forEach((element) => Plotly.relayout(element, { width: 680 })));
  addEventListener("afterprint", () => drawn.forEach((element) => {
    Plotly.relayout(element, { width: null, autosize: true });
  }));
  document.documentElement.dataset.drawn = drawn.length;
})();
