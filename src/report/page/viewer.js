// The controls of attention maps, and two of these side by side.

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
