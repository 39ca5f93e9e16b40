// Forms are sent in the background and the page is replaced, so that it neither jumps nor flashes. Without this script
// the forms still work; only uploads, the tree and the progress need it.
"use strict";

const memory = {
  get(key) { try { return localStorage.getItem(key); } catch { return null; } },
  set(key, value) { try { localStorage.setItem(key, value); } catch { /* not allowed: forget it */ } },
};

function applyChoices() {
  const theme = memory.get("theme");
  if (theme) document.documentElement.dataset.theme = theme;
  document.documentElement.dataset.job = memory.get("job") || "closed";
  const toggle = document.querySelector("[data-job-toggle]");
  if (toggle) toggle.setAttribute("aria-expanded", String(document.documentElement.dataset.job === "open"));
}

function say(text) {
  const live = document.getElementById("live");
  if (live) live.textContent = text;
}

// Replace the page by another one, and keep the place.
function show(html, url, keep) {
  const next = new DOMParser().parseFromString(html, "text/html");
  const focused = document.activeElement && document.activeElement.id;
  const at = window.scrollY;
  document.title = next.title;
  document.body.replaceChildren(...next.body.childNodes);
  if (url && url !== location.href) history.pushState(null, "", url);
  applyChoices();
  prepare();
  if (keep) {
    window.scrollTo(0, at);
    const again = focused && document.getElementById(focused);
    if (again) again.focus({ preventScroll: true });
  } else {
    window.scrollTo(0, 0);
    const main = document.getElementById("main");
    if (main) main.focus({ preventScroll: true });
  }
  const problem = document.querySelector(".problems");
  if (problem) {
    problem.scrollIntoView({ block: "nearest" });
    say(problem.textContent.trim());
  }
}

async function load(url, options, keep) {
  document.body.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(url, { credentials: "same-origin", redirect: "follow", ...options });
    const html = await answer.text();
    const same = new URL(answer.url).pathname === location.pathname;
    show(html, answer.url, keep === undefined ? same : keep);
  } catch {
    say("The server does not answer. Is ontomask web still running?");
    document.body.removeAttribute("aria-busy");
    alertBox("The server does not answer. Is ontomask web still running?");
  }
}

function alertBox(text) {
  const main = document.getElementById("main") || document.body;
  const box = document.createElement("p");
  box.className = "problems";
  box.setAttribute("role", "alert");
  box.textContent = text;
  main.prepend(box);
}

function fieldsOf(form, submitter) {
  const data = new FormData(form);
  if (submitter && submitter.name) data.append(submitter.name, submitter.value);
  return new URLSearchParams(data);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  const submitter = event.submitter;
  if (form.dataset.search !== undefined) {
    event.preventDefault();
    const row = form.closest(".chooser");
    const data = fieldsOf(form, submitter);
    data.append("column", row.dataset.column);
    data.append("value", row.dataset.value);
    fragment(form.dataset.search, data, row.querySelector("[data-found]"));
    return;
  }
  if (form.dataset.cancel !== undefined) {
    event.preventDefault();
    form.querySelector("button").disabled = true;
    form.querySelector("button").textContent = "Stopping …";
    fetch(form.getAttribute("action"), { method: "POST", credentials: "same-origin" });
    return;
  }
  if ((form.getAttribute("method") || "").toLowerCase() !== "post") return;
  event.preventDefault();
  const action = (submitter && submitter.getAttribute("formaction")) || form.getAttribute("action");
  load(action, { method: "POST", body: fieldsOf(form, submitter) });
});

document.addEventListener("change", (event) => {
  const field = event.target;
  if (field.dataset.tickAll) {
    const table = field.closest("table");
    for (const box of table.querySelectorAll(`input[name="${field.dataset.tickAll}"]`)) box.checked = field.checked;
    return;
  }
  if (field.dataset.upload) {
    if (field.files.length) upload(field, field.files[0]);
    return;
  }
  const form = field.form;
  if (form && form.dataset.auto !== undefined) form.requestSubmit();
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (link && link.origin === location.origin && !link.hasAttribute("download") && !link.target && !link.hash
      && !event.metaKey && !event.ctrlKey && !event.shiftKey && event.button === 0) {
    event.preventDefault();
    load(link.href, {}, false);
    return;
  }
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.themeToggle !== undefined) {
    const dark = document.documentElement.dataset.theme
      ? document.documentElement.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    memory.set("theme", dark ? "light" : "dark");
    applyChoices();
  } else if (button.dataset.jobToggle !== undefined) {
    memory.set("job", memory.get("job") === "open" ? "closed" : "open");
    applyChoices();
  } else if (button.dataset.openRow !== undefined) {
    openRow(button);
  }
});

window.addEventListener("popstate", () => load(location.href, {}, false));

// A part of a page.
async function fragment(url, data, target) {
  target.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(url, { method: "POST", body: data, credentials: "same-origin" });
    target.innerHTML = await answer.text();
  } finally {
    target.removeAttribute("aria-busy");
  }
}

