// What a page adds to its drawings where scripts run. Its files are put together by embed.cmake, which
// has their order, in one strict function. Text from records goes in as text, never as markup.

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
  const short = Number(value.toPrecision(4));
  return (Math.abs(short) < 1e6 ? String(short) : short.toExponential()).replace("-", "−").replace("e-", "e−");
}

/** A colour or font of the style sheet. */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
