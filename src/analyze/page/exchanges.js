// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile that changes hands: who holds which element before and after, and the way between, through shared memory or by shuffles.
"use strict";

const waysOf = { "registers": "in other registers of the same threads", "shuffles": "by shuffles between the lanes of each warp", "shared memory": "through shared memory" };

class ExchangePicture {
  constructor(view, exchange) {
    this.exchange = exchange;
    this.shape = (exchange.before || exchange.after).shape;
    const holders = (layout) => layout ? new Holders(view, layout, (at) => this.choose(at)) : null;
    this.before = holders(exchange.before);
    this.after = holders(exchange.after);
    this.text = element("p", { class: "element-text", role: "status", "aria-live": "polite" }, "A click on an element, or its coordinates in the fields, shows where it is before, on its way and after.");
    this.fields = this.shape.map((size, dim) => {
      const input = element("input", { type: "number", min: 0, max: size - 1, value: 0, "aria-label": `element, coordinate ${dim} of ${this.shape.length}` });
      input.addEventListener("change", () => this.choose(this.fields.map((field, i) => Math.max(0, Math.min(this.shape[i] - 1, Math.floor(Number(field.value)) || 0)))));
      return input;
    });
    if (exchange.room) {
      this.offsetOf = inverseOf(exchange.room.offsets);
      this.firstLine = 0;
      this.room = element("div", {}, pictureOfRoom(exchange.room));
    }
  }

  // The byte in the room at which an element begins.
  byteOf(at) { return this.offsetOf(at) * this.exchange.room.element_bytes; }

  choose(at) {
    this.fields.forEach((field, dim) => { field.value = at[dim]; });
    for (const holders of [this.before, this.after]) if (holders) holders.markElement(at);
    if (this.room) this.markByte(this.byteOf(at));
    this.text.textContent = `Element ${at.join(", ")}: ${this.wayOf(at).join("; ")}.`;
  }

  markByte(byte) {
    const { room } = this.exchange, lines = linesOfRoom(room), line = Math.floor(byte / (banks * bankBytes));
    if (line < this.firstLine || line >= this.firstLine + lines) {
      this.firstLine = Math.floor(line / lines) * lines;
      this.room.replaceChildren(pictureOfRoom(room, this.firstLine));
    }
    for (const rect of this.room.querySelectorAll("[data-byte]")) rect.classList.toggle("element", Number(rect.dataset.byte) === byte - byte % bankBytes);
  }

  // Where the element is, one text for each station.
  wayOf(at) {
    const held = (when, holders) => {
      const [warp, lane, register] = holdersOf(holders.layout)(at);
      const { layout } = holders, copies = 2 ** (layout.register.length + layout.lane.length + layout.warp.length) / layout.shape.reduce((product, size) => product * size, 1);
      return `${when} in register ${register} of lane ${lane} of warp ${warp}${copies > 1 ? `, the first of ${copies} that hold it` : ""}`;
    };
    const texts = [];
    if (this.before) texts.push(held("before", this.before));
    if (this.room) texts.push(`in shared memory at byte ${this.byteOf(at)}, bank ${Math.floor(this.byteOf(at) / bankBytes) % banks}`);
    if (this.after) texts.push(held("after", this.after));
    return texts;
  }

  draw() {
    const { exchange } = this, part = (title, ...content) => element("div", { class: "station" }, element("b", {}, title), ...content);
    const stations = [];
    if (this.before) stations.push(part("Before: who holds it", this.before.svg, this.before.text));
    if (this.after) stations.push(part("After: who holds it", this.after.svg, this.after.text));
    if (this.room)
      stations.push(part(exchange.kind === "convert" ? "Between: what lies in which bank of shared memory" : "Shared memory: what lies in which bank", this.room, note(`Colours: rows of the tile. Numbers: the column of each bank's first element. ${bytes(bytesOfRoom(exchange.room))} in all.`)));
    const times = exchange.times === 1 ? "once" : `${exchange.times.toFixed(exchange.times % 1 ? 1 : 0)} times`;
    const made = figure(`${where(exchange)}${exchange.kind} ${exchange.what} ${waysOf[exchange.through]}, ${times} in a program`, element("ul", { class: "cost" }, ...exchange.cost.map((text) => element("li", {}, text))),
      element("div", { class: "controls" }, "element ", ...this.fields, this.text), element("div", { class: "stations" }, ...stations));
    made.classList.add("exchange");
    for (const holders of [this.before, this.after]) if (holders) holders.mark();
    return made;
  }
}

const drawExchange = (view, exchange) => new ExchangePicture(view, exchange).draw();
