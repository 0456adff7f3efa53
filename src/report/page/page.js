// What a page adds to its drawings where scripts run: curves to point at and to zoom into, seeds to follow through
// the dots, and every attention map that it carries. Text from records goes in as text, never as markup.
"use strict";

(function () {
  const read = (id) => {
    const element = document.getElementById(id);
    return element ? JSON.parse(element.textContent) : null;
  };

  /** An element with properties (or, with a dash or in SVG's manner, attributes) and children. */
  function make(name, properties, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(properties || {})) {
      if (key in element) element[key] = value;
      else element.setAttribute(key, value);
    }
    element.append(...children);
    return element;
  }

  const isolated = (text) => make("bdi", { textContent: text });

  function number(value) {
    if (value === null || Number.isNaN(value)) return "none";
    return String(Number(value.toPrecision(4))).replace("-", "−").replace("e-", "e−");
  }

  // ---- curves ---------------------------------------------------------------------------------------------------
  const figures = read("curves-data") || [];
  const samples = [...document.querySelectorAll(".legend .sample")];
  const hidden = new Set();  // names of variants
  const charts = [];

  // The legend, value readouts and gestures of dygraphs are not used: its plugins for the first write markup.
  Dygraph.PLUGINS = Dygraph.PLUGINS.filter((plugin) =>
    plugin === Dygraph.Plugins.Grid || plugin === Dygraph.Plugins.Axes);

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

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

  // ---- every seed -----------------------------------------------------------------------------------------------
  for (const plots of document.querySelectorAll(".dot-plots")) {
    const rows = [...plots.querySelectorAll("tr[data-unit]")];
    const titles = [...plots.querySelectorAll(".units thead th")].slice(1).map((title) => title.textContent);
    const select = make("select", {}, make("option", { value: "", textContent: "none" }));
    for (const row of rows) {
      select.append(make("option", { value: row.dataset.unit, textContent: row.querySelector("th").textContent }));
    }
    const readout = make("p", { className: "readout" });
    readout.setAttribute("aria-live", "polite");
    const follow = (unit) => {
      plots.querySelectorAll(".on").forEach((element) => element.classList.remove("on"));
      readout.replaceChildren();
      if (unit === "") return;
      plots.querySelectorAll('[data-unit="' + Number(unit) + '"]').forEach((element) => element.classList.add("on"));
      const row = rows[Number(unit)];
      if (!row) return;
      readout.append(make("span", {}, "seed " + row.querySelector("th").textContent));
      [...row.querySelectorAll("td")].forEach((cell, i) => {
        readout.append(" ", make("span", {}, isolated(titles[i]), " " + cell.textContent));
      });
    };
    select.addEventListener("change", () => follow(select.value));
    plots.addEventListener("pointerover", (event) => {
      const mark = event.target.closest("path[data-unit]");
      follow(mark ? mark.dataset.unit : select.value);
    });
    plots.prepend(make("div", { className: "controls" }, make("label", {}, "Follow a seed", select)), readout);
  }

  // ---- attention maps -------------------------------------------------------------------------------------------
  const FIELDS = ["variant", "seed", "layer", "head", "sample", "step", "queries", "keys", "tokens", "entropy",
    "diagonal"];
  const CHOSEN = ["seed", "layer", "head", "sample", "step"];

  class Maps {
    constructor(data) {
      this.data = data;
      this.chunks = document.querySelectorAll("script.maps");
      this.decoded = new Map();  // of chunks, the latest few
      this.places = new Map();
      for (let i = 0; i * FIELDS.length < data.maps.length; ++i) {
        this.places.set([this.field(i, "variant"), ...CHOSEN.map((name) => this.field(i, name))].join(), i);
      }
    }

    field(map, name) { return this.data.maps[map * FIELDS.length + FIELDS.indexOf(name)]; }

    /** All values of a field, in their order. */
    values(name) {
      const values = new Set();
      for (let i = FIELDS.indexOf(name); i < this.data.maps.length; i += FIELDS.length) values.add(this.data.maps[i]);
      return [...values].sort((a, b) => a - b);
    }

    find(variant, choice) { return this.places.get([variant, ...CHOSEN.map((name) => choice[name])].join()); }

    /** A map's weights [queries × keys]; NaN where one is not finite. */
    weights(map) {
      let chunk = this.data.chunks.length - 1;
      while (this.data.chunks[chunk] > map) --chunk;
      if (!this.decoded.has(chunk)) {
        if (this.decoded.size >= 8) this.decoded.delete(this.decoded.keys().next().value);
        this.decoded.set(chunk, JSON.parse(this.chunks[chunk].textContent));
      }
      const text = atob(this.decoded.get(chunk)[map - this.data.chunks[chunk]]);
      return Float32Array.from(text, (byte) => {
        const level = byte.charCodeAt(0);
        return level > this.data.levels ? NaN : level / this.data.levels;
      });
    }
  }

  /** Colours between the given ones, by a share from 0 to 1. */
  function painter(stops) {
    const channels = stops.map((stop) => [1, 3, 5].map((at) => parseInt(stop.slice(at, at + 2), 16)));
    return (share) => {
      const place = Math.min(1, Math.max(0, share)) * (stops.length - 1);
      const below = Math.min(Math.floor(place), stops.length - 2);
      const mixed = channels[below].map((low, i) => Math.round(low + (place - below) * (channels[below + 1][i] - low)));
      return "rgb(" + mixed.join() + ")";
    };
  }

  /** One map: its variant, its picture, what is under the pointer or the cursor. */
  class Panel {
    constructor(viewer, variant) {
      this.viewer = viewer;
      this.cursor = null;  // [query, key]
      this.select = make("select", {});
      viewer.maps.data.variants.forEach((name, i) => this.select.append(make("option", { value: i, textContent: name })));
      this.select.value = variant;
      this.canvas = make("canvas", {});
      this.canvas.setAttribute("aria-hidden", "true");
      this.area = make("div", { className: "map", tabIndex: 0, role: "application", ariaRoleDescription: "attention map" },
        this.canvas);
      this.readout = make("p", { className: "readout" });
      this.readout.setAttribute("aria-live", "polite");
      this.facts = make("p", { className: "facts" });
      this.table = make("details", {}, make("summary", { textContent: "Numbers" }));
      this.element = make("div", { className: "panel" }, make("label", {}, "Variant", this.select), this.area,
        this.readout, this.facts, this.table);
      this.select.addEventListener("change", () => this.show());
      this.table.addEventListener("toggle", () => this.fillTable());
      this.canvas.addEventListener("pointermove", (event) => this.point(event));
      this.canvas.addEventListener("pointerleave", () => this.moveTo(null));
      this.area.addEventListener("keydown", (event) => this.move(event));
    }

    /** Takes up the map that is chosen. */
    show() {
      const { maps, choice } = this.viewer;
      this.map = maps.find(Number(this.select.value), choice);
      const name = maps.data.variants[Number(this.select.value)];
      this.area.hidden = this.map === undefined;
      this.readout.replaceChildren();
      if (this.map === undefined) {
        this.facts.textContent = "No such map is recorded.";
        this.table.hidden = true;
        return;
      }
      const field = (what) => maps.field(this.map, what);
      this.queries = field("queries");
      this.keys = field("keys");
      this.labels = maps.data.tokens[field("tokens")];
      this.weights = maps.weights(this.map);
      if (this.cursor && (this.cursor[0] >= this.queries || this.cursor[1] >= this.keys)) this.cursor = null;
      const told = (value) => value === null ? "not finite" : number(value);
      const facts = "Entropy " + told(field("entropy")) + " nats, weight on itself " + told(field("diagonal"));
      this.facts.textContent = facts;
      this.area.ariaLabel = "Attention map of " + name + ", " + this.queries + " by " + this.keys + ". " + facts +
        ". Arrow keys read its weights.";
      this.table.hidden = false;
      this.draw();
      this.say();
      this.fillTable();
    }

    label(token) { return this.labels[token] ?? String(token); }

    draw() {
      if (this.map === undefined) return;
      const context = this.canvas.getContext("2d");
      const font = "11.5px " + colour("--label");
      context.font = font;
      const most = Math.max(this.queries, this.keys);
      const room = Math.min(this.element.clientWidth || 400, 520);
      const named = most <= 48;
      const widths = Array.from({ length: most }, (_, i) => named ? context.measureText(this.label(i)).width : 0);
      this.left = named ? Math.min(Math.ceil(Math.max(...widths)) + 8, room * 0.3) : 0;
      this.side = Math.max(2, Math.min(44, Math.floor((room - this.left) / most)));
      const width = this.left + this.side * this.keys + 1;
      const height = this.left + this.side * this.queries + 1;
      const scale = window.devicePixelRatio || 1;
      this.canvas.width = Math.ceil(width * scale);
      this.canvas.height = Math.ceil(height * scale);
      this.canvas.style.width = width + "px";
      this.canvas.style.height = height + "px";
      context.scale(scale, scale);
      context.font = font;
      context.textBaseline = "middle";
      const largest = this.viewer.relative ? this.weights.reduce((a, b) => b > a ? b : a, 0) || 1 : 1;
      for (let query = 0; query < this.queries; ++query) {
        for (let key = 0; key < this.keys; ++key) {
          const weight = this.weights[query * this.keys + key];
          if (Number.isNaN(weight)) continue;
          context.fillStyle = this.viewer.paint(weight / largest);
          context.fillRect(this.left + key * this.side, this.left + query * this.side, this.side, this.side);
        }
      }
      if (named && this.side >= 9) this.drawLabels(context);
      if (this.cursor) this.drawCursor(context);
    }

    drawLabels(context) {
      context.fillStyle = colour("--ink");
      context.textAlign = "right";
      const room = this.left - 8;
      for (let query = 0; query < this.queries; ++query) {
        context.fillText(this.label(query), this.left - 5, this.left + (query + 0.5) * this.side, room);
      }
      context.textAlign = "left";
      for (let key = 0; key < this.keys; ++key) {
        context.save();
        context.translate(this.left + (key + 0.5) * this.side, this.left - 5);
        context.rotate(-Math.PI / 2);
        context.fillText(this.label(key), 0, 0, room);
        context.restore();
      }
    }

    drawCursor(context) {
      const x = this.left + this.cursor[1] * this.side;
      const y = this.left + this.cursor[0] * this.side;
      context.lineWidth = 3;
      context.strokeStyle = "#fff";
      context.strokeRect(x + 0.5, y + 0.5, this.side - 1, this.side - 1);
      context.lineWidth = 1;
      context.strokeStyle = "#000";
      context.strokeRect(x + 0.5, y + 0.5, this.side - 1, this.side - 1);
    }

    point(event) {
      const key = Math.floor((event.offsetX - this.left) / this.side);
      const query = Math.floor((event.offsetY - this.left) / this.side);
      const inside = key >= 0 && query >= 0 && key < this.keys && query < this.queries;
      this.moveTo(inside ? [query, key] : null);
    }

    move(event) {
      const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
        Home: [0, -Infinity], End: [0, Infinity] }[event.key];
      if (!by || this.map === undefined) return;
      event.preventDefault();
      const within = (value, count) => Math.min(count - 1, Math.max(0, value));
      const [query, key] = this.cursor || [0, 0];
      this.moveTo(this.cursor ? [within(query + by[0], this.queries), within(key + by[1], this.keys)] : [0, 0]);
    }

    moveTo(cursor) {
      if (String(cursor) === String(this.cursor)) return;
      this.cursor = cursor;
      this.draw();
      this.say();
    }

    /** What the query of the cursor gives its key. */
    say() {
      if (!this.cursor || this.map === undefined) {
        this.readout.replaceChildren();
        return;
      }
      const [query, key] = this.cursor;
      this.readout.replaceChildren(isolated(this.label(query)), " (" + query + ") looks at ",
        isolated(this.label(key)), " (" + key + "): " + this.told(this.weights[query * this.keys + key]));
    }

    told(weight) { return Number.isNaN(weight) ? "not finite" : weight.toFixed(3); }

    fillTable() {
      this.table.querySelectorAll("div, p").forEach((element) => element.remove());
      if (!this.table.open || this.map === undefined) return;
      if (this.queries * this.keys > 4096) {
        this.table.append(make("p", { textContent: "Too large for a table." }));
        return;
      }
      const cell = (name, scope, text) => make(name, scope ? { scope } : {}, isolated(text));
      const head = make("tr", {}, make("td", {}));
      for (let key = 0; key < this.keys; ++key) head.append(cell("th", "col", this.label(key)));
      const body = make("tbody", {});
      for (let query = 0; query < this.queries; ++query) {
        const row = make("tr", {}, cell("th", "row", this.label(query)));
        for (let key = 0; key < this.keys; ++key) row.append(cell("td", "", this.told(this.weights[query * this.keys + key])));
        body.append(row);
      }
      this.table.append(make("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: "Weights" },
        make("table", {}, make("thead", {}, head), body)));
    }
  }

  class Viewer {
    constructor(element, data) {
      this.maps = new Maps(data);
      this.paint = painter(data.colours);
      this.relative = false;
      this.choice = {};
      const controls = make("div", { className: "controls" });
      for (const name of ["seed", "layer", "head", "sample"]) controls.append(this.chooser(name));
      controls.append(...this.scaleChooser(), this.slider());
      const panels = make("div", { className: "panels" });
      const count = data.variants.length;
      this.panels = [new Panel(this, 0)];
      if (count > 1) this.panels.push(new Panel(this, 1));
      this.panels.forEach((panel) => panels.append(panel.element));
      element.append(controls, panels);
      element.hidden = false;
      element.closest("section").classList.add("has-viewer");
      this.show();
      new ResizeObserver(() => this.panels.forEach((panel) => panel.draw())).observe(element);
    }

    show() { this.panels.forEach((panel) => panel.show()); }

    /** A select of a field's values; not shown where there is one only. */
    chooser(name) {
      const values = this.maps.values(name);
      this.choice[name] = values[0];
      const select = make("select", { name });
      for (const value of values) {
        select.append(make("option", { value, textContent: name === "seed" ? this.maps.data.seeds[value] : value }));
      }
      select.addEventListener("change", () => {
        this.choice[name] = Number(select.value);
        this.show();
      });
      return make("label", { hidden: values.length < 2 }, name[0].toUpperCase() + name.slice(1), select);
    }

    scaleChooser() {
      const select = make("select", { name: "scale" }, make("option", { value: "", textContent: "0 to 1" }),
        make("option", { value: "relative", textContent: "0 to the map’s largest" }));
      const most = make("span", { textContent: "1" });
      select.addEventListener("change", () => {
        this.relative = select.value !== "";
        most.textContent = this.relative ? "largest" : "1";
        this.show();
      });
      const bar = make("canvas", { width: 100, height: 1 });
      bar.setAttribute("aria-hidden", "true");
      const context = bar.getContext("2d");
      for (let x = 0; x < bar.width; ++x) {
        context.fillStyle = this.paint(x / (bar.width - 1));
        context.fillRect(x, 0, 1, 1);
      }
      return [make("label", {}, "Colours", select), make("span", { className: "scale" }, "0", bar, most)];
    }

    slider() {
      const steps = this.maps.values("step");
      const told = make("span", {});
      const range = make("input", { type: "range", name: "step", min: 0, max: steps.length - 1, value: steps.length - 1 });
      const take = () => {
        this.choice.step = steps[Number(range.value)];
        told.textContent = "Step " + this.choice.step;
        range.setAttribute("aria-valuetext", "step " + this.choice.step);
      };
      take();
      range.addEventListener("input", () => {
        take();
        this.show();
      });
      return make("label", { className: "wider", hidden: steps.length < 2 }, told, range);
    }
  }

  const index = read("maps");
  const viewer = index ? new Viewer(document.getElementById("map-viewer"), index) : null;

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    charts.forEach((chart) => chart.refresh());
    if (viewer) viewer.show();
  });
}());
