// The plain page: agents as the server tells of them, answered in place. Texts of agents are only ever set as text.

const STATES = {
  AWAITING_INPUT: ["ask", "? asks"],
  PROCESSING: ["work", "… works"],
  COMMANDED: ["work", "→ was told"],
  TIMED_OUT: ["lost", "! silent for long"],
  COMPLETE: ["done", "✓ done"],
  IDLE: ["", "– idle"],
};
const RANK = ["ask", "lost", "done", "work", ""];
const cards = new Map();
const $ = (id) => document.getElementById(id);
const part = (card, name) => card.querySelector(name);

async function ask(method, path, body) {
  const headers = body ? { "content-type": "application/json", "idempotency-key": crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}` } : {};
  const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const told = await answer.json();
  if (answer.status === 401) signedOut();
  return { ok: answer.ok, told };
}

function signedOut() {
  link("signed out: `paneward status --sign-in` prints a new address", true);
}

function link(words, broken = false) {
  $("link").textContent = words;
  $("link").classList.toggle("broken", broken);
}

function standing(agent) {
  if (agent.state === "DISCONNECTED") return ["lost", "✗ disconnected"];
  return agent.gone ? ["lost", "✗ gone"] : (STATES[agent.state] ?? ["", agent.state]);
}

function ago(at) {
  const seconds = Math.max(0, Date.now() / 1000 - at);
  if (!at) return "";
  if (seconds < 60) return `for ${Math.floor(seconds)} s`;
  return seconds < 3600 ? `for ${Math.floor(seconds / 60)} min` : `for ${Math.floor(seconds / 3600)} h`;
}

// --- drawing

function draw(agents) {
  const sorted = [...agents].sort(
    (a, b) => RANK.indexOf(standing(a)[0]) - RANK.indexOf(standing(b)[0]) || a.id.localeCompare(b.id),
  );
  const list = $("agents");
  for (const [id, card] of cards) {
    if (!agents.some((agent) => agent.id === id)) {
      card.remove();
      cards.delete(id);
    }
  }
  sorted.forEach((agent, place) => {
    const card = cards.get(agent.id) ?? made(agent);
    update(card, agent);
    // Moving a card would take the focus from who is writing in it.
    if (list.children[place] !== card && !list.contains(document.activeElement)) list.insertBefore(card, list.children[place] ?? null);
    else if (!card.parentNode) list.append(card);
  });
  ring(agents);
  $("none").hidden = agents.length > 0;
  const asking = agents.filter((agent) => standing(agent)[0] === "ask").length;
  const working = agents.filter((agent) => standing(agent)[0] === "work").length;
  $("summary").textContent = agents.length ? `${asking} ask · ${working} work · ${agents.length} in all` : "";
  document.title = asking ? `(${asking}) Paneward` : "Paneward";
}

// --- sound: once per call of an agent, whichever page of this browser hears of it first

const ATTENTION = ["needs_input", "needs_testing", "error"];
let sound = false;

function ring(agents) {
  let pitch = 0;
  for (const agent of agents) {
    const key = `paneward:ack:${agent.id}`;
    if (agent.nudge_seq <= Number(localStorage.getItem(key) ?? 0)) continue;
    localStorage.setItem(key, agent.nudge_seq);
    if (cards.get(agent.id)?.contains(document.activeElement)) continue;
    if (ATTENTION.includes(agent.nudge_state)) pitch = 880;
    else if (agent.nudge_state === "completed") pitch ||= 587;
  }
  const known = new Set(agents.map((agent) => `paneward:ack:${agent.id}`));
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith("paneward:ack:") && !known.has(key)) localStorage.removeItem(key);
  }
  if (pitch && sound) beep(pitch);
}

function beep(pitch) {
  const audio = new AudioContext();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.frequency.value = pitch;
  volume.gain.setValueAtTime(0.1, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.4);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.4);
  tone.onended = () => audio.close();
}

function made(agent) {
  const card = $("card").content.firstElementChild.cloneNode(true);
  const name = part(card, "h2");
  name.textContent = `${agent.id} `;
  name.id = `agent-${agent.id}`;
  card.setAttribute("aria-labelledby", name.id);
  const about = document.createElement("small");
  about.textContent = [agent.kind, agent.role, agent.host, agent.cwd].filter(Boolean).join(" · ");
  name.append(about);
  part(card, "form").addEventListener("submit", (event) => event.preventDefault());
  part(card, "details").addEventListener("toggle", () => showScreen(card, agent.id));
  cards.set(agent.id, card);
  return card;
}

function update(card, agent) {
  const [kind, words] = standing(agent);
  card.className = `card ${kind}`;
  part(card, ".badge").textContent = words;
  part(card, ".since").dataset.at = agent.since;
  part(card, ".since").textContent = ago(agent.since);
  part(card, ".reason").textContent = agent.gone || agent.reason;
  nudge(part(card, ".nudge"), agent);
  part(card, ".usage").hidden = !agent.usage;
  part(card, ".usage").textContent = agent.usage?.summary ?? "";
  const key = agent.stage === "AWAITING_INPUT" ? `ask ${agent.question?.fingerprint}` : agent.gone ? "gone" : "tell";
  if (card.dataset.key !== key) {
    card.dataset.key = key;
    part(card, "form").replaceChildren(...form(card, agent));
    // What is to be permitted stands above the question, or only on the screen.
    if (agent.question?.kind === "permission" && !agent.question.about && !agent.gone) part(card, "details").open = true;
  }
  if (part(card, "details").open) showScreen(card, agent.id);
}

function nudge(line, agent) {
  line.hidden = !agent.nudge_state;
  line.dataset.state = agent.nudge_state;
  line.textContent = [agent.nudge_state.replace("_", " "), agent.nudge_summary].filter(Boolean).join(": ");
}

function form(card, agent) {
  if (agent.gone) return [];
  if (agent.stage !== "AWAITING_INPUT") {
    return [words(`Tell ${agent.id}`, "Send", (text) => post(card, `/api/agents/${encodeURIComponent(agent.id)}/send`, { text }))];
  }
  const menu = agent.question;
  const box = document.createElement("fieldset");
  const legend = document.createElement("legend");
  legend.textContent = menu?.question || "It asks something.";
  box.append(legend, ...matter(menu));
  const reply = (body) => post(card, `/api/respond/${encodeURIComponent(agent.id)}`, { fingerprint: menu?.fingerprint, ...body });
  if (menu?.multi) box.append(...several(menu, reply));
  else if (menu) box.append(...menu.options.map((option, index) => choice(option, index, menu, reply)).filter(Boolean));
  if (!menu || menu.free_text !== null) {
    const free = menu?.options[menu.free_text];
    const title = free ? `${free.number}. ${free.label}` : "Answer in words";
    box.append(words(title, "Answer", (text) => reply({ mode: free ? "other" : "text", text })));
  }
  return [box];
}

function matter(menu) {
  if (!menu?.about) return [];
  const about = document.createElement("pre");
  about.className = "about";
  about.textContent = menu.about;
  return [about];
}

function choice(option, index, menu, reply) {
  if (index === menu.free_text) return null;
  return button(`${option.number}. ${option.label}`, () => reply({ mode: "select", option_index: index }));
}

function several(menu, reply) {
  const ticks = menu.options.map((option, index) => {
    const label = document.createElement("label");
    label.className = "tick";
    const tick = document.createElement("input");
    tick.type = "checkbox";
    tick.checked = option.checked === true;
    tick.value = index;
    label.append(tick, option.label);
    return label;
  });
  const chosen = () => ticks.map((label) => label.firstChild).filter((tick) => tick.checked).map((tick) => Number(tick.value));
  return [...ticks, button("Answer with these", () => reply({ mode: "multi_select", answers: [chosen()] }))];
}

function button(words, press) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = words;
  made.addEventListener("click", press);
  return made;
}

let fields = 0;
function words(title, verb, send) {
  const row = document.createElement("div");
  row.className = "words";
  const label = document.createElement("label");
  label.className = "hidden";
  label.textContent = title;
  const field = document.createElement("textarea");
  field.rows = 1;
  field.placeholder = title;
  label.htmlFor = field.id = `field-${++fields}`;
  const go = async () => {
    if (field.value && (await send(field.value))) field.value = "";
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      go();
    }
  });
  row.append(label, field, button(verb, go));
  return row;
}

async function post(card, path, body) {
  const receipt = part(card, ".receipt");
  const buttons = [...card.querySelectorAll("button")];
  buttons.forEach((one) => (one.disabled = true));
  receipt.className = "receipt";
  receipt.textContent = "…";
  try {
    const { ok, told } = await ask("POST", path, body);
    receipt.classList.toggle("bad", !ok);
    receipt.textContent = ok
      ? `${told.verdict}: ${told.receipt?.evidence ?? ""} (${Math.round(told.latency_ms)} ms)`
      : [told.error?.message, told.error?.hint].filter(Boolean).join(" → ");
    return ok;
  } catch {
    receipt.classList.add("bad");
    receipt.textContent = "the server did not answer";
    return false;
  } finally {
    buttons.forEach((one) => (one.disabled = false));
  }
}

async function showScreen(card, id) {
  if (!part(card, "details").open) return;
  const { ok, told } = await ask("GET", `/api/agents/${encodeURIComponent(id)}/screen?lines=40`);
  part(card, "pre").textContent = ok ? told.text : told.error.message;
}

// --- listening

let seq = 0;
let source = null;
let due = false;

async function refresh() {
  due = false;
  try {
    const { ok, told } = await ask("GET", "/api/agents");
    if (!ok) return false;
    seq = Math.max(seq, told.seq);
    draw(told.agents);
    return true;
  } catch {
    return false;
  }
}

function stirred(event) {
  seq = Math.max(seq, Number(event.lastEventId) || 0);
  if (due) return;
  due = true;
  setTimeout(refresh, 50);
}

async function listen() {
  if (!(await refresh())) {
    if (!$("link").classList.contains("broken")) link("the server does not answer; trying again …", true);
    setTimeout(listen, 2000);
    return;
  }
  const { told } = await ask("GET", "/api/version");
  sound = told.sound === true;
  source = new EventSource(`/api/events/stream?last_event_id=${seq}`);
  source.onopen = () => link("live");
  source.onerror = () => {
    link("the connection is lost; trying again …", true);
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
  };
  source.onmessage = stirred;
}

setInterval(() => {
  for (const since of document.querySelectorAll(".since")) since.textContent = ago(Number(since.dataset.at));
}, 1000);
setInterval(refresh, 30000); // a state can come to show otherwise by time alone
listen();

$("signout").addEventListener("click", async () => {
  await ask("POST", "/api/signout", {});
  location.reload();
});
