// Makes pages quicker under the hand: colours while one types, names that complete themselves, live quotes, sliders, one press
// instead of a page. It computes no price and no error: every number on a page comes from the server. Without it everything still
// works, by forms.
"use strict";

document.documentElement.classList.add("script");

const one = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const say = (selector, words, root = document) => all(selector, root).forEach((element) => { element.textContent = words; });

// ── words and colours of SQL, as the server's first look has them ──
const KEYWORDS = new Set(("all and as asc between by case cast cross cube desc distinct else end explain false filter from group having in inner is join "
  + "left like limit not null offset on options or order over partition rollup select then true union when where with").split(" "));
const PARTS = /--[^\n]*|'[^']*'?|\d[\d.]*|[\p{L}\p{N}_]+|[^]/gu;

function colour(pre, sql) {
  pre.textContent = "";
  const parts = sql.match(PARTS) ?? [];
  parts.forEach((part, place) => {
    let kind = "";
    if (part.startsWith("--") && part.length > 1) kind = "c";
    else if (part.startsWith("'") || /^\d/.test(part)) kind = "v";
    else if (KEYWORDS.has(part.toLowerCase())) kind = "k";
    else if (/^[\p{L}_]/u.test(part) && parts[place + 1] === "(") kind = "f";
    if (!kind) { pre.append(part); return; }
    const span = document.createElement("span");
    span.className = kind;
    span.textContent = part;
    pre.append(span);
  });
  pre.append("\n");
}

// ── requests ──
class SignedOut extends Error {}

async function send(form, action, signal, button) {
  const fields = new URLSearchParams(new FormData(form));
  if (button?.name) fields.set(button.name, button.value);
  const reply = await fetch(action, { method: "POST", body: fields, headers: { Accept: "application/json" }, signal, credentials: "same-origin" });
  const said = await reply.json();
  if (reply.status === 401) throw new SignedOut(said.words);
  if (!reply.ok) throw new Error(said.words ?? said.detail ?? "That did not work.");
  return said;
}

function tell(panel, title, words) {
  one(".quote-top strong", panel).textContent = title;
  one(".quote-top .aside", panel).textContent = "";
  const line = one("[data-told]", panel) ?? document.createElement("p");
  line.dataset.told = "";
  line.textContent = words;
  one(".quote-body", panel).prepend(line);
}

