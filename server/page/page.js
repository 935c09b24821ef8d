"use strict";

// The page asks the server's own API and nothing else.

const $ = (id) => document.getElementById(id);
const state = {
  models: [], limits: null, token: sessionStorage.getItem("riffle-token") || "",
  picture: null, // canvas, the whole picture
  images: [], // {name, canvas}
  points: [], // [x, y] from 0 to 1, y upwards
  cross: [0.5, 0.5],
  asking: null, // AbortController
  answer: null, // what is shown, see show
  rules: [], // {kind: pin|forbid|first|before, item, other}
  timer: 0,
};

function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "path", "circle", "text"].includes(tag);
  const e = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  e.append(...children);
  return e;
}

// ---- the API

class Refused extends Error {
  constructor(status, message, hint) {
    super(message);
    Object.assign(this, { status, hint });
  }
}

async function api(path, body, type = "application/json") {
  const request = { headers: state.token ? { Authorization: "Bearer " + state.token } : {}, signal: state.asking?.signal };
  if (body !== undefined) {
    request.method = "POST";
    request.headers["Content-Type"] = type;
    request.body = typeof body === "string" ? body : JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, request);
  } catch (e) {
    if (e.name === "AbortError") throw e;
    throw new Refused(0, "The server cannot be reached.", "Is it still running?");
  }
  const data = await response.json();
  if (!response.ok) throw new Refused(response.status, data.error.message, data.error.hint);
  return data;
}

function complain(e) {
  if (e.name === "AbortError") return;
  if (e.status === 401) {
    $("token-form").hidden = false;
    $("main").hidden = true;
    return $("token").focus();
  }
  $("main").hidden = $("error").hidden = false;
  $("error").textContent = e.hint ? `${e.message}${/[.!?]$/.test(e.message) ? " " : "; "}${e.hint}` : e.message;
}

const say = (text) => { $("status").textContent = text; };

// ---- models

const model = () => state.models.find((m) => m.name === chosen()) || state.models[0];
const chosen = () => decodeURIComponent(location.hash.slice(1));
const isPuzzle = (m) => m.items === "image" && m.rows > 0;
const kindOf = (m) => isPuzzle(m) ? "picture" : { image: "images", point: "points", bare: "bare", features: "table" }[m.items];

// load shows the page once the models are known: before that nothing can be asked.
async function load() {
  try {
    Object.assign(state, await api("/v1/models")); // models and limits
  } catch (e) { return complain(e); }
  $("token-form").hidden = true;
  $("models").replaceChildren(...state.models.map((m) => make("li", {}, make("a", { href: "#" + encodeURIComponent(m.name) },
    make("strong", {}, m.name), make("span", {}, m.title || m.task)))));
  choose();
  $("main").hidden = $("about-model").hidden = false;
}

// choose shows what the model that the address names can be asked.
function choose() {
  const m = model();
  if (!m) return;
  state.asking?.abort();
  state.rules = [];
  for (const a of $("models").querySelectorAll("a")) {
    if (a.hash.slice(1) === encodeURIComponent(m.name)) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  }
  const kind = kindOf(m);
  placeStage();
  clear();
  for (const k of ["picture", "images", "points", "bare"]) $(k + "-input").hidden = k !== kind;
  $("table-input").hidden = m.items === "image";
  $("table-input").open = kind === "table";
  $("table-input").classList.toggle("only", kind === "table");
  const columns = ["set", "item", ...{ point: ["x", "y"], features: columnNames(m) }[m.items] || []];
  $("table-header").replaceChildren(...columns.flatMap((c, i) => (i ? [",", document.createElement("wbr")] : []).concat(quoted(c)))); // a line may end after a comma
  $("table").value = "";
  $("table").placeholder = exampleTable(m);
  $("go").hidden = kind === "table";
  $("go").textContent = { picture: "Put it together", images: "Sort", points: "Find the tour", bare: "Order" }[kind] || "Order";
  $("rows").value = m.rows || 2;
  $("columns").value = m.columns || 2;
  $("bare-count").value = m.n;
  const names = m.names || [];
  $("bare-names").hidden = names.length === 0;
  $("bare-numbers").hidden = $("bare-note").hidden = names.length > 0;
  $("bare-list").replaceChildren(...names.map((name) => make("li", {}, make("label", { class: "check" }, make("input", { type: "checkbox", checked: "", value: name }), " " + name))));
  $("about").replaceChildren(...[
    `${m.title || m.task}: sets of ${m.n} items, ${m.step.toLocaleString("en")} training steps, ${m.parameters.toLocaleString("en")} weights`,
    `noise and reverse steps at t = ${m.schedule.join(", ")}`, ...m.warnings,
  ].map((text) => make("li", {}, text)));
  showRules();
  if (kind === "points") drawMap([]);
}

