// One attention map: its variant, its picture, what is under the pointer or the cursor, its numbers.

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
    this.idle = [];
    for (let query = 0; query < this.queries; ++query) {
      const row = this.weights.subarray(query * this.keys, (query + 1) * this.keys);
      if (row.every((weight) => weight === 0)) this.idle.push(query);
    }
    const broken = this.weights.filter(Number.isNaN).length;
    const told = (value) => value === null ? "not finite" : number(value);
    const facts = "Entropy " + told(field("entropy")) + " nats, weight on itself " + told(field("diagonal")) +
      (this.idle.length ? ", crossed out: " + this.idle.length + " of " + this.queries + " queries attend to nothing" : "") +
      (broken ? ", crossed out: " + broken + " weights are not finite" : "");
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
        if (Number.isNaN(weight)) {
          this.cross(context, this.left + key * this.side, this.left + query * this.side, this.side, this.side);
          continue;
        }
        context.fillStyle = this.viewer.paint(weight / largest);
        context.fillRect(this.left + key * this.side, this.left + query * this.side, this.side, this.side);
      }
    }
    for (const query of this.idle) {
      this.cross(context, this.left, this.left + query * this.side, this.side * this.keys, this.side);
    }
    if (named && this.side >= 9) this.drawLabels(context);
    if (this.cursor) this.drawCursor(context);
  }

  /** Marks what is no weight. */
  cross(context, x, y, width, height) {
    context.fillStyle = colour("--raised");
    context.fillRect(x, y, width, height);
    context.strokeStyle = colour("--quiet");
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, y + height);
    context.lineTo(x + width, y);
    context.stroke();
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

  told(weight) { return Number.isNaN(weight) ? "not finite" : number(Number(weight.toPrecision(3))); }

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
