// A seed to follow through the dots.

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