// placeStage puts the map of cities and its player above the buttons on a phone, where it is what
// one presses.
const narrow = matchMedia("(max-width: 52rem)");
function placeStage() {
  const above = narrow.matches && state.models.length && kindOf(model()) === "points";
  if (above) $("points-input").before($("stage"), $("player"));
  else $("warnings").before($("stage"), $("player"));
}

// quoted is a field of CSV.
const quoted = (text) => /[",;\n\r]/.test(text) || text.trim() !== text ? `"${text.replaceAll('"', '""')}"` : text;

const columnNames = (m) => (m.features || []).map((f) => f.name);

// exampleTable is a table that the model can order: of features, values between the least and
// the greatest of its training.
function exampleTable(m, sets = 1) {
  if (m.items === "point") return "set,item,x,y\nitaly,Rome,12.5,41.9\nitaly,Milan,9.2,45.5\nitaly,Naples,14.3,40.9\nitaly,Turin,7.7,45.1\nitaly,Bari,16.9,41.1\n";
  if (m.items === "bare") return "set,item\n" + (m.names?.length ? m.names : Array.from({ length: m.n }, (_, k) => String(k))).map((name) => `first,${quoted(name)}\n`).join("");
  const features = m.features || [];
  const lines = [["set", "item", ...features.map((f) => f.name)].map(quoted).join(",")];
  for (let s = 1; s <= sets; s++) {
    for (let k = 0; k < Math.min(m.n, 6); k++) {
      lines.push([`set ${s}`, "ABCDEF"[k], ...features.map((f) => Number((f.low + Math.random() * (f.high - f.low)).toPrecision(4)))].join(","));
    }
  }
  return lines.join("\n") + "\n";
}

// ---- rules

const ruleWords = { pin: "is at position", forbid: "is not at position", first: "is among the first", before: "comes before" };

// constraints are the state's rules as the API takes them; a name is quoted as a field of CSV where
// it would be read as more.
function constraints() {
  if (state.rules.length === 0) return {};
  const name = (text) => (/[",=:\s]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const out = {};
  for (const { kind, item, other } of state.rules) {
    const text = { pin: () => `${name(item)}=${other}`, forbid: () => `${name(item)}=${other}`, first: () => `${other}:${name(item)}`, before: () => `${name(item)},${name(other)}` }[kind]();
    (out[kind] ||= []).push(text);
  }
  return { constraints: out };
}

// itemNames are the names by which a rule can speak of what is asked about.
function itemNames() {
  const numbers = (n) => Array.from({ length: n }, (_, k) => String(k));
  switch (kindOf(model())) {
    case "picture": return numbers(Number($("rows").value) * Number($("columns").value));
    case "images": return state.images.map((i) => i.name);
    case "points": return numbers(state.points.length);
    case "bare": return bareNames() || numbers(Number($("bare-count").value));
  }
  return [];
}

function showRules() {
  $("rule-names").replaceChildren(...itemNames().slice(0, 500).map((value) => make("option", { value })));
  $("rule-other-label").textContent = { before: "Item", first: "How many" }[$("rule-kind").value] || "Position";
  if ($("rule-kind").value === "before") $("rule-other").setAttribute("list", "rule-names");
  else $("rule-other").removeAttribute("list");
  $("rules").replaceChildren(...state.rules.map((r, i) => {
    const b = make("button", { type: "button" }, `${r.item} ${ruleWords[r.kind]} ${r.other}`);
    b.addEventListener("click", () => { state.rules.splice(i, 1); showRules(); });
    return make("li", {}, b);
  }));
  $("rules-new").hidden = !state.answer || state.answer.rules === JSON.stringify(state.rules);
}

// clear takes the answer away.
function clear() {
  stop();
  state.answer = null;
  for (const id of ["player", "alternatives", "marginals", "which-set", "error", "downloads", "shortest", "rules-new"]) $(id).hidden = true;
  $("warnings").replaceChildren();
  say("");
  const empty = state.models.length && model().items !== "point";
  $("stage").className = empty ? "empty" : "";
  $("stage").replaceChildren(empty ? "The reverse steps will be shown here, from noise to the answer." : "");
}

// ---- pictures

function canvas(width, height) {
  const c = make("canvas");
  c.width = Math.max(1, Math.round(width));
  c.height = Math.max(1, Math.round(height));
  return c;
}

// readImage gives a file as a canvas of at most side pixels a side.
async function readImage(file, side) {
  try {
    const bitmap = await createImageBitmap(file);
    return part(bitmap, 0, 0, bitmap.width, bitmap.height, side);
  } catch {
    throw new Refused(0, `${file.name || "That"} is no picture that this browser can read.`);
  }
}

// part copies a rectangle of a canvas, shrunk to at most side pixels a side.
function part(from, x, y, width, height, side = Infinity) {
  const scale = Math.min(1, side / Math.max(width, height));
  const c = canvas(width * scale, height * scale);
  c.getContext("2d").drawImage(from, x, y, width, height, 0, 0, c.width, c.height);
  return c;
}

function exampleScene() {
  const c = canvas(480, 480), g = c.getContext("2d"), sky = g.createLinearGradient(0, 0, 480, 480);
  [[0, "#27476e"], [0.6, "#f0b27a"], [1, "#c8553d"]].forEach(([at, colour]) => sky.addColorStop(at, colour));
  g.fillStyle = sky; g.fillRect(0, 0, 480, 480);
  g.fillStyle = "#fff3c4"; g.beginPath(); g.arc(345, 135, 52, 0, 7); g.fill();
  [["#6b4e71", 300, 60], ["#3f4b57", 350, 45], ["#22333b", 410, 30]].forEach(([colour, base, height], k) => {
    g.fillStyle = colour; g.beginPath(); g.moveTo(0, 480);
    for (let x = 0; x <= 480; x += 4) g.lineTo(x, base - height * Math.sin(x / (70 + 25 * k) + 2 * k) - x / 12);
    g.lineTo(480, 480); g.fill();
  });
  g.fillStyle = "#b4532a"; g.fillRect(90, 330, 60, 60);
  g.fillStyle = "#efe6dd"; g.beginPath(); g.moveTo(80, 332); g.lineTo(120, 292); g.lineTo(160, 332); g.fill();
  return c;
}

// exampleNumber draws a number light on dark, as MNIST is.
function exampleNumber(rows, columns, digits) {
  const c = canvas(columns, rows), g = c.getContext("2d");
  g.fillStyle = "#000"; g.fillRect(0, 0, columns, rows);
  g.fillStyle = "#fff"; g.textAlign = "center"; g.textBaseline = "middle";
  g.font = `${rows * 0.78}px sans-serif`;
  const name = String(Math.floor(Math.random() * 10 ** digits)).padStart(digits, "0");
  [...name].forEach((digit, i) => g.fillText(digit, (i + 0.5) * columns / digits, rows / 2 + 1));
  return { name, canvas: c };
}

async function takePicture(file) {
  try {
    showPicture(await readImage(file, 768));
  } catch (e) { complain(e); }
}

function showPicture(c) {
  state.picture = c;
  clear();
  $("stage").className = "";
  const copy = picture(state.picture, "the picture");
  copy.className = "whole";
  $("stage").replaceChildren(copy);
}

async function takeImages(files) {
  for (const file of files) {
    try {
      state.images.push({ name: unused(file.name), canvas: await readImage(file, 256) });
    } catch (e) { complain(e); }
  }
  showThumbs();
}

// unused is a name that no image has yet.
function unused(name) {
  const taken = new Set(state.images.map((i) => i.name));
  let free = name;
  for (let k = 2; taken.has(free); k++) free = `${name} (${k})`;
  return free;
}

function showThumbs() {
  clear();
  showRules();
  $("thumbs").replaceChildren(...state.images.map((image, i) => {
    const b = make("button", { type: "button", "aria-label": `Take ${image.name} away` }, picture(image.canvas, ""));
    b.addEventListener("click", () => { state.images.splice(i, 1); showThumbs(); });
    return make("li", {}, b);
  }));
  $("thumbs-note").hidden = state.images.length === 0;
}

const picture = (c, alt) => make("img", { src: c.toDataURL("image/png"), alt });

function dropZone(id, take) {
  const zone = $(id);
  zone.addEventListener("dragover", (e) => { e.preventDefault(); zone.classList.add("over"); });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (e) => {
    e.preventDefault();
    zone.classList.remove("over");
    take([...e.dataTransfer.files].filter((f) => f.type.startsWith("image/")));
  });
}

// ---- cities

const SIDE = 100; // of the map's view box
const MARGIN = 4;
const place = ([x, y]) => [MARGIN + x * (SIDE - 2 * MARGIN), SIDE - MARGIN - y * (SIDE - 2 * MARGIN)];

// unit moves points into the unit square, as they are where they lie in it.
function unit(points) {
  if (points.every((p) => p.every((v) => v >= 0 && v <= 1))) return points;
  const low = [0, 1].map((a) => Math.min(...points.map((p) => p[a])));
  const extent = Math.max(...[0, 1].map((a) => Math.max(...points.map((p) => p[a])) - low[a])) || 1;
  return points.map((p) => p.map((v, a) => (v - low[a]) / extent));
}

function drawMap(order, points = state.points, editable = true, shortest = null) {
  let map = $("stage").querySelector("svg.map");
  if (!map || map.dataset.editable !== String(editable)) {
    map = make("svg", { class: "map", viewBox: `0 0 ${SIDE} ${SIDE}`, role: editable ? "application" : "img" });
    map.dataset.editable = editable;
    if (editable) {
      map.setAttribute("tabindex", "0");
      map.addEventListener("pointerdown", onMapPointer);
      map.addEventListener("keydown", onMapKey);
    }
    $("stage").className = "";
    $("stage").replaceChildren(map);
  }
  const places = unit(points).map(place);
  const parts = [], labels = [];
  const round = (tour) => "M" + tour.map((k) => places[k].join(" ")).join("L") + "Z";
  if (shortest) parts.push(make("path", { class: "shortest", d: round(shortest) }));
  if (order.length > 1) parts.push(make("path", { class: "tour", d: round(order) }));
  places.forEach(([x, y], k) => {
    parts.push(make("circle", { cx: x, cy: y, r: 1.4, class: k === 0 ? "first" : "" }));
    if (places.length <= 50) labels.push(x < 92 ? make("text", { x: x + 2, y: y - 1.4 }, String(k)) : make("text", { x: x - 2, y: y - 1.4, class: "left" }, String(k)));
  });
  const [x, y] = place(state.cross);
  parts.push(make("path", { class: "cross", d: `M${x - 3} ${y}h6M${x} ${y - 3}v6` }));
  map.replaceChildren(...parts, ...labels);
  if (editable) $("points-count").textContent = `${points.length} cities; the model was trained on ${model().n}.`;
  map.setAttribute("aria-label", `Map of ${points.length} cities` + (order.length ? ", with a tour" : ""));
}

function editPoints(change) {
  state.asking?.abort();
  change();
  clear();
  showRules();
  drawMap([]);
}

const addPoint = (p) => editPoints(() => state.points.push(p.map((v) => Math.min(1, Math.max(0, v)))));

function onMapPointer(e) {
  const box = e.currentTarget.getBoundingClientRect();
  const x = (e.clientX - box.left) / box.width * SIDE, y = (e.clientY - box.top) / box.height * SIDE;
  addPoint([(x - MARGIN) / (SIDE - 2 * MARGIN), (SIDE - MARGIN - y) / (SIDE - 2 * MARGIN)]);
}

function onMapKey(e) {
  const step = e.shiftKey ? 0.01 : 0.05;
  const move = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] }[e.key];
  if (move) {
    state.cross = state.cross.map((v, a) => Math.min(1, Math.max(0, v + move[a])));
    state.answer ? draw() : drawMap([]);
  } else if (e.key === "Enter" || e.key === " ") addPoint(state.cross);
  else if (e.key === "Backspace") editPoints(() => state.points.pop());
  else return;
  e.preventDefault();
  $("stage").querySelector("svg").focus();
}