// ── asking ──
function asking() {
  const form = one("[data-ask]");
  if (!form) return;
  const area = one("textarea", form), pre = one("pre", form), panel = one("#quote"), answer = one("#answer");
  const epsilon = form.elements.epsilon;
  let quoting = null, timer = 0, slow = 0, paying = false;

  function fit() {
    colour(pre, area.value);
  }

  function put(said, parts) {
    for (const id of parts) {
      const place = document.getElementById(id);
      if (place && said[id] !== undefined) place.innerHTML = said[id];
    }
    panel.className = `panel quote ${said["quote-class"]}`;
    answer.hidden = !answer.innerHTML;
    slider();
  }

  async function quote(action = "/ask/quote", source = form) {
    quoting?.abort();
    quoting = new AbortController();
    clearTimeout(slow);
    slow = setTimeout(() => {
      panel.classList.add("waits");
      const aside = one(".quote-top .aside", panel);
      if (aside) aside.innerHTML = '<span class="dots" aria-hidden="true"><i></i><i></i><i></i></span> working out the price';
    }, 300);
    try {
      const said = await send(source, action, quoting.signal);
      clearTimeout(slow);
      if (source !== form) { area.value = said.sql; fit(); }
      put(said, ["quote", "preview", "chips"]);
      return said;
    } catch (error) {
      clearTimeout(slow);
      if (error.name === "AbortError") return null;
      trouble(error, "The price could not be worked out.");
      return null;
    }
  }

  function trouble(error, words) {
    panel.classList.remove("waits");
    if (error instanceof SignedOut) {
      // The draft stays in the editor; nothing private stays on the page.
      answer.innerHTML = "";
      answer.hidden = true;
      const preview = one("#preview");
      if (preview) preview.innerHTML = "";
      const purse = one("#purse");
      if (purse) purse.innerHTML = "";
      all(".recall").forEach((list) => list.remove());
      tell(panel, "You are signed out", "Copy your question, then load this page again and sign in.");
      return;
    }
    tell(panel, "Not now", error instanceof TypeError ? words : error.message);
  }

  function later(wait = 350) {
    clearTimeout(timer);
    timer = setTimeout(() => quote(), wait);
  }

  async function press(button, action, doing) {
    if (paying) return;
    paying = true;
    const label = button.innerHTML;
    button.textContent = doing;
    button.setAttribute("aria-disabled", "true");
    clearTimeout(timer);
    try {
      const said = await send(form, action, undefined, button);
      put(said, ["quote", "preview", "answer", "purse"]);
      form.elements.nonce.value = said.nonce;
      if (!answer.hidden) answer.scrollIntoView({ block: "nearest" });
    } catch (error) {
      button.innerHTML = label;
      button.removeAttribute("aria-disabled");
      trouble(error, "We lost the connection. If it was paid, the answer is in your history, and asking again will not charge you twice.");
    } finally {
      paying = false;
    }
  }

  // The slider goes from one quoted price to the next; what moves was computed by the server.
  function slider() {
    const range = one("#slider"), box = one("[data-ladder]");
    if (!range || !box) return;
    const steps = JSON.parse(box.dataset.ladder);
    const rows = one("[data-preview]"), reaches = JSON.parse(rows.dataset.reaches);
    const move = () => {
      const step = steps[range.value];
      epsilon.value = step.epsilon;
      all("#quote [name=offered]").forEach((button) => { button.value = step.price; });
      say("#quote [data-price], .slider [data-price]", step.price);
      say("#quote [data-error], .slider [data-error]", step.errors[0] ?? "");
      step.errors.forEach((error, place) => say(`#quote [data-error-of="${place}"]`, error));
      if (step.more) say("#quote [data-more]", step.more);
      if (step.part) say("#quote [data-part]", step.part);
      if (step.odds) say("#quote [data-odds]", step.odds);
      const now = one("#quote [data-now]");
      if (now && step.now !== null) now.setAttribute("width", `${Math.min(100, Math.max(0.4, step.now))}%`);
      range.setAttribute("aria-valuetext", `${step.price}, ${step.errors[0] ?? ""}`);
      all(".w", rows).forEach((whisker, row) => {
        const reach = reaches[row] * step.factor, middle = Number(whisker.dataset.mid);
        const low = `${Math.max(0, middle - reach)}%`, high = `${Math.min(100, middle + reach)}%`;
        all("line", whisker).forEach((line) => {
          line.setAttribute("x1", "hi" in line.dataset ? high : low);
          line.setAttribute("x2", "lo" in line.dataset ? low : high);
        });
      });
    };
    range.addEventListener("input", move);
    // The same place in the new panel: nothing moves under the hand while it is held.
    range.addEventListener("change", async () => {
      const held = document.activeElement === range;
      await quote();
      if (held) one("#slider")?.focus();
    });
  }

  area.addEventListener("input", () => { fit(); later(); });
  area.addEventListener("scroll", () => { pre.scrollTop = area.scrollTop; });
  all(".options input", form).forEach((input) => input.addEventListener("input", () => later(600)));
  form.addEventListener("submit", (event) => {
    const button = event.submitter;
    event.preventDefault();
    if (button?.hasAttribute("data-answer")) press(button, "/ask/answer", "Asking…");
    else if (button?.hasAttribute("data-rehearse")) press(button, "/ask/rehearse", "Rehearsing…");
    else {
      if (button?.dataset.cheaper) epsilon.value = button.dataset.cheaper;
      quote();
    }
  });
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); quote(); }
  });
  all("[data-recall]").forEach((button) => button.addEventListener("click", (event) => {
    event.preventDefault();
    area.value = button.form.elements.sql.value;
    button.closest("details").open = false;
    fit();
    quote();
    area.focus();
  }));
  const sentence = one("[data-sentence]");
  sentence?.addEventListener("change", async (event) => {
    // Another table has other columns: the whole sentence is new.
    if (event.target.name === "table") { sentence.submit(); return; }
    await quote("/ask/build", sentence);
  });
  sentence?.addEventListener("submit", (event) => { event.preventDefault(); quote("/ask/build", sentence); });
  one("#chips")?.addEventListener("click", (event) => {
    const chip = event.target.closest("[data-insert]");
    if (!chip) return;
    area.setRangeText(chip.dataset.insert, area.selectionStart, area.selectionEnd, "end");
    area.focus();
    fit();
    later();
  });
  completion(area, pre, () => { fit(); later(); });
  slider();
  fit();
}

