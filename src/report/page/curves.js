// Curves to point at, to zoom into and to read by keyboard, drawn by dygraphs.

const figures = read("curves-data") || [];
const samples = [...document.querySelectorAll(".legend .sample")];
const hidden = new Set();  // names of variants
const charts = [];

// The legend, value readouts and gestures of dygraphs are not used: its plugins for the first write markup.
Dygraph.PLUGINS = Dygraph.PLUGINS.filter((plugin) =>
  plugin === Dygraph.Plugins.Grid || plugin === Dygraph.Plugins.Axes);

/** The stroke of a variant, as the style sheet draws it. */
function look(style) {
  const drawn = getComputedStyle(samples[style].querySelector("path"));
  const dashes = drawn.strokeDasharray === "none" ? null : drawn.strokeDasharray.split(/[ ,]+/).map(parseFloat);
  return { color: drawn.stroke, strokePattern: dashes, strokeWidth: parseFloat(drawn.strokeWidth) };
}

/** Powers of ten; where there are few of them, twice and five times these too. */
function logarithmicTicks(low, high) {
  const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
  const factors = last - first <= 2 ? [1, 2, 5] : [1];
  const stride = Math.max(1, Math.ceil((last - first) / 7));
  const ticks = [];
  for (let power = first; power <= last; power += stride) {
    for (const factor of factors) {
      // By its text, since 10 ** -5 is not 1e-5.
      const v = Number(factor + "e" + power);
      if (v >= low && v <= high) ticks.push({ v, label: number(v) });
    }
  }
  return ticks;
}

class Chart {
  constructor(figure, data) {
    this.data = data;
    this.logarithmic = data.logarithmic;
    this.steps = [...new Set(data.lines.flatMap((line) => line.steps))].sort((a, b) => a - b);
    const plot = figure.querySelector(".plot");
    this.area = make("div", { className: "live", tabIndex: 0, role: "application",
      ariaRoleDescription: "curves",
      ariaLabel: data.title + ": left and right arrow keys read the values at each step" });
    this.readout = make("p", { className: "readout" });
    this.readout.setAttribute("aria-live", "polite");
    this.logarithmButton = make("button", { type: "button", textContent: "logarithmic",
      ariaPressed: String(this.logarithmic) });
    this.wholeButton = make("button", { type: "button", textContent: "whole range", hidden: true });
    plot.before(make("div", { className: "tools" }, this.logarithmButton, this.wholeButton));
    plot.append(this.area);
    plot.after(this.readout);
    plot.classList.add("has-live");
    this.graph = new Dygraph(this.area, this.rows(), this.options());
    this.logarithmButton.addEventListener("click", () => this.toggleLogarithm());
    this.wholeButton.addEventListener("click", () => this.graph.resetZoom());
    this.area.addEventListener("keydown", (event) => this.move(event));
    this.area.addEventListener("blur", () => this.graph.clearSelection());
  }

  /** The lowest end that a logarithmic axis shows: a power of ten below every mean. */
  floor() {
    const means = this.data.lines.flatMap((line) => line.mean).filter((mean) => mean > 0);
    return means.length ? 10 ** Math.floor(Math.log10(Math.min(...means))) : 1;
  }

  rows() {
    const floor = this.logarithmic ? this.floor() : -Infinity;
    const rows = new Map(this.steps.map((step) => [step, [step]]));
    this.data.lines.forEach((line, place) => {
      line.steps.forEach((step, i) => {
        const mean = line.mean[i];
        // dygraphs bridges null and breaks at NaN: there a run had no finite value.
        rows.get(step)[place + 1] = mean === null ? [NaN, NaN, NaN]
          : [Math.max(line.low[i], floor), mean, line.high[i]];
      });
    });
    const nothing = [null, null, null];
    return [...rows.values()].map((row) =>
      Array.from({ length: this.data.lines.length + 1 }, (_, i) => row[i] ?? nothing));
  }

  options() {
    // Variants' names are no keys here: one may be called as an option is.
    const names = this.data.lines.map((_, i) => "line " + i);
    const series = {};
    names.forEach((name, i) => { series[name] = look(this.data.lines[i].style); });
    return {
      labels: ["step", ...names],
      series,
      customBars: true,
      fillAlpha: 0.15,
      connectSeparatedPoints: true,
      logscale: this.logarithmic,
      valueRange: this.logarithmic ? [this.floor(), null] : null,
      visibility: this.data.lines.map((line) => !hidden.has(line.variant)),
      axisLineColor: colour("--strong-rule"),
      gridLineColor: colour("--rule"),
      gridLineWidth: 1,
      highlightCircleSize: 4,
      xRangePad: 4,
      axes: {
        x: { axisLabelFormatter: (step) => Number.isInteger(step) ? String(step) : "" },
        y: {
          axisLabelWidth: 58,
          axisLabelFormatter: (value) => number(value),
          ticker: this.logarithmic ? logarithmicTicks : Dygraph.numericTicks,
        },
      },
      highlightCallback: (event, step, points, row) => this.say(row),
      unhighlightCallback: () => this.readout.replaceChildren(),
      zoomCallback: () => { this.wholeButton.hidden = !this.graph.isZoomed(); },
    };
  }

  refresh() { this.graph.updateOptions({ file: this.rows(), ...this.options() }); }

  toggleLogarithm() {
    this.logarithmic = !this.logarithmic;
    this.logarithmButton.ariaPressed = String(this.logarithmic);
    this.refresh();
  }

  move(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const now = this.graph.getSelection();
    const last = this.steps.length - 1;
    const begins = now < 0 && Number.isFinite(by);
    const row = begins ? (by > 0 ? 0 : last) : Math.min(last, Math.max(0, now + by));
    this.graph.setSelection(row);
    this.say(row);
  }

  /** The means at a row's step. */
  say(row) {
    const step = this.steps[row];
    const parts = [make("span", {}, "step " + step)];
    for (const line of this.data.lines) {
      const i = line.steps.indexOf(step);
      if (i < 0 || hidden.has(line.variant)) continue;
      const sample = samples[line.style].cloneNode(true);
      parts.push(" ", make("span", {}, sample, isolated(line.variant), " " + number(line.mean[i])));
    }
    this.readout.replaceChildren(...parts);
  }
}

// A chart is made when it comes into sight.
const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    watcher.unobserve(entry.target);
    charts.push(new Chart(entry.target, figures[Number(entry.target.dataset.curve)]));
  }
}, { rootMargin: "300px" });
document.querySelectorAll("figure.curve").forEach((figure) => watcher.observe(figure));

for (const item of document.querySelectorAll(".legend li")) {
  const variant = item.querySelector("bdi").textContent;
  const box = make("input", { type: "checkbox", checked: true });
  box.addEventListener("change", () => {
    if (box.checked) hidden.delete(variant);
    else hidden.add(variant);
    charts.forEach((chart) => chart.refresh());
  });
  item.replaceChildren(make("label", {}, box, ...item.childNodes));
}