// ---- questions

async function run(question) {
  state.asking?.abort();
  const mine = state.asking = new AbortController();
  clear(); // the stage has the question until there is the answer
  if (isPuzzle(model()) && state.picture) showPicture(state.picture);
  else if (model().items === "point") drawMap([]);
  $("go").disabled = $("table-use").disabled = true;
  $("result").setAttribute("aria-busy", "true");
  say("Asking the model …");
  const rules = JSON.stringify(state.rules);
  try {
    const answer = await question();
    if (mine === state.asking) show({ ...answer, rules });
  } catch (e) {
    if (mine === state.asking) { say(""); complain(e); }
  } finally {
    if (mine === state.asking) {
      $("go").disabled = $("table-use").disabled = false;
      $("result").removeAttribute("aria-busy");
    }
  }
}

const TOP = 8, SAMPLES = 64;

// askSets orders sets with the beam, and draws of each for its marginals, in parts of as many sets
// as a request may have; of fewer where that is too much work.
async function askSets(sets) {
  const name = model().name, out = [], rules = constraints();
  for (let size = state.limits.sets; out.length < sets.length;) {
    if (out.length > 0) say(`Asking the model … ${out.length} of ${sets.length} sets are done`);
    const part = sets.slice(out.length, out.length + size).map((set) => ({ ...set, ...rules }));
    try {
      const [ordered, sampled] = await Promise.all([
        api("/v1/order", { model: name, sets: part, top: TOP }),
        api("/v1/sample", { model: name, sets: part, count: SAMPLES }),
      ]);
      out.push(...ordered.answers.map((a, i) => ({ ...a, trained: ordered.step, ruled: "constraints" in rules, samples: sampled.answers[i].samples, marginals: sampled.answers[i].marginals })));
    } catch (e) {
      if (e.status !== 413 || part.length < 2) throw e;
      size = Math.ceil(part.length / 2);
    }
  }
  return out;
}

