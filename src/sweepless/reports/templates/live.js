
"use strict";
const byId = (id) => document.getElementById(id);
const write = (id, text) => { const at = byId(id); if (at.textContent !== text) at.textContent = text; };
const count = (number) => number.toLocaleString("en");
const short = (value) => String(Number(value.toPrecision(6)));
const features = (number) => `${count(number)} feature${number === 1 ? "" : "s"}`;
let state = null;
let heard = 0;

function drawn(parent, name, attributes, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
}

// Round numbers from low to high, about as many as asked for.
function ticks(low, high, about, whole) {
  const rough = (high - low) / about || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  let step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough);
  if (whole) step = Math.max(1, Math.round(step));
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9) || 0; k * step <= high + step * 1e-9; k++) {
    found.push([k * step, digits > 6 ? (k * step).toPrecision(4) : whole ? count(k * step) : (k * step).toFixed(digits)]);
  }
  return found;
}

class Plot {
  constructor(id, options) {
    this.place = byId(id);
    this.options = options;
    this.points = [];
    this.at = null;
    new ResizeObserver(() => this.draw()).observe(this.place);
    this.place.addEventListener("pointermove", (event) => this.point(this.nearest(event)));
    this.place.addEventListener("pointerdown", (event) => this.point(this.nearest(event)));
    this.place.addEventListener("pointerleave", () => this.point(null));
    this.place.addEventListener("blur", () => this.point(null));
    this.place.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (by === undefined || !this.points.length) return;
      event.preventDefault();
      const from = this.at === null ? (by > 0 ? -1 : this.points.length) : this.at;
      this.point(Math.min(this.points.length - 1, Math.max(0, from + by)));
    });
  }

  show(points, extra) {
    this.points = points;
    this.extra = extra;
    if (this.at !== null && this.at >= points.length) this.at = null;
    this.draw();
  }

  draw() {
    const { width, height } = this.place.getBoundingClientRect();
    this.place.replaceChildren();
    this.over = null;
    if (!width || !this.points.length) return;
    const svg = drawn(this.place, "svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    const xs = this.points.map((point) => point[0]);
    const ys = this.points.map((point) => point[1]);
    const { fromZero, stairs, whole } = this.options;
    let [left, right] = [fromZero ? 0 : Math.min(...xs), Math.max(...xs, this.extra.goalX || 0)];
    let [low, high] = [whole ? 0 : Math.min(...ys), Math.max(...ys, this.extra.goalY || 0)];
    if (right === left) right = left + 1;
    if (high === low) high = low + (Math.abs(low) || 1) * 0.1;
    if (!whole) { const air = (high - low) * 0.06; low -= air; high += air; }
    const levels = ticks(low, high, height / 45, whole);
    const margin = 14 + 7 * Math.max(...levels.map(([, text]) => text.length));
    const box = { left: margin, right: width - 14, top: 18, bottom: height - 24 };
    this.x = (value) => box.left + (value - left) / (right - left) * (box.right - box.left);
    this.y = (value) => box.bottom - (value - low) / (high - low) * (box.bottom - box.top);
    for (const [value, text] of levels) {
      drawn(svg, "line", { x1: box.left, x2: box.right, y1: this.y(value), y2: this.y(value), class: "grid" });
      drawn(svg, "text", { x: box.left - 8, y: this.y(value) + 4, "text-anchor": "end" }, text);
    }
    const caption = drawn(svg, "text", { x: box.right, y: height - 6, "text-anchor": "end" }, this.options.across);
    const free = box.right - caption.getComputedTextLength() - 10;
    for (const [value, text] of ticks(left, right, width / 90, true)) {
      if (this.x(value) + 4 * text.length > free) break;
      drawn(svg, "text", { x: this.x(value), y: height - 6, "text-anchor": "middle" }, text);
    }
    if (this.extra.goalX) {
      const x = this.x(this.extra.goalX);
      drawn(svg, "line", { x1: x, x2: x, y1: box.top, y2: box.bottom, class: "goal" });
      drawn(svg, "text", { x, y: 12, "text-anchor": x > width * 0.8 ? "end" : "middle" }, "target");
    }
    if (this.extra.goalY) {
      const y = this.y(this.extra.goalY);
      drawn(svg, "line", { x1: box.left, x2: box.right, y1: y, y2: y, class: "goal" });
      drawn(svg, "text", { x: box.left + 6, y: y - 5 }, "target");
    }
    let line = "";
    this.points.forEach(([px, py], k) => {
      const [x, y] = [this.x(px).toFixed(1), this.y(py).toFixed(1)];
      line += k === 0 ? `M${x} ${y}` : stairs ? `H${x}V${y}` : `L${x} ${y}`;
    });
    const last = this.x(xs[xs.length - 1]).toFixed(1);
    drawn(svg, "path", { d: `${line}L${last} ${box.bottom}L${this.x(xs[0]).toFixed(1)} ${box.bottom}Z`, class: "area" });
    drawn(svg, "path", { d: line, class: "curve" });
    if (this.points.length === 1) drawn(svg, "circle", { cx: this.x(xs[0]), cy: this.y(ys[0]), r: 3, class: "point" });
    if (this.extra.best) {
      const [x, y] = [this.x(this.extra.best[0]), this.y(this.extra.best[1])];
      drawn(svg, "circle", { cx: x, cy: y, r: 5, class: "best" });
      const anchor = x > width / 2 ? "end" : "start";
      const words = `${short(this.extra.best[1])} with ${features(this.extra.best[0])}`;
      drawn(svg, "text", { x: x + (anchor === "end" ? -4 : 4), y: y + 22, "text-anchor": anchor, class: "best" }, words);
    }
    this.box = box;
    this.svg = svg;
    this.width = width;
    this.over = drawn(svg, "g", {});
    this.mark();
  }

  nearest(event) {
    if (!this.points.length) return null;
    const x = event.clientX - this.place.getBoundingClientRect().left;
    let nearest = 0;
    this.points.forEach((point, k) => {
      if (Math.abs(this.x(point[0]) - x) < Math.abs(this.x(this.points[nearest][0]) - x)) nearest = k;
    });
    return nearest;
  }

  point(at) { this.at = at; this.mark(); }

  mark() {
    if (!this.over) return;
    this.over.replaceChildren();
    if (this.at === null || !this.points[this.at]) return;
    const [px, py] = this.points[this.at];
    const [x, y] = [this.x(px), this.y(py)];
    const words = this.options.says(px, py);
    drawn(this.over, "line", { x1: x, x2: x, y1: this.box.top, y2: this.box.bottom, class: "cross" });
    drawn(this.over, "circle", { cx: x, cy: y, r: 4, class: "point" });
    const text = drawn(this.over, "text", { class: "tip-text", y: 17 }, words);
    const wide = text.getComputedTextLength() + 16;
    const start = Math.min(Math.max(x - wide / 2, 0), this.width - wide);
    text.setAttribute("x", start + 8);
    text.before(drawn(this.over, "rect", { x: start, y: 2, width: wide, height: 22, rx: 5, class: "tip" }));
    this.place.setAttribute("aria-label", words);
  }
}

