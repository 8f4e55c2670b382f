"use strict";
(() => {
const $ = (where, query) => [...where.querySelectorAll(query)];
const SVG = "http://www.w3.org/2000/svg";

// Elements: names of people become text nodes, never markup.
function node(space, name, attributes, children) {
  const made = space ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  made.append(...children.flat(9).filter((child) => child !== null));
  return made;
}
const h = (name, attributes, ...children) => node(false, name, attributes, children);
const s = (name, attributes, ...children) => node(true, name, attributes, children);

const short = (text, most) => {
  const signs = [...text];
  return signs.length > most ? signs.slice(0, most - 1).join("") + "…" : text;
};
const named = (name) => `\u2068${name}\u2069`; // in a sentence, whichever way it is written
const digits = (x) => x === null ? "∞" : x === 0 ? "0" : String(Number(x.toPrecision(6)));
const brief = ([words, ln]) => words === "infinite" ? "∞" : words.length <= 10 ? words : Math.abs(ln) < 30 ? `≈ ${digits(Math.exp(ln))}` : short(words, 16);
const text = (x, y, words, more) => s("text", {x, y, ...more}, words);

// Round steps of an axis from 0 to its end.
function ticks(end, count) {
  if (!(end > 0)) return [0];
  const raw = end / count, unit = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((m) => m * unit >= raw) * unit;
  return Array.from({length: Math.floor(end / step + 1e-9) + 1}, (_, k) => Number((k * step).toPrecision(12)));
}

function figure(title, drawn, notes, head, rows) {
  const cells = (kind, row) => row.map((cell, k) =>
    kind === "th" ? h("th", {scope: "col"}, cell) : k ? h("td", {}, cell) : h("th", {scope: "row"}, cell));
  const table = h("table", {}, h("thead", {}, h("tr", {}, cells("th", head))),
    h("tbody", {}, rows.map((row) => h("tr", {}, cells("td", row)))));
  return h("figure", {}, h("figcaption", {}, title), drawn, notes.map((note) => h("p", {}, note)),
    h("details", {}, h("summary", {}, "Numbers as a table"),
      h("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": `Table: ${title}`}, table)));
}

const picture = (width, height, label, ...children) =>
  s("svg", {class: "fig", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label}, ...children);

// The place of a probability among ten shades.
const shade = (p, most) => Math.max(0, Math.min(9, Math.floor(p / most * 9.999)));

function matrix(m, width) {
  const rows = m.outputs.length, columns = m.columns.length, worlds = columns - m.secrets;
  const most = Math.max(...m.values.map((v) => v[1])) || 1, [marked, compared] = m.marked;
  const longest = (names) => Math.max(...names.map((name) => [...name].length));
  const left = Math.min(110, 14 + 7 * Math.min(14, longest(m.outputs)));
  const gap = m.secrets ? 10 : 0, size = Math.max(11, Math.min(46, Math.floor((width - left - gap - 4) / columns)));
  const turned = 7 * longest(m.columns) > size - 4;
  const top = 24 + (turned ? 4 + 7 * Math.min(14, longest(m.columns)) : 12), tall = Math.max(18, Math.min(size, 30));
  const x = (c) => left + c * size + (c >= worlds ? gap : 0), y = (r) => top + r * tall;
  const parts = [text(0, 12, m.secrets ? "P(output ↓ | world, then secret →)" : "P(output ↓ | world →)", {class: "muted"})];
  m.columns.forEach((name, c) => parts.push(turned
    ? text(0, 0, short(name, 14), {transform: `translate(${x(c) + size / 2 + 4} ${top - 5}) rotate(-90)`})
    : text(x(c) + size / 2, top - 5, name, {"text-anchor": "middle"})));
  const fits = size >= 30 && m.values.every(([t]) => 6.6 * t.length <= size - 8), marks = [], inside = [];
  m.outputs.forEach((name, r) => {
    parts.push(text(left - 6, y(r) + tall / 2 + 4, short(name, 14), {"text-anchor": "end"}));
    m.codes[r].forEach((code, c) => {
      const [words, p] = m.values[code], k = shade(p, most), tone = k < 7 ? "low" : "high", at = {x: x(c), y: y(r), width: size, height: tall};
      parts.push(s("rect", {...at, class: `cell h${k}`}, s("title", {}, `P(${name} | ${m.columns[c]}) = ${words}`)));
      if (words === "0") parts.push(s("path", {class: "zero", d: `M${x(c) + 3} ${y(r) + tall - 3}L${x(c) + size - 3} ${y(r) + 3}`}));
      if (fits) inside.push(text(x(c) + size / 2, y(r) + tall / 2 + 4, words, {"text-anchor": "middle", class: tone}));
      const side = marked.includes(r) ? compared.indexOf(c) : -1;
      if (side >= 0) {
        marks.push(s("rect", {x: x(c) + .5, y: y(r) + .5, width: size - 1, height: tall - 1, class: "mark"}));
        if (!fits) inside.push(s("path", {class: tone, d: triangle(x(c) + size / 2, y(r) + tall / 2, side === 0)}));
      }
    });
  });
  const foot = y(rows) + 10, steps = Array.from({length: 10}, (_, k) => s("rect", {x: left + 14 * k, y: foot, width: 14, height: 10, class: `h${k}`}));
  const legend = [...steps, text(left - 6, foot + 9, "0", {"text-anchor": "end"}), text(left + 146, foot + 9, m.values.find((v) => v[1] === most)?.[0] ?? "")];
  const notes = [];
  if (marked.length) notes.push(`Outlined: the entries compared in the worst case, ${named(m.columns[compared[0]])} (likelier) against ${named(m.columns[compared[1]])}.`);
  if (m.secrets) notes.push("The last two columns: probabilities given the secrets, under the prior of the worst case.");
  if (m.values.some(([t]) => t === "0")) notes.push("A stroke: probability 0.");
  if (rows < m.size[0] || worlds < m.size[1]) notes.push(`Shown: ${rows} of ${m.size[0]} outputs, ${worlds} of ${m.size[1]} worlds; those of the worst case, and the first others.`);
  return figure("Likelihood matrix",
    picture(Math.max(x(columns) + 4, left + 200), foot + 16, `Heat map of ${rows} outputs in ${columns} columns`, parts, marks, inside, legend), notes,
    ["output", ...m.columns], m.outputs.map((name, r) => [name, ...m.codes[r].map((code, c) =>
      m.values[code][0] + (marked.includes(r) && compared.includes(c) ? " (worst case)" : ""))]));
}
const triangle = (x, y, up) => up ? `M${x} ${y - 4}l4 7h-8z` : `M${x} ${y + 4}l-4 -7h8z`;

function bars(title, rows, width, limit, notes, what) {
  const left = Math.min(130, 14 + 7 * Math.min(16, Math.max(...rows.map((row) => [...row[0]].length)))), room = width - left - 70;
  const most = Math.max(...rows.map((row) => row[2]), limit ? limit[1] : 0) || 1, height = rows.length * 22 + 26;
  const parts = rows.map(([name, words, p, side], k) => [
    text(left - 6, 22 * k + 15, short(name, 16), {"text-anchor": "end"}),
    s("rect", {x: left, y: 22 * k + 4, width: Math.max(1, room * p / most), height: 14, class: `s${side ?? 2}`}, s("title", {}, `${name}: ${words}`)),
    text(left + room * p / most + 5, 22 * k + 15, short(words, 9))]);
  for (const tick of ticks(most, 3)) parts.push(text(left + room * tick / most, height - 6, digits(tick), {"text-anchor": "middle", class: "muted"}));
  parts.push(s("path", {class: "axis", d: `M${left} ${height - 20}H${left + room}`}));
  if (limit) parts.push(s("path", {class: "bound", d: `M${left + room * limit[1] / most} 0V${height - 20}`}));
  return figure(title, picture(width, height, title, parts), notes, [what, "probability"], rows.map((row) => row.slice(0, 2)));
}

// 1, 2 and 5, or powers of ten alone, between two logarithms; below 1 as fractions.
function oddsTicks(low, high) {
  const ten = Math.LN10, wide = (high - low) / ten > 2.2, every = Math.max(1, Math.ceil((high - low) / ten / 6)), found = [];
  for (let k = Math.ceil(low / ten) - 1; k <= high / ten; k++) {
    if (k % every) continue;
    for (const m of wide ? [1] : [1, 2, 5]) {
      const ln = Math.log(m) + k * ten, size = m > 1 && k < 0 ? 10 / m : m, power = Math.abs(m > 1 && k < 0 ? k + 1 : k);
      const words = power > 5 ? `${size === 1 ? "" : size + "·"}10^${power}` : String(size * 10 ** power);
      if (ln >= low && ln <= high) found.push([ln, k < 0 ? `1/${words}` : words]);
    }
  }
  return found;
}

function odds(o, asked, width) {
  const before = o.before[1], after = o.after[1], reach = asked ? asked[1] : 0;
  const never = o.after[0] === "0", known = [before, before - reach, before + reach, ...(after === null ? [] : [after])];
  const low = Math.min(0, ...known), high = Math.max(0, ...known), pad = (high - low || 1) * .15;
  const from = low - pad, span = high - low + 2 * pad, x = (ln) => 20 + (width - 40) * (ln - from) / span;
  const end = after === null ? (never ? 12 : width - 12) : x(after), parts = [];
  if (asked) parts.push(s("rect", {class: "band", x: x(before - reach), y: 34, width: Math.max(2, x(before + reach) - x(before - reach)), height: 36}));
  parts.push(s("path", {class: "axis", d: `M12 70H${width - 12}`}));
  for (const [ln, words] of oddsTicks(from, from + span)) {
    parts.push(s("path", {class: "axis", d: `M${x(ln)} 70v4`}), text(x(ln), 87, words, {"text-anchor": "middle", class: "muted"}));
  }
  const sign = end >= x(before) ? 1 : -1;
  parts.push(s("path", {class: "line", d: `M${x(before)} 52H${end - sign * 6}`}), s("circle", {class: "s2", cx: x(before), cy: 52, r: 6}),
    s("path", {class: "s0", d: `M${end} 52l${-sign * 11} -7v14z`}),
    text(Math.max(2, Math.min(width - 60, x(before) - 20)), 14, `before ${brief(o.before)}`, {"text-anchor": x(before) > width - 90 ? "end" : "start"}),
    text(Math.max(80, Math.min(width - 2, end + 12)), 29, `after ${brief(o.after)}`, {"text-anchor": "end"}));
  const rows = [["before", ...o.before], ["after", ...o.after]].map(([when, words]) => [when, words]);
  const notes = [`Odds of ${named(o.pair[0])} against ${named(o.pair[1])} when ${named(o.output)} is seen, on a logarithmic scale.`];
  if (asked) notes.push(`Shaded: what the level asked for allows, a factor of ${asked[0]} either way.`);
  return figure("Odds before and after the output", picture(width, 94, `Odds ${o.before[0]} before, ${o.after[0]} after`, parts), notes, ["", "odds"], rows);
}

// A plane with both axes from 0; `whole` is an axis of whole numbers.
function plane(width, right, top, across, along, whole) {
  const left = 48, base = 178, x = (v) => left + (width - left - 16) * v / (right || 1), y = (v) => base - 156 * v / (top || 1), parts = [];
  for (const tick of ticks(right, 5).filter((at) => !whole || Number.isInteger(at))) parts.push(s("path", {class: "grid", d: `M${x(tick)} ${base}V22`}), text(x(tick), base + 15, digits(tick), {"text-anchor": "middle", class: "muted"}));
  for (const tick of ticks(top, 4)) parts.push(s("path", {class: "grid", d: `M${left}  ${y(tick)}H${width - 16}`}), text(left - 5, y(tick) + 4, digits(tick), {"text-anchor": "end", class: "muted"}));
  parts.push(s("path", {class: "axis", d: `M${left} 22V${base}H${width - 16}`}), text(left - 6, 13, along, {class: "muted"}), text(width - 16, base + 31, across, {"text-anchor": "end", class: "muted"}));
  return {x, y, parts};
}

function curve(c, asked, width) {
  const last = c.points[c.points.length - 1], reach = Math.max(last[1] || 0, asked ? asked[1] : 0) * 1.15 || 1;
  const most = Math.max(...c.points.map((p) => p[3]), asked ? asked[3] : 0) * 1.08;
  const {x, y, parts} = plane(width, reach, most || 1, "ε", "δ");
  if (c.whole) {
    let path = "";
    c.points.forEach(([, ln, , delta], k) => {
      const [, next, , after] = c.points[k + 1] || [0, reach, 0, delta];
      for (let step = 0; step <= 24; step++) { // between corners δ is linear in e^ε, not in ε
        const at = ln + (next - ln) * step / 24, share = next > ln ? Math.expm1(at - ln) / Math.expm1(next - ln) : 0;
        path += `${path ? "L" : "M"}${x(at).toFixed(1)} ${y(delta + (after - delta) * share).toFixed(1)}`;
      }
    });
    parts.push(s("path", {class: "line", d: path}));
  }
  for (const [alpha, ln, words, delta] of c.points.slice(0, 40)) parts.push(s("circle", {class: "s1", cx: x(ln), cy: y(delta), r: 3.5}, s("title", {}, `e^ε ${alpha}: δ ${words}`)));
  if (asked) {
    const [cx, cy] = [x(asked[1]), y(asked[3])];
    parts.push(s("path", {class: "s0", d: `M${cx} ${cy - 7}l7 7l-7 7l-7 -7z`}, s("title", {}, `asked: e^ε ${asked[0]}, δ ${asked[2]}`)));
  }
  const notes = [c.whole ? "The smallest δ at each ε; dots are the corners of the curve." : "The smallest δ at each level that was asked for."];
  if (asked) notes.push("Diamond: the level asked for; it holds on the curve or above.");
  return figure("Smallest δ at each level", picture(width, 214, "Curve of the smallest δ", parts), notes, ["e^ε", "ε", "δ"], c.points.map((p) => [p[0], digits(p[1]), p[2]]));
}

function runs(found, width) {
  const bound = (row) => row.length > 2 ? row.slice(2) : row, finite = found.filter((row) => row[1] !== null);
  const most = Math.max(...found.map((row) => bound(row)[1] ?? 0), ...finite.map((row) => row[1])) * 1.08;
  const {x, y, parts} = plane(width, found.length, most, "runs", "ε", true);
  const path = (rows) => rows.map(([k, ln], at) => `${at ? "L" : "M"}${x(k)} ${y(ln)}`).join("");
  const linear = found.map((row, k) => [k + 1, bound(row)[1]]).filter(([, ln]) => ln !== null), below = found.some((row) => row.length > 2);
  if (below) parts.push(s("path", {class: "bound", d: path(linear)}));
  parts.push(s("path", {class: "line", d: path(finite.map((row, k) => [k + 1, row[1]]))}));
  finite.forEach(([words, ln], k) => parts.push(s("circle", {class: "s1", cx: x(k + 1), cy: y(ln), r: 4}, s("title", {}, `${k + 1}: e^ε ${words}`))));
  const notes = ["Of independent runs of the mechanism together, at the same δ.", ...(below ? ["Dashed: so many times the ε of one run."] : [])];
  if (finite.length < found.length) notes.push(`Infinite from ${finite.length + 1} runs on.`);
  return figure("Leakage of several runs", picture(width, 214, `Leakage of 1 to ${found.length} runs`, parts), notes,
    ["runs", "e^ε", "ε", ...(below ? ["e^ε, linear bound"] : [])],
    found.map((row, k) => [String(k + 1), row[0], digits(row[1]), ...(below ? [bound(row)[0]] : [])]));
}

// Which colour is what.
function sides(pair, bars) {
  const neither = bars.some((bar) => bar[3] === null) ? " Grey: in neither." : "";
  return pair && pair[0] ? [`Orange: in ${named(pair[0])}. Blue: in ${named(pair[1])}.${neither}`] : [];
}

function draw(place, [title, f]) {
  const width = Math.max(250, Math.min(460, (place.clientWidth || 340) < 700 ? (place.clientWidth || 340) - 26 : 340));
  if (title) place.append(h("h3", {}, title));
  if (f.matrix) place.append(matrix(f.matrix, width));
  if (f.prior) {
    const rest = f.worlds - f.prior.length, more = rest > 0 ? [`${rest} less likely ones are left out.`] : [];
    const pair = f.prior.some((bar) => bar[3] !== null) ? (f.pair || (f.odds || f.event || {}).pair) : null;
    place.append(bars("Prior in the worst case", f.prior, width, null, [...sides(pair, f.prior), ...more], "world"));
  }
  if (f.odds) place.append(odds(f.odds, f.asked, width));
  if (f.event) place.append(bars("Probability of the event", f.event.pair.map((name, k) => [name, ...f.event.probabilities[k], k]), width, null,
    f.asked ? [`Allowed: the first is at most ${f.asked[0]} times the second, and ${f.asked[2]} more.`] : [], "given"));
  if (f.curve) place.append(curve(f.curve, f.asked, width));
  if (f.runs && f.runs.length > 1) place.append(runs(f.runs, width));
  for (const reason of f.missing || []) place.append(h("p", {class: "muted"}, `Not drawn: ${reason}.`));
}

const list = document.getElementById("checks"), groups = $(list, ".group"), flat = document.getElementById("flat");
const items = $(list, "li"), home = new Map(items.map((item) => [item, item.parentNode]));
// A line of data for each check.
const lines = document.getElementById("data").textContent.split("\n");

// What a check is about becomes a list, and its figures are drawn, when it is opened.
function opened(item) {
  const facts = item.querySelector("p.facts");
  if (!facts) return;
  const told = facts.textContent.trim().split("\n").map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)]);
  facts.replaceWith(h("dl", {class: "facts"}, told.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))));
  const parts = JSON.parse(lines[items.indexOf(item)]);
  if (!parts.length) return;
  const places = parts.map(() => h("div", {class: "figures"}));
  item.querySelector(".body").append(places.length > 1 ? h("div", {class: "pair"}, places) : places[0]);
  parts.forEach((part, k) => draw(places[k], part));
}
list.addEventListener("toggle", (event) => {
  const item = event.target.parentNode;
  if (item.tagName === "LI" && event.target.open) opened(item);
}, true);