async function askPicture() {
  if (!state.picture) throw new Refused(0, "There is no picture yet.", "Choose one, or take the example.");
  const rows = Number($("rows").value), columns = Number($("columns").value);
  const whole = state.picture;
  if (!(rows >= 1 && columns >= 1 && rows * columns >= 2 && rows <= whole.height && columns <= whole.width)) throw new Refused(0, "A puzzle needs two tiles or more, and a pixel for each.");
  const height = Math.floor(whole.height / rows), width = Math.floor(whole.width / columns);
  const left = Math.floor((whole.width - width * columns) / 2), top = Math.floor((whole.height - height * rows) / 2);
  const cut = part(whole, left, top, width * columns, height * rows);
  const body = { model: model().name, picture: cut.toDataURL("image/png"), rows, columns, top: TOP, ...constraints() };
  if ($("shuffle").checked) body.shuffle = Math.floor(Math.random() * 2 ** 32);
  const a = await api("/v1/puzzle", body);
  const tiles = a.order.map((_, k) => {
    const from = a.shuffled ? a.shuffled[k] : k;
    return part(cut, from % columns * width, Math.floor(from / columns) * height, width, height);
  });
  const small = tiles.map((t) => ({ image: part(t, 0, 0, t.width, t.height, 64).toDataURL("image/png") }));
  const sampled = await api("/v1/sample", { model: model().name, sets: [{ items: small, ...constraints() }], count: SAMPLES });
  const right = a.right === undefined ? "" : `${a.right} of ${tiles.length} tiles in place.`;
  return { kind: "tiles", columns, done: right, sets: [{ ...a, trained: a.step, id: "puzzle", samples: sampled.answers[0].samples, marginals: sampled.answers[0].marginals, names: tiles.map((_, k) => `tile ${k}`), pictures: tiles }] };
}

