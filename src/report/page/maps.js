// The attention maps that the page carries, each decoded when it is looked at.

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
    const bytes = new DataView(Uint8Array.from(text, (byte) => byte.charCodeAt(0)).buffer);
    const keys = this.field(map, "keys"), rowBytes = 4 + keys;
    return Float32Array.from({ length: this.field(map, "queries") * keys }, (_, i) => {
      const row = Math.floor(i / keys) * rowBytes;
      const level = bytes.getUint8(row + 4 + i % keys);
      return level > this.data.levels ? NaN : level / this.data.levels * bytes.getFloat32(row, true);
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
