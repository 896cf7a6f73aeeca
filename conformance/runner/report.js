/* SPDX-License-Identifier: Apache-2.0 */
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const text = data.texts;
  const FIELDS = ["id", "group", "rule", "level", "expected", "verdict", "title", "recipe", "place", "source", "flags", "statement", "known"];
  const SHARED = new Set(["group", "rule", "level", "expected", "source", "flags", "statement", "known"]);
  const vectors = data.vectors.map(function (row) {
    const vector = {};
    FIELDS.forEach((name, at) => { vector[name] = SHARED.has(name) ? text[row[at]] : row[at]; });
    vector.columns = data.columns.map((label, at) => [label, text[row[FIELDS.length + at]]]);
    vector.verdict = data.verdicts[vector.verdict].name;
    vector.words = [vector.id, vector.rule, vector.title].join("\n").toLowerCase();
    return vector;
  });
  const letters = new Map(data.verdicts.map((verdict) => [verdict.name, verdict.letter]));
  const failing = new Set(data.verdicts.filter((verdict) => verdict.fails).map((verdict) => verdict.name));
  const cells = Array.from(document.querySelectorAll(".c"));
  const cellOf = new Map(cells.map((cell) => [Number(cell.dataset.n), cell]));
  const numberOf = new Map(vectors.map((vector, number) => [vector.id, number]));
  const rows = Array.from(document.querySelectorAll(".row"));
  const chips = Array.from(document.querySelectorAll(".chip"));
  const $ = (id) => document.getElementById(id);
  let state = { group: "", level: "", find: "", verdicts: new Set(), open: -1 };
  let panel = null;

  /* All content is added as text, never as markup, because it includes output of the parser. */
  function element(tag, name, ...children) {
    const made = document.createElement(tag);
    if (name) made.className = name;
    made.append(...children.filter((child) => child !== null && child !== ""));
    return made;
  }
  const hex = (number, digits) => "0x" + number.toString(16).padStart(digits || 1, "0");
  const key = (verdict) => element("span", "key v-" + verdict, letters.get(verdict));

  /* --- filters, which are kept in the address --- */

  function readHash() {
    const params = new URLSearchParams(location.hash.slice(1));
    const open = numberOf.get(params.get("open"));
    state = {
      group: params.get("group") || "", level: params.get("level") || "", find: params.get("find") || "",
      verdicts: new Set((params.get("verdict") || "").split(",").filter((name) => letters.has(name))),
      open: open === undefined ? -1 : open,
    };
  }

  function hashOf() {
    const params = new URLSearchParams();
    if (state.group) params.set("group", state.group);
    if (state.verdicts.size) params.set("verdict", Array.from(state.verdicts).join(","));
    if (state.level) params.set("level", state.level);
    if (state.find) params.set("find", state.find);
    if (state.open >= 0) params.set("open", vectors[state.open].id);
    return params.toString().replace(/%2C/g, ",");
  }

  let written = null;
  function keep() {
    written = "#" + hashOf();
    if ((location.hash || "#") !== written) location.replace(written);
  }

  function isShown(vector) {
    return (!state.group || vector.group === state.group) && (!state.level || vector.level === state.level) &&
      (!state.verdicts.size || state.verdicts.has(vector.verdict)) && vector.words.includes(state.find.toLowerCase());
  }

  function filter() {
    let count = 0;
    cells.forEach(function (cell) {
      const shown = isShown(vectors[Number(cell.dataset.n)]);
      cell.classList.toggle("off", !shown);
      count += shown;
    });
    rows.forEach((row) => row.classList.toggle("off", !row.querySelector(".c:not(.off)")));
    chips.forEach((chip) => chip.setAttribute("aria-pressed", String(state.verdicts.has(chip.dataset.verdict))));
    $("group").value = state.group;
    $("level").value = state.level;
    if ($("find").value !== state.find) $("find").value = state.find;
    $("clear").hidden = !(state.group || state.level || state.find || state.verdicts.size);
    $("shown").textContent = (count === cells.length ? "" : count.toLocaleString("en") + " of ") +
      cells.length.toLocaleString("en") + " vectors";
    $("none").hidden = count > 0;
    if (state.open >= 0 && cellOf.get(state.open).classList.contains("off")) close();
    rove(state.open >= 0 ? cellOf.get(state.open) : document.querySelector(".c:not(.off)"));
  }

  function change(part) {
    Object.assign(state, part);
    filter();
    keep();
  }

  $("filters").addEventListener("submit", (event) => event.preventDefault());
  $("group").addEventListener("change", () => change({ group: $("group").value }));
  $("level").addEventListener("change", () => change({ level: $("level").value }));
  $("find").addEventListener("input", () => change({ find: $("find").value }));
  $("clear").addEventListener("click", function () {
    change({ group: "", level: "", find: "", verdicts: new Set() });
    $("find").focus();
  });
  chips.forEach((chip) => chip.addEventListener("click", function () {
    const verdicts = new Set(state.verdicts);
    if (!verdicts.delete(chip.dataset.verdict)) verdicts.add(chip.dataset.verdict);
    change({ verdicts });
  }));
  document.querySelectorAll("[data-only]").forEach((button) => button.addEventListener("click", () =>
    change({ group: state.group === button.dataset.only ? "" : button.dataset.only })));
  document.querySelectorAll("[data-rule]").forEach((button) => button.addEventListener("click", function () {
    change({ group: "", level: "", verdicts: new Set(), find: button.dataset.rule });
    scrollTo({ top: 0 });
  }));
  addEventListener("hashchange", function () {
    if ((location.hash || "#") === written) return;
    readHash();
    start();
  });

  /* --- moving among cells; one of them is in the tab order --- */

  let stop = null;
  function rove(cell) {
    if (stop) stop.tabIndex = -1;
    stop = cell;
    if (cell) cell.tabIndex = 0;
  }

  function shown() {
    return cells.filter((cell) => !cell.classList.contains("off"));
  }

  function step(cell, by) {
    const all = shown();
    return all[all.indexOf(cell) + by];
  }

  /* The nearest line of cells above or below, and there the nearest cell. */
  function jump(cell, sign) {
    const here = cell.getBoundingClientRect();
    let best = null, least = Infinity;
    shown().forEach(function (other) {
      const there = other.getBoundingClientRect();
      const down = (there.top - here.top) * sign;
      const distance = down * 10000 + Math.abs(there.left - here.left);
      if (down > 4 && distance < least) { best = other; least = distance; }
    });
    return best;
  }

  $("matrix").addEventListener("keydown", function (event) {
    const cell = event.target.closest(".c");
    if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
    const moves = {
      ArrowRight: () => step(cell, 1), ArrowLeft: () => step(cell, -1), ArrowDown: () => jump(cell, 1), ArrowUp: () => jump(cell, -1),
      Home: () => shown()[0], End: () => shown().pop(),
    };
    if (!Object.hasOwn(moves, event.key)) return;
    event.preventDefault();
    const next = moves[event.key]();
    if (next) { rove(next); next.focus(); showTip(next); }
  });
  addEventListener("keydown", function (event) {
    if (event.key !== "Escape" || state.open < 0) return;
    const cell = cellOf.get(state.open);
    close();
    cell.focus();
    keep();
  });

  const tip = $("tip");
  function showTip(cell) {
    const vector = vectors[Number(cell.dataset.n)];
    const place = cell.getBoundingClientRect();
    tip.replaceChildren(element("b", "", vector.title), vector.id + " · " + vector.rule + " · " + vector.verdict + (vector.known ? ", known" : ""));
    tip.hidden = false;
    tip.style.left = Math.max(8, Math.min(place.left - 8, innerWidth - tip.offsetWidth - 8)) + "px";
    const below = place.bottom + 8;
    tip.style.top = (below + tip.offsetHeight > innerHeight ? place.top - tip.offsetHeight - 8 : below) + "px";
  }
  const hideTip = () => { tip.hidden = true; };
  $("matrix").addEventListener("pointerover", function (event) {
    const cell = event.target.closest(".c");
    if (cell) showTip(cell); else hideTip();
  });
  $("matrix").addEventListener("pointerleave", hideTip);
  $("matrix").addEventListener("focusout", hideTip);
  addEventListener("scroll", hideTip, { passive: true });

  /* --- a vector, opened --- */

  $("matrix").addEventListener("click", function (event) {
    const cell = event.target.closest(".c");
    if (!cell) return;
    const number = Number(cell.dataset.n);
    hideTip();
    if (number === state.open) close(); else open(number);
    rove(cell);
    keep();
  });

  function close() {
    if (panel) panel.remove();
    const cell = cellOf.get(state.open);
    if (cell) { cell.removeAttribute("aria-expanded"); cell.removeAttribute("aria-controls"); }
    panel = null;
    state.open = -1;
  }

  function open(number) {
    close();
    state.open = number;
    const cell = cellOf.get(number);
    panel = build(vectors[number], data.details[number] || null);
    panel.id = "panel";
    cell.setAttribute("aria-expanded", "true");
    cell.setAttribute("aria-controls", "panel");
    cell.closest(".row").append(panel);
    /* Keep the cell visible, below the filters if they stick to the top. */
    const bar = getComputedStyle($("filters")).position === "sticky" ? $("filters").offsetHeight : 0;
    const above = panel.getBoundingClientRect().top - cell.getBoundingClientRect().top;
    panel.style.scrollMarginTop = bar + 12 + Math.min(above, innerHeight / 4) + "px";
    panel.scrollIntoView({ block: "nearest" });
  }

  /* The next failure that the filters show; any vector, if none of them fails. */
  function neighbour(by) {
    const all = shown();
    const fails = all.filter((cell) => failing.has(vectors[Number(cell.dataset.n)].verdict));
    const among = fails.length ? fails : all;
    const place = cells.indexOf(cellOf.get(state.open));
    const cell = by > 0 ? among.find((one) => cells.indexOf(one) > place) : among.reverse().find((one) => cells.indexOf(one) < place);
    if (cell === undefined) return;
    const next = Number(cell.dataset.n);
    open(next);
    rove(cellOf.get(next));
    panel.querySelector(by > 0 ? ".next" : ".previous").focus();
    keep();
  }

  function button(name, label, sign, act) {
    const made = element("button", name, sign);
    made.type = "button";
    made.title = label;
    made.setAttribute("aria-label", label);
    made.addEventListener("click", act);
    return made;
  }

  function build(vector, detail) {
    const made = element("section", "panel");
    made.setAttribute("aria-label", vector.title);
    const title = element("div", "", element("p", "id mono", vector.id), element("h3", "", vector.title));
    const buttons = element("div", "buttons", button("previous", "Previous failure", "‹", () => neighbour(-1)),
      button("next", "Next failure", "›", () => neighbour(1)),
      button("close", "Close", "✕", function () { const cell = cellOf.get(state.open); close(); cell.focus(); keep(); }));
    made.append(element("div", "panel-top", title, buttons), asked(vector));
    if (detail) addDetail(made, vector, detail);
    made.append(facts(vector, detail));
    return made;
  }

  function asked(vector) {
    const asks = { accept: "accept", reject: "reject", either: "accept or reject" }[vector.expected] || vector.expected;
    return element("p", "asked", element("span", "", element("small", "", "Expected"), element("b", "", asks)),
      element("span", "", element("small", "", "Verdict"), key(vector.verdict), element("b", "", vector.verdict)));
  }

  function addDetail(made, vector, detail) {
    if (text[detail.detail]) made.append(element("p", "what", text[detail.detail]));
    if (detail.differences.length) made.append(differences(detail));
    (detail.windows || []).forEach((window) => made.append(...bytes(window)));
    if (detail.windows) made.append(legend(detail.windows));
    if (detail.no_bytes) made.append(element("p", "dim", detail.no_bytes));
    const command = text[detail.command].replaceAll("\0", vector.id);
    if (command) made.append(element("h4", "", "Reproduce"), commandLine(command));
    if (detail.stderr !== undefined) {
      const said = element("pre", "", text[detail.stderr]);
      said.tabIndex = 0;
      made.append(element("h4", "", "Standard error"), said);
    }
  }

  function facts(vector, detail) {
    const list = element("dl", "facts-list");
    const statement = vector.statement || data.rules[vector.rule];
    [["Rule", vector.rule + (statement ? ": " + statement : "")], ["Level", vector.level], ["Either because", vector.flags],
      ["Changed", vector.place], ["Recipe", vector.recipe], ["Source", vector.source], ...vector.columns].forEach(function (row) {
      if (row[1]) list.append(element("dt", "", row[0]), element("dd", "", row[1]));
    });
    if (vector.known) {
      const value = /^https?:\/\//.test(vector.known) ? element("a", "", vector.known) : element("span", "", vector.known);
      if (value.tagName === "A") { value.href = vector.known; value.rel = "noreferrer noopener"; }
      list.append(element("dt", "", "Known"), element("dd", "", value));
    }
    if (!detail && vector.verdict !== "pass") list.append(element("dt", "", "Detail"), element("dd", "", "Not on this page; report.jsonl has it."));
    return list;
  }

  /* --- expected and actual --- */

  function differences(detail) {
    const table = element("table");
    const head = element("tr");
    ["Where", "Field", "Expected", "Actual", "Offset"].forEach((name) => head.append(element("th", "", name)));
    const body = element("tbody");
    detail.differences.forEach(function (row) {
      const [record, index, field, offset, space] = row.slice(0, 5).map((number) => text[number]);
      const [expected, actual] = row.slice(5).map((number) => (number === null ? null : text[number]));
      const at = /^\d+$/.test(offset) ? hex(BigInt(offset)) + (space ? " " + space : "") : offset;
      body.append(element("tr", "", element("td", "", record + (index ? " " + index : "")), element("td", "", field || "—"),
        value(expected, actual), value(actual, expected), element("td", "mono", at)));
    });
    table.append(element("thead", "", head), body);
    const made = element("div", "", element("h4", "", "Expected and actual"), element("div", "scroll", table));
    if (detail.more) made.append(element("p", "dim", "and " + detail.more.toLocaleString("en") + " more, in report.jsonl"));
    return made;
  }

  const HEX = /^(\([^)]*\)…)?[0-9a-f]{8,}(…\([^)]*\))?$/;

  /* A value, with the part marked in which it differs from the other. */
  function value(own, other) {
    if (own === null) return element("td", "dim", "none");
    const made = element("td", "mono");
    if (other === null || own === other || own.length < 4) { made.append(own); return made; }
    const most = Math.min(own.length, other.length);
    let head = 0, tail = 0;
    while (head < most && own[head] === other[head]) head++;
    while (tail < most - head && own[own.length - 1 - tail] === other[other.length - 1 - tail]) tail++;
    /* Mark whole bytes in hex; the parentheses at either end say how much was cut off. */
    const found = HEX.exec(own);
    if (found && HEX.test(other)) {
      head -= Math.max(0, head - (found[1] || "").length) % 2;
      tail -= Math.max(0, tail - (found[2] || "").length) % 2;
    }
    if (head + tail === 0) { made.append(own); return made; }
    made.append(own.slice(0, head), element("mark", "", own.slice(head, own.length - tail)), own.slice(own.length - tail));
    return made;
  }

  function commandLine(command) {
    const copy = button("copy", "Copy the command", "Copy", () => {});
    copyOnClick(copy, () => command);
    return element("div", "command", element("pre", "", command), copy);
  }

  /* --- annotated bytes --- */

  function decode(window) {
    const raw = atob(window.bytes);
    const bytes = Array.from(raw, (char) => ({ value: char.charCodeAt(0), marks: [] }));
    let at = 0;
    text[window.spans].split(";").forEach(function (part) {
      const [size, kind, owner, member, cut] = part.split(",").map(Number);
      const span = { at, size, kind: text[kind], owner: text[owner], member: text[member], cut: cut === 1 };
      for (let end = at + size; at < end; at++) bytes[at].span = span;
    });
    window.marks.forEach(function (mark) {
      for (let offset = mark[1]; offset < mark[1] + mark[2]; offset++) {
        const byte = bytes[offset - window.at];
        if (byte) byte.marks.push({ kind: mark[0], from: offset === mark[1], to: offset === mark[1] + mark[2] - 1, size: mark[2] });
      }
    });
    return bytes;
  }

  function bytes(window) {
    const all = decode(window);
    const digits = Math.max(4, (window.at + all.length).toString(16).length);
    const dump = element("div", "dump");
    for (let start = 0; start < all.length; start += 16) dump.append(line(window, all, start, digits));
    if (window.at + all.length === window.of) {
      const ending = window.marks.some((mark) => mark[1] >= window.of);
      dump.append(element("div", ending ? "end" : "dim", (window.at + all.length).toString(16).padStart(digits, "0") + "  end of the " + window.space));
    }
    const scroll = element("div", "scroll", dump);
    const name = window.space === "file" ? "Bytes of the file" : "Bytes of the " + window.space;
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", name + " from " + hex(window.at));
    return [element("h4", "", name), where(window), scroll];
  }

  function where(window) {
    const made = element("p", "where");
    window.marks.forEach(function (mark) {
      const what = mark[0] === "fault" ? "Fault" : "First difference";
      made.append(element("span", mark[0] + "-at", element("b", "", what + " at " + hex(mark[1])), " " + text[mark[3]] + (mark[4] ? " = " + mark[4] : "")));
    });
    return made;
  }

  function line(window, all, start, digits) {
    const row = all.slice(start, start + 16);
    const hexes = element("span", "hex");
    row.forEach(function (byte, at) {
      const cell = element("span", "b r-" + byte.span.kind, byte.value.toString(16).padStart(2, "0"));
      if (start + at === byte.span.at && !byte.span.cut) cell.classList.add("first");
      byte.marks.forEach((mark) => cell.classList.add(mark.kind, ...(mark.from ? ["from"] : []), ...(mark.to ? ["to"] : [])));
      cell.title = hex(window.at + start + at) + " " + [byte.span.owner, byte.span.member || byte.span.kind].filter(Boolean).join(" · ");
      hexes.append(cell);
    });
    const ascii = row.map((byte) => (byte.value >= 0x20 && byte.value < 0x7f ? String.fromCharCode(byte.value) : "·")).join("");
    return element("div", "line", element("span", "at", (window.at + start).toString(16).padStart(digits, "0")), hexes,
      element("span", "ascii", ascii), names(all, row, start));
  }

  /* The names of all that starts on a line: the owner once, then its members. */
  function names(all, row, start) {
    const made = element("span", "names");
    let previous = start > 0 ? all[start - 1].span : null;
    row.forEach(function (byte) {
      const span = byte.span;
      if (span === previous) return;
      const whole = (of) => (of ? of.owner.split(" ")[0] + (of.member ? "" : of.kind) : "");
      if (span.owner && (!previous || whole(previous) !== whole(span) || previous.owner !== span.owner))
        made.append(element("b", "r-" + span.kind, (span.cut ? "… " : "") + span.owner), " ");
      const label = (span.member || span.kind) + " ";
      const marked = byte.marks.find((mark) => mark.kind === "fault") || byte.marks.find((mark) => mark.from && mark.size === span.size);
      if (marked) made.append(element("em", "at-" + marked.kind, label.trim()), " "); else made.append(label);
      previous = span;
    });
    made.title = made.textContent;
    return made;
  }

  function legend(windows) {
    const kinds = new Set(windows.flatMap((window) => text[window.spans].split(";").map((part) => text[Number(part.split(",")[1])])));
    const made = element("p", "legend");
    kinds.forEach((kind) => { if (kind) made.append(element("span", "", element("i", "r-" + kind), kind)); });
    return made;
  }

  function start() {
    const number = state.open;
    close();
    filter();
    if (number >= 0) open(number);
  }

  cells.forEach((cell) => { cell.tabIndex = -1; });
  readHash();
  start();
  document.documentElement.dataset.ready = "true";
})();