async function askImages() {
  if (state.images.length < 2) throw new Refused(0, "There is nothing to sort yet.", "Choose two images or more, or take the example.");
  const images = [...state.images];
  const [a] = await askSets([{ items: images.map((i) => ({ id: i.name, image: i.canvas.toDataURL("image/png") })) }]);
  return { kind: "cards", sets: [{ ...a, names: images.map((i) => i.name), pictures: images.map((i) => i.canvas) }] };
}

async function askPoints() {
  if (state.points.length < 3) throw new Refused(0, "A tour needs three cities or more.", "Click the map.");
  const points = [...state.points];
  const [a] = await askSets([{ items: points.map((point) => ({ point })) }]);
  return { kind: "map", editable: true, sets: [{ ...a, names: points.map((_, k) => `city ${k}`), points }] };
}

// bareNames are the items that are chosen of those that the model knows by name.
const bareNames = () => model().names?.length ? [...$("bare-list").querySelectorAll("input:checked")].map((box) => box.value) : null;

async function askBare() {
  const known = bareNames(), count = known ? known.length : Number($("bare-count").value);
  if (!(Number.isInteger(count) && count >= 1 && count <= state.limits.items)) throw new Refused(0, "That is no number of items.");
  const names = known || Array.from({ length: count }, (_, k) => String(k));
  const [a] = await askSets([{ items: names.map((id) => (known ? { id } : {})) }]);
  return { kind: "cards", sets: [{ ...a, names }] };
}

async function askTable() {
  const m = model();
  const { sets, warnings = [] } = await api("/v1/sets", $("table").value, "text/csv");
  if (m.items === "point") {
    for (const set of sets) {
      for (const item of set.items) {
        const columns = item.features || {}, values = Object.values(columns);
        if (values.length !== 2) throw new Refused(0, "Cities need two columns beside set and item: x and y.");
        item.point = "x" in columns && "y" in columns ? [columns.x, columns.y] : values;
        delete item.features;
      }
    }
  }
  const answers = await askSets(sets);
  return {
    kind: m.items === "point" ? "map" : "cards", editable: false,
    sets: answers.map((a, i) => ({ ...a, warnings: [...warnings, ...(a.warnings || [])], names: sets[i].items.map((item) => item.id), points: m.items === "point" && sets[i].items.map((item) => item.point) })),
  };
}

// ---- the answer

// show takes {kind: tiles|cards|map, sets: [{id, orders, steps, samples, marginals, names, pictures?, points?}]}.
function show(answer) {
  state.answer = { ...answer, set: 0, alternative: 0 };
  $("rules-new").hidden = state.answer.rules === JSON.stringify(state.rules);
  say("");
  $("set").replaceChildren(...answer.sets.map((s, i) => make("option", { value: i }, s.id)));
  $("which-set").hidden = answer.sets.length < 2;
  $("downloads").hidden = false;
  $("save-picture").hidden = answer.kind !== "tiles";
  showSet(0);
  if (narrow.matches && answer.kind !== "map") $("result").scrollIntoView({ block: "start" });
}