const controls = document.getElementById("controls");
const search = document.getElementById("search"), rule = document.getElementById("rule"), file = document.getElementById("file");
const order = document.getElementById("order"), count = document.getElementById("count"), empty = document.getElementById("empty"), all = document.getElementById("all");
const words = new Map();
const said = (item) => {
  if (!words.has(item)) words.set(item, $(item, "summary, .said").map((part) => part.textContent).join(" ").toLowerCase());
  return words.get(item);
};
function filter() {
  const wanted = new Set($(controls, "input[type=checkbox]").filter((box) => box.checked).map((box) => box.value));
  const parts = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const item of items) {
    const {status, rule: its, file: from} = item.dataset;
    const fits = wanted.has(status) && (!rule.value || its === rule.value) && (!file.value || from === file.value) && parts.every((part) => said(item).includes(part));
    item.hidden = !fits;
    shown += fits;
  }
  const asked = parts.length || rule.value || file.value;
  for (const group of groups) {
    group.hidden = $(group, "li").every((item) => item.hidden);
    if (asked && !group.hidden) group.open = true; // what was found is seen
  }
  count.textContent = `${shown} of ${items.length} shown`;
  empty.hidden = shown > 0 || !items.length;
  all.disabled = shown > 200 || !shown;
}
controls.addEventListener("input", (event) => {
  if (event.target === order) {
    const leakage = (item) => item.dataset.leakage ?? -1;
    if (order.value === "leakage") flat.append(...items.slice().sort((a, b) => leakage(b) - leakage(a)));
    else for (const item of items) home.get(item).append(item);
  }
  filter();
});
all.addEventListener("click", () => {
  for (const group of groups) if (!group.hidden) group.open = true;
  for (const item of items) if (!item.hidden) item.firstElementChild.open = true;
});
function goto() {
  const item = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!items.includes(item)) return;
  item.hidden = home.get(item).parentNode.hidden = false;
  home.get(item).parentNode.open = item.firstElementChild.open = true;
  item.scrollIntoView();
}
addEventListener("hashchange", goto);
for (const details of $(list, "li > details[open]")) opened(details.parentNode);
controls.hidden = !items.length;
controls.open = innerWidth > 700; // else what failed would be below the fold
filter();
goto();
})();