const curve = new Plot("curve", { across: "features", says: (size, value) => `${features(size)}: ${short(value)}` });
const path = new Plot("path", {
  across: "evaluations", fromZero: true, stairs: true, whole: true,
  says: (spent, size) => `after ${count(spent)} evaluations: ${features(size)}`,
});

function show() {
  const run = state.run;
  byId("status").dataset.state = state.state;
  write("doing", state.words.doing);
  if (!run) {  // also when the file has gone: nothing of another run may stay
    for (const id of ["best-value", "size", "evaluations", "time"]) write(id, "–");
    for (const id of ["about", "best-size", "value", "rate", "age", "curve-note", "path-note"]) write(id, "\u00a0");
    write("method", "sweepless");
    document.title = "sweepless";
    for (const plot of [curve, path]) plot.show([], {});
    byId("rows").replaceChildren();
    return;
  }
  write("method", run.method);
  write("about", `${run.criterion} · ${count(run.n_samples)} samples × ${features(run.n_features)} · seed ${run.seed}`);
  document.title = state.best_value === null ? run.method : `${short(state.best_value)} · ${run.method}`;
  write("best-value", state.best_value === null ? "–" : short(state.best_value));
  write("best-size", state.best_size === null ? "none yet" : `with ${features(state.best_size)}`);
  write("size", count(state.size));
  write("value", state.value === null ? "\u00a0" : `worth ${short(state.value)}`);
  write("evaluations", count(state.n_evaluations));
  write("rate", state.rate === null ? "\u00a0" : `${count(Math.round(state.rate))} per second`);
  write("time", state.words.time);
  const atTarget = state.target_value !== null && run.target !== state.best_size;
  write("curve-note", atTarget ? `${short(state.target_value)} at the target of ${count(run.target)}` : "\u00a0");
  const recalls = state.n_recalls ? `, ${count(state.n_recalls)} returns to a record` : "";
  write("path-note", `${count(state.n_advances)} advances, ${count(state.n_retreats)} retreats${recalls}`);
  curve.show(state.curve, { goalX: run.target, best: state.best_value === null ? null : [state.best_size, state.best_value] });
  path.show(state.path, { goalY: run.target });
  byId("rows").replaceChildren(...state.curve.map(([size, value]) => {
    const row = document.createElement("tr");
    for (const text of [count(size), String(value)]) row.append(Object.assign(document.createElement("td"), { textContent: text }));
    return row;
  }));
}

function ago(seconds) {
  if (seconds < 100) return `${Math.floor(seconds)} s`;
  return seconds < 6000 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`;
}

function age() {
  if (!state || !state.run || state.age === null) return;
  const seconds = state.age + (performance.now() - heard) / 1000;
  const lives = state.n_resumed ? `, resumed ${state.n_resumed}×` : "";
  write("age", (state.state === "ended" ? `ended ${ago(seconds)} ago` : `last record ${ago(seconds)} ago`) + lives);
}

let tag = "";
async function poll() {
  try {
    const answer = await fetch("/state.json", { cache: "no-store", headers: tag ? { "If-None-Match": tag } : {} });
    if (answer.status === 200) {
      state = await answer.json();
      tag = answer.headers.get("etag");
      heard = performance.now();
      show();
    } else if (answer.status === 304) {
      byId("status").dataset.state = state.state;
      write("doing", state.words.doing);
    } else throw new Error(answer.status);
  } catch {
    byId("status").dataset.state = "failed";
    write("doing", "the server does not answer");
  }
  age();
  setTimeout(poll, document.hidden ? 5000 : 1000);
}
poll();