function showSet(i) {
  const a = state.answer;
  a.set = i;
  a.alternative = 0;
  const s = a.sets[i];
  s.steps ||= [s.orders[0].order];
  $("step").max = s.steps.length - 1;
  $("step").value = 0;
  $("player").hidden = false;
  $("warnings").replaceChildren(...[...new Set(s.warnings || [])].filter((w) => !w.startsWith("schedule:")).map((w) => make("li", {}, w)));
  showAlternatives(s);
  showMarginals(s);
  $("stage").replaceChildren();
  $("stage").className = "";
  a.board = null;
  $("shortest").hidden = a.kind !== "map" || !s.reference;
  if (a.kind === "map" && s.reference === undefined) findShortest(a, s);
  showBest();
  draw();
  play();
}

// findShortest asks for the shortest tour of a set's cities, to be shown beside the model's.
async function findShortest(a, s) {
  s.reference = null; // asked for
  try {
    s.reference = await api("/v1/tour", { points: s.points });
  } catch { return; } // the tour is shown without
  if (state.answer !== a || a.sets[a.set] !== s) return;
  $("shortest").hidden = false;
  draw();
}

// current is the order on the stage.
function current() {
  const a = state.answer, s = a.sets[a.set];
  return a.alternative > 0 ? s.orders[a.alternative].order : s.steps[Number($("step").value)];
}

function draw() {
  const a = state.answer, s = a.sets[a.set], order = current(), k = Number($("step").value), last = s.steps.length - 1;
  if (a.kind === "map") drawMap(order, s.points, a.editable, $("shortest-show").checked && s.reference?.order);
  else layTiles(a, s, order);
  const schedule = model().schedule, t = schedule[last - k];
  let text = `Step ${k} of ${last}` + (t === undefined ? "" : ` (t = ${t}${k === 0 ? ", noise" : ""})`);
  if (a.alternative > 0) text = `Alternative ${a.alternative + 1}`;
  const cost = a.kind === "map" ? lengthWords(tourLength(s.points, order), s.reference, s.ruled) : a.kind === "tiles" ? `tiles ${order.join(" ")}` : order.map((i) => apart(s.names[i])).join(" ");
  $("step").setAttribute("aria-valuetext", text);
  $("caption").textContent = `${text}: ${cost}` + (k === last && a.alternative === 0 && a.done ? ` — ${a.done}` : "");
}

function tourLength(points, order) {
  return order.reduce((sum, k, i) => {
    const [a, b] = [points[k], points[order[(i + 1) % order.length]]];
    return sum + Math.hypot(a[0] - b[0], a[1] - b[1]);
  }, 0);
}

// lengthWords says a tour's length, and how far it is above the shortest's, which knows no rules.
function lengthWords(length, reference, ruled) {
  const text = `length ${length.toPrecision(5)}`;
  if (!reference) return text;
  const gap = 100 * (length / reference.length - 1);
  const best = (reference.proven ? "the shortest" : "the shortest that was found") + (ruled ? " without the rules" : "");
  return gap < 0.005 ? `${text}, ${best}` : `${text}, ${gap.toFixed(gap < 10 ? 2 : 0)} % above ${best} (${reference.length.toPrecision(5)})`;
}

// layTiles puts tiles or cards where an order has them; they glide there.
function layTiles(a, s, order) {
  const n = order.length;
  if (!a.board) {
    a.board = make("div", { class: "board", role: "img" });
    a.elements = s.names.map((name, k) => {
      const e = make("div", { class: a.kind === "tiles" ? "tile" : "tile card", title: name });
      if (s.pictures) e.append(a.kind === "tiles" ? part(s.pictures[k], 0, 0, s.pictures[k].width, s.pictures[k].height) : picture(s.pictures[k], name));
      else e.append(make("span", {}, name));
      a.board.append(e);
      return e;
    });
    $("stage").replaceChildren(a.board);
  }
  const wide = $("stage").clientWidth;
  let columns, width, height;
  if (a.kind === "tiles") {
    columns = a.columns;
    const tile = s.pictures[0], rows = n / columns;
    const scale = Math.min(Math.min(wide, 544) / (columns * tile.width), 560 / (rows * tile.height));
    width = tile.width * scale;
    height = tile.height * scale;
  } else {
    const ratio = s.pictures ? Math.max(1, s.pictures[0].width / s.pictures[0].height) : 1;
    height = 50;
    width = s.pictures ? Math.min(38 * ratio + 12, wide) : Math.min(Math.max(50, 10 * Math.max(...s.names.map((x) => x.length)) + 22), 166);
    columns = Math.max(1, Math.min(n, Math.floor(wide / width)));
  }
  const gap = a.kind === "tiles" ? 2 : 6;
  a.board.style.width = `${columns * width}px`;
  a.board.style.height = `${Math.ceil(n / columns) * height}px`;
  a.board.setAttribute("aria-label", "In order: " + order.map((k) => s.names[k]).join(", "));
  order.forEach((k, i) => {
    const e = a.elements[k];
    e.style.width = `${width - gap}px`;
    e.style.height = `${height - gap}px`;
    e.style.transform = `translate(${(i % columns) * width}px, ${Math.floor(i / columns) * height}px)`;
  });
}