// ── names that complete themselves ──
function completion(area, pre, changed) {
  const names = JSON.parse(area.dataset.names ?? "[]");
  const box = document.createElement("ul");
  box.className = "names";
  box.id = "names";
  box.setAttribute("role", "listbox");
  box.setAttribute("aria-label", "Names that are declared");
  box.hidden = true;
  area.closest("form").append(box);
  area.setAttribute("aria-controls", "names");
  let found = [], chosen = 0;

  const word = () => /[\p{L}_][\p{L}\p{N}_]*$/u.exec(area.value.slice(0, area.selectionStart))?.[0] ?? "";
  const close = () => { box.hidden = true; found = []; area.removeAttribute("aria-activedescendant"); };

  function mark() {
    [...box.children].forEach((item, place) => item.setAttribute("aria-selected", String(place === chosen)));
    area.setAttribute("aria-activedescendant", `name-${chosen}`);
  }

  function place() {
    const at = area.selectionStart - word().length;
    const range = document.createRange(), walker = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT);
    let before = 0;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (before + node.length >= at) { range.setStart(node, at - before); break; }
      before += node.length;
    }
    range.collapse(true);
    const here = range.getBoundingClientRect(), host = area.closest("form").getBoundingClientRect();
    box.style.left = `${Math.max(0, Math.min(here.left - host.left, host.width - 230))}px`;
    box.style.top = `${here.bottom - host.top + 4}px`;
  }

  function open(wanted) {
    const start = wanted.toLowerCase();
    found = names.filter(([name]) => name.toLowerCase().startsWith(start) && name !== wanted).slice(0, 7);
    if (!wanted || !found.length) { close(); return; }
    chosen = 0;
    box.replaceChildren(...found.map(([name, what], place) => {
      const item = document.createElement("li");
      item.id = `name-${place}`;
      item.setAttribute("role", "option");
      const kind = document.createElement("small");
      kind.textContent = what;
      item.append(name, kind);
      item.addEventListener("mousedown", (event) => { event.preventDefault(); chosen = place; take(); });
      return item;
    }));
    box.hidden = false;
    mark();
    place();
  }

  function take() {
    const [name] = found[chosen], plain = /^[a-z_][a-z0-9_]*$/.test(name);
    const text = plain ? name : `"${name.replaceAll('"', '""')}"`;
    area.setRangeText(text, area.selectionStart - word().length, area.selectionStart, "end");
    close();
    changed();
  }

  area.addEventListener("input", () => open(word()));
  area.addEventListener("blur", close);
  area.addEventListener("keydown", (event) => {
    if (event.key === " " && event.ctrlKey) { event.preventDefault(); open(word()); return; }
    if (box.hidden) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      chosen = (chosen + (event.key === "ArrowDown" ? 1 : found.length - 1)) % found.length;
      mark();
    } else if (event.key === "Tab" || event.key === "Enter") {
      event.preventDefault();
      take();
    } else if (event.key === "Escape") close();
  });
}

// ── copying ──
document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy]");
  if (!button) return;
  try {
    await navigator.clipboard.writeText(one("pre", button.parentElement).textContent);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(one("pre", button.parentElement));
    button.textContent = "Selected";
  }
});

// ── forms that answer as their sliders move: the same page, asked for again, of which one part is new ──
function live() {
  all("form[data-live]").forEach((form) => {
    let asking = null, timer = 0;
    const refresh = async () => {
      asking?.abort();
      asking = new AbortController();
      const address = `${form.getAttribute("action")}?${new URLSearchParams(new FormData(form))}`;
      try {
        const reply = await fetch(address, { headers: { Accept: "application/json" }, signal: asking.signal, credentials: "same-origin" });
        if (!reply.ok) return;
        const said = await reply.json();
        for (const [id, html] of Object.entries(said)) {
          const place = document.getElementById(id);
          if (place) place.innerHTML = html;
        }
      } catch { /* The next move asks again. */ }
    };
    form.addEventListener("input", (event) => {
      const range = event.target;
      if (range.type === "range" && range.dataset.words) {
        const words = JSON.parse(range.dataset.words)[range.value - range.min];
        say("output", words, form);
        range.setAttribute("aria-valuetext", words);
      }
      clearTimeout(timer);
      timer = setTimeout(refresh, 60);
    });
    form.addEventListener("submit", (event) => { event.preventDefault(); refresh(); });
  });
}

// A page that the browser kept from before is asked for again: whoever signed out left nothing behind.
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

asking();
live();