function openRow(button) {
  const row = button.closest("tr");
  const open = row.nextElementSibling && row.nextElementSibling.classList.contains("chooser");
  for (const other of document.querySelectorAll("tr.chooser")) other.remove();
  for (const other of document.querySelectorAll("[data-open-row]")) other.setAttribute("aria-expanded", "false");
  if (open) return;
  const made = document.getElementById("chooser").content.firstElementChild.cloneNode(true);
  made.dataset.value = button.dataset.value;
  made.dataset.column = button.dataset.column;
  row.after(made);
  button.setAttribute("aria-expanded", "true");
  const target = made.querySelector("[data-alternatives]");
  fragment(target.dataset.url, new URLSearchParams({ column: button.dataset.column, value: button.dataset.value }), target);
}

// Branches of the tree are loaded when they are opened.
document.addEventListener("toggle", (event) => {
  const branch = event.target;
  if (!branch.dataset || !branch.dataset.children || !branch.open || branch.dataset.loaded) return;
  branch.dataset.loaded = "yes";
  const row = branch.closest(".chooser");
  const below = document.createElement("div");
  branch.append(below);
  const data = { column: row.dataset.column, value: row.dataset.value, concept: branch.dataset.concept };
  fragment(branch.dataset.children, new URLSearchParams(data), below);
}, true);

// Uploads: only the extension and a label to show are sent with the file.
function upload(field, file) {
  const place = field.closest("div, section, main");
  const bar = place.querySelector("progress");
  const problem = place.querySelector("[data-upload-problem]") || document.querySelector("[data-upload-problem]");
  const found = file.name.toLowerCase().match(/(\.(csv|tsv|obo|json|owl|txt|nt|ttl|xml))?\.[a-z0-9]+$/);
  const request = new XMLHttpRequest();
  request.open("POST", field.dataset.upload);
  request.setRequestHeader("x-format", found ? found[0] : "");
  request.setRequestHeader("x-label", encodeURIComponent(file.name));
  // Not the column that another tab shows.
  if (field.dataset.column) request.setRequestHeader("x-column", field.dataset.column);
  if (problem) problem.hidden = true;
  if (bar) {
    bar.hidden = false;
    request.upload.onprogress = (event) => { bar.value = event.loaded / event.total; };
  }
  const fail = (text) => {
    field.value = "";
    if (bar) bar.hidden = true;
    if (problem) { problem.textContent = text; problem.hidden = false; }
    say(text);
  };
  request.onload = () => {
    let answer = {};
    try { answer = JSON.parse(request.responseText); } catch { /* not from our handlers */ }
    if (answer.location) load(answer.location, {}, false);
    else fail(answer.problem || (request.status === 413 ? "The file is too large. Start ontomask web with a larger --max-upload." : "The file was refused."));
  };
  request.onerror = () => fail("The file was refused, or the server does not answer. A file larger than --max-upload is refused.");
  request.send(file);
}

for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    const zone = event.target.closest && event.target.closest("[data-drop]");
    if (kind !== "dragleave") event.preventDefault();
    for (const other of document.querySelectorAll("[data-drop]")) other.classList.toggle("over", other === zone && kind === "dragover");
    if (kind === "drop" && zone && event.dataTransfer.files.length) upload(zone.querySelector("[data-upload]"), event.dataTransfer.files[0]);
  });
}

// Progress of long work.
let watching = 0;

function inWords(seconds) {
  const whole = Math.round(seconds);
  if (whole === 1) return "1 second";
  return whole < 90 ? `${whole} seconds` : `${Math.round(seconds / 60)} minutes`;
}

async function watch(box, number) {
  while (number === watching && document.contains(box)) {
    let now;
    try {
      const answer = await fetch(box.dataset.progress, { credentials: "same-origin" });
      now = await answer.json();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      continue;
    }
    if (number !== watching || !document.contains(box)) return;
    if (["done", "failed", "cancelled", "none"].includes(now.state)) {
      await load(location.href, {}, false);
      const result = now.state === "done" && document.getElementById(box.dataset.result);
      if (result) result.scrollIntoView({ block: "start" });
      return;
    }
    const bar = box.querySelector("progress");
    if (now.done) bar.value = now.done / now.total; else bar.removeAttribute("value");
    box.querySelector("[data-step]").textContent = now.state === "waiting" ? "Waiting until other work has ended" : now.step || "Starting";
    const parts = [`${inWords(now.seconds)} so far`];
    // Only what a person can count; other totals are millions of cells.
    if (now.total && now.total < 1000) parts.unshift(`${now.done} of ${now.total} done`);
    if (now.left !== null) parts.push(now.left < 2 ? "nearly done" : `about ${inWords(now.left)} left`);
    else if (now.total) parts.push("the time left is known after the first part");
    box.querySelector("[data-left]").textContent = parts.join(", ");
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

// Points of the risk–utility map choose their method.
function prepareMap(map) {
  const order = map.dataset.order.split(",");
  map.querySelectorAll(".om-point").forEach((point, number) => {
    const choose = () => {
      const button = document.querySelector(`#points button[value="${order[number]}"]`);
      if (button) button.click();
    };
    point.setAttribute("tabindex", "0");
    point.setAttribute("role", "button");
    const title = point.querySelector("title");
    if (title) point.setAttribute("aria-label", title.textContent);
    point.addEventListener("click", choose);
    point.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); }
    });
  });
}

function prepare() {
  document.body.removeAttribute("aria-busy");
  watching += 1;
  const box = document.getElementById("working");
  if (box) watch(box, watching);
  const map = document.querySelector(".map[data-order]");
  if (map) prepareMap(map);
}

applyChoices();
prepare();