const percent = (p) => (p >= 0.0995 ? (100 * p).toFixed(0) : 100 * p >= 0.01 ? (100 * p).toPrecision(2) : 100 * p > 0 ? "< 0.01" : "0") + " %";

// probability shows exp(log p), by its power of ten where percents are too small to tell.
function probability(log) {
  if (!Number.isFinite(log)) return log === "-Infinity" ? percent(0) : log;
  const power = log / Math.LN10;
  if (power >= -4) return percent(Math.exp(log));
  const [mantissa, exponent] = (10 ** (power - Math.floor(power))).toExponential(0).split("e").map(Number);
  const raised = String(Math.floor(power) + exponent).replace(/./g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]);
  return `${mantissa} × 10${raised}`;
}

// apart tells a name from its neighbours where blanks separate them, as the command does.
const apart = (name) => (/^$|[\s,"]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);

// sequence shows an order; what stands elsewhere than in the first is marked.
function sequence(s, order) {
  const span = make("span", { class: "sequence" });
  order.slice(0, 60).forEach((k, i) => {
    const item = s.pictures ? picture(part(s.pictures[k], 0, 0, s.pictures[k].width, s.pictures[k].height, 96), s.names[k]) : make("span", {}, s.points ? String(k) : s.names[k]);
    if (k !== s.orders[0].order[i]) item.className = "other";
    span.append(item);
  });
  if (order.length > 60) span.append("…");
  return span;
}

function showAlternatives(s) {
  const priced = s.orders.some((o) => o.cost !== undefined);
  $("cost-head").hidden = !priced;
  $("alternatives-title").textContent = priced ? "Shortest of the probable tours" : "Most probable orders";
  $("orders").replaceChildren(...s.orders.map((o, i) => {
    const radio = make("input", { type: "radio", name: "alternative", "aria-label": `Show order ${i + 1}` });
    radio.addEventListener("change", () => { stop(); state.answer.alternative = i; $("step").value = $("step").max; draw(); });
    const drawn = s.samples.filter((x) => x.every((k, at) => k === o.order[at])).length / s.samples.length;
    const bar = make("span", { class: "bar" });
    bar.style.setProperty("--p", drawn);
    const cells = [[radio], [probability(o.log_path)], [bar, percent(drawn)], ...(priced ? [[o.cost.toPrecision(5)]] : []), [sequence(s, o.order)]];
    const row = make("tr", { role: "row" }, ...cells.map((cell) => make("td", { role: "cell" }, ...cell)));
    return row;
  }));
  $("alternatives").hidden = false;
}

function showMarginals(s) {
  const n = s.names.length;
  $("heat-note").textContent = `Share of ${SAMPLES} draws with the item (row) at the position (column), counted from 0.`;
  $("marginals").hidden = n < 2;
  const head = make("tr", {}, make("th", { scope: "col" }, "item"));
  for (let i = 0; i < n; i++) head.append(make("th", { scope: "col" }, String(i)));
  const body = make("tbody");
  s.orders[0].order.forEach((k) => { // so that what is likely is near the diagonal
    const row = s.marginals[k];
    const name = make("th", { scope: "row", title: s.names[k] }, s.pictures ? picture(part(s.pictures[k], 0, 0, s.pictures[k].width, s.pictures[k].height, 96), s.names[k]) : s.names[k]);
    const tr = make("tr", {}, name);
    row.forEach((p, i) => {
      const td = make("td", { title: `${s.names[k]} at position ${i}: ${percent(p)}`, class: p > 0.75 ? "full" : p > 0.42 ? "half" : "" });
      td.style.setProperty("--p", p);
      if (n <= 12 && p >= 0.005) td.append(String(Math.round(100 * p)));
      tr.append(td);
    });
    body.append(tr);
  });
  $("heat").replaceChildren(make("table", { class: n > 12 ? "heat many" : "heat" }, make("caption", { class: "unseen" }, "Share of draws, in percent"), make("thead", {}, head), body));
}

function showLegend() {
  $("heat-legend").replaceChildren(...[0, 0.05, 0.2, 0.5, 1].map((p) => {
    const swatch = make("span", { class: "swatch" });
    swatch.style.setProperty("--p", p);
    return make("li", {}, swatch, `${100 * p} %`);
  }));
}

// ---- downloads

function save(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// ordersCSV is the first order of each set as set,item,rank, which riffle reads again; ranks are
// from 1.
function ordersCSV() {
  const lines = ["set,item,rank"];
  state.answer.sets.forEach((s, i) => s.orders[0].order.forEach((k, at) => lines.push([s.id || String(i + 1), s.names[k], at + 1].map((v) => quoted(String(v))).join(","))));
  return lines.join("\n") + "\n";
}

const answerJSON = () => JSON.stringify({
  model: model().name, step: state.answer.sets[0].trained, // of the weights that answered: the page may have older news
  answers: state.answer.sets.map(({ id, names, points, orders, steps, samples, marginals, warnings }) => ({ id, names, points: points || undefined, orders, steps, samples, marginals, warnings })),
}, null, 1);

// restored is the picture of the tiles in their order.
function restored() {
  const a = state.answer, { pictures: tiles, orders } = a.sets[0], { width, height } = tiles[0];
  const c = canvas(width * a.columns, height * tiles.length / a.columns);
  orders[0].order.forEach((k, i) => c.getContext("2d").drawImage(tiles[k], i % a.columns * width, Math.floor(i / a.columns) * height));
  return c;
}

// ---- the player, which walks the way to the first order

function showBest() {
  state.answer.alternative = 0;
  $("orders").querySelector("input").checked = true;
}

function stop() {
  clearInterval(state.timer);
  state.timer = 0;
  $("play").textContent = "Play";
}

function play() {
  stop();
  const slider = $("step");
  if (Number(slider.max) === 0) return;
  showBest();
  if (slider.value === slider.max) { slider.value = 0; draw(); }
  $("play").textContent = "Pause";
  state.timer = setInterval(() => {
    slider.value = Number(slider.value) + 1;
    draw();
    if (slider.value === slider.max) stop();
  }, 1000);
}

// ---- wiring

addEventListener("hashchange", choose);
narrow.addEventListener("change", () => { if (state.models.length) placeStage(); });
$("token-form").addEventListener("submit", (e) => {
  e.preventDefault();
  state.token = $("token").value.trim();
  sessionStorage.setItem("riffle-token", state.token);
  load();
});
$("picture-file").addEventListener("change", (e) => { if (e.target.files.length) takePicture(e.target.files[0]); });
$("picture-example").addEventListener("click", () => showPicture(exampleScene()));
dropZone("picture-drop", (files) => files.length && takePicture(files[0]));
$("images-file").addEventListener("change", (e) => { takeImages([...e.target.files]); e.target.value = ""; });
$("images-example").addEventListener("click", () => {
  const m = model();
  state.images = [];
  for (let k = 0; k < m.n; k++) {
    const number = exampleNumber(m.image_rows, m.image_columns, Math.max(1, Math.round(m.image_columns / m.image_rows)));
    state.images.push({ ...number, name: unused(number.name) });
  }
  showThumbs();
});
dropZone("images-drop", takeImages);
$("points-random").addEventListener("click", () => editPoints(() => { state.points = Array.from({ length: model().n }, () => [Math.random(), Math.random()]); }));
$("points-undo").addEventListener("click", () => editPoints(() => state.points.pop()));
$("points-clear").addEventListener("click", () => editPoints(() => { state.points = []; }));
$("table-example").addEventListener("click", () => { clear(); $("table").value = exampleTable(model(), 3); });
$("table-use").addEventListener("click", () => model() ? run(askTable) : load());
$("rule-kind").addEventListener("change", showRules);
for (const id of ["rows", "columns", "bare-count"]) $(id).addEventListener("change", showRules);
$("rule-form").addEventListener("submit", (e) => {
  e.preventDefault();
  state.rules.push({ kind: $("rule-kind").value, item: $("rule-item").value.trim(), other: $("rule-other").value.trim() });
  $("rule-item").value = $("rule-other").value = "";
  showRules();
  $("rule-item").focus();
});
$("shortest-show").addEventListener("change", draw);
$("save-csv").addEventListener("click", () => save("orders.csv", "text/csv", ordersCSV()));
$("save-json").addEventListener("click", () => save("answer.json", "application/json", answerJSON()));
$("save-picture").addEventListener("click", () => restored().toBlob((blob) => save("restored.png", "image/png", blob)));
$("go").addEventListener("click", () => {
  const m = model();
  if (!m) return load(); // the server could not be reached at first
  run(isPuzzle(m) ? askPicture : { image: askImages, point: askPoints, bare: askBare }[m.items]);
});
$("set").addEventListener("change", (e) => showSet(Number(e.target.value)));
$("step").addEventListener("input", () => { stop(); showBest(); draw(); });
$("play").addEventListener("click", () => (state.timer ? stop() : play()));
showLegend();
addEventListener("resize", () => { if (state.answer && state.answer.kind !== "map") draw(); });
load();
