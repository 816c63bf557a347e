// Walks every page of the console in a real browser, as a guest, an analyst and the owner, with and without a script.
//
// POINTILLIST_HTTP and POINTILLIST_PEOPLE say where and as whom, POINTILLIST_PEERS where playwright-core and axe-core are, CHROMIUM which
// browser. With POINTILLIST_SCREENSHOTS, pictures of every page go there: light and dark, desktop and phone.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { mkdirSync } from "node:fs";

const require = createRequire(`${process.env.POINTILLIST_PEERS}/`);
const { chromium } = require("playwright-core");
const axe = require("axe-core");
const base = process.env.POINTILLIST_HTTP;
const people = Object.fromEntries(JSON.parse(process.env.POINTILLIST_PEOPLE).map((person) => [person.name, person]));
const pictures = process.env.POINTILLIST_SCREENSHOTS;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
const DEVICES = {
  desktop: { viewport: { width: 1200, height: 800 } },
  phone: { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true },
};

// Whatever a page says that it should not: a broken policy, an error of the script, a request to elsewhere.
const complaints = [];
async function opened(options = {}) {
  const context = await browser.newContext({ ...DEVICES.desktop, ...options });
  const page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(`error of the script: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !/status of (4\d\d|5\d\d)|ERR_FAILED|ERR_INTERNET/.test(message.text())) complaints.push(message.text());
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(base) && !url.startsWith("data:") && !url.startsWith("about:")) complaints.push(`a request to elsewhere: ${url}`);
  });
  return page;
}

async function signIn(page, name) {
  await page.goto(`${base}/sign-in`);
  await page.fill("input[name=name]", name);
  await page.fill("input[name=password]", people[name].password);
  await page.click("button[type=submit]");
  await page.waitForSelector("text=Sign out");
}

async function spent(name) {
  const reply = await fetch(`${base}/v1/budget`, { headers: { Authorization: `Bearer ${people[name].token}` } });
  return (await reply.json()).scopes[0].spent.rho;
}

async function accessible(page, what) {
  await page.evaluate(axe.source);
  const found = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
  const words = found.violations.map((one) => `${what}: ${one.id}: ${one.help}: ${one.nodes.map((node) => node.target).join(", ")} ${one.nodes[0].failureSummary}`);
  assert.deepEqual(words, []);
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(sideways <= 0, `${what} scrolls sideways by ${sideways}`);
}

const steps = [];
const step = (name, run) => steps.push([name, run]);
const LESSONS = ["noise", "differences", "averages", "graphs", "trust"];
const text = (page, selector) => page.textContent(selector);

step("a guest plays, and sees nothing else", async () => {
  const page = await opened();
  await page.goto(`${base}/budget`);
  assert.equal(page.url(), `${base}/sign-in?next=/budget`);
  for (const lesson of LESSONS) {
    await page.goto(`${base}/playground/${lesson}`);
    const before = await page.innerHTML("#lesson");
    await page.focus("#step");
    await Promise.all([page.waitForResponse(/playground/), page.keyboard.press("ArrowLeft")]);
    await page.waitForFunction((old) => document.querySelector("#lesson").innerHTML !== old, before);
    await accessible(page, lesson);
  }
  await page.context().close();
});

step("a wrong password says so, and a right one leads where one wanted to go", async () => {
  const page = await opened();
  await page.goto(`${base}/budget`);
  await page.fill("input[name=name]", "ana");
  await page.fill("input[name=password]", "wrong");
  await page.click("button[type=submit]");
  assert.match(await text(page, "[role=alert]"), /do not go together/);
  await accessible(page, "sign-in");
  await page.fill("input[name=password]", people.ana.password);
  await page.click("button[type=submit]");
  await page.waitForURL(`${base}/budget`);
  await page.context().close();
});

step("a quote changes as one types, and the slider moves the bars", async () => {
  const page = await opened();
  await signIn(page, "ana");
  await page.goto(`${base}/ask`);
  const error = await text(page, "#quote [data-error]");
  await page.fill("textarea[name=sql]", "SELECT region, COUNT(*) AS visits FROM visits GROUP BY region");
  await page.fill("textarea[name=sql]", "SELECT sex, COUNT(*) AS patients FROM patients GROUP BY sex");
  await page.waitForFunction((old) => document.querySelector("#quote [data-error]").textContent !== old, error);
  const ends = () => page.$$eval("[data-preview] .w [data-hi]", (lines) => lines.map((line) => line.getAttribute("x1")));
  const [before, price] = [await ends(), await text(page, "#quote [data-price]")];
  await page.focus("#slider");
  for (let press = 0; press < 4; press++) await page.keyboard.press("ArrowLeft");
  assert.notDeepEqual(await ends(), before);
  await page.waitForFunction((old) => document.querySelector("#quote [data-price]").textContent !== old, price);
  assert.match(await page.getAttribute("#slider", "aria-valuetext"), /ε.*±/);
  await accessible(page, "ask");
  assert.equal(await spent("ana"), "0", "nothing of this is paid");
  await page.fill("textarea[name=sql]", "SELECT id FROM patients");
  await page.waitForSelector("#quote.refused");
  assert.match(await text(page, "#quote"), /nothing was paid.*What would work/s);
  await accessible(page, "refused");
  await page.context().close();
});

step("names complete themselves, and a sentence writes the SQL", async () => {
  const page = await opened();
  await signIn(page, "ana");
  await page.goto(`${base}/ask`);
  await page.click("textarea[name=sql]");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("SELECT sys");
  await page.waitForSelector("#names:not([hidden])");
  await page.keyboard.press("Tab");
  assert.equal(await page.inputValue("textarea[name=sql]"), "SELECT systolic");
  await page.click("label[for=by-words]");
  await Promise.all([page.waitForResponse(/ask\/build/), page.selectOption("[name=measure]", "average:cost")]);
  await page.waitForFunction(() => document.querySelector("textarea[name=sql]").value.includes("AVG(cost)"));
  await accessible(page, "in words");
  await page.context().close();
});

step("a rehearsal looks invented and costs nothing", async () => {
  const page = await opened();
  await signIn(page, "ana");
  await page.goto(`${base}/ask`);
  await page.click("[data-rehearse]");
  await page.waitForSelector("#answer .made-up table");
  assert.match(await text(page, "#answer"), /the numbers mean nothing/);
  assert.equal(await spent("ana"), "0");
  await accessible(page, "rehearsal");
  await page.context().close();
});

step("an answer is paid once: pressed twice, cut off, loaded again", async () => {
  const page = await opened();
  await signIn(page, "ana");
  await page.goto(`${base}/ask`);
  const purse = await text(page, "#purse");
  // The request arrives and is paid; the reply is lost on the way.
  let cut = 0;
  await page.route("**/ask/answer", async (route) => {
    if (cut++ > 0) return route.continue();
    await route.fetch();
    return route.abort("internetdisconnected");
  });
  await page.click("[data-answer]");
  await page.waitForSelector("text=We lost the connection");
  const once = await spent("ana");
  assert.notEqual(once, "0");
  await page.dblclick("[data-answer]");
  await page.waitForSelector("#answer .receipt");
  assert.equal(await spent("ana"), once, "paid once");
  assert.notEqual(await text(page, "#purse"), purse, "the gauge moved");
  const numbers = await text(page, "#answer tbody");
  await accessible(page, "answer");
  await page.click("summary:has-text('CSV')");
  assert.match(await text(page, "details.copy[open] pre"), /region,visits,visits_low,visits_high/);
  await page.reload();
  await page.waitForSelector("#quote.free");
  await page.click("[data-answer]");
  await page.waitForSelector("#answer table");
  assert.equal(await text(page, "#answer tbody"), numbers, "the recorded numbers");
  assert.equal(await spent("ana"), once, "a repeat is free");
  await page.context().close();
});

step("everything can be asked without a script", async () => {
  const page = await opened({ javaScriptEnabled: false });
  await signIn(page, "ana");
  await page.goto(`${base}/ask`);
  await page.fill("textarea[name=sql]", "SELECT count(*) AS patients FROM patients");
  await page.fill("input[name=epsilon]", "0.2");
  await page.click("text=Quote again");
  const before = await spent("ana");
  await page.click("[data-answer]");
  await page.waitForSelector("#answer .receipt");
  const paid = await spent("ana");
  assert.notEqual(paid, before);
  await page.reload();
  assert.equal(await spent("ana"), paid, "loading again pays nothing");
  await page.goto(`${base}/playground/noise`);
  await page.click(".stage button[type=submit]");
  await page.waitForSelector("#lesson circle");
  await page.context().close();
});

step("signing out ends access, and the back button shows nothing", async () => {
  const page = await opened();
  await signIn(page, "ana");
  await page.goto(`${base}/budget`);
  assert.match(await page.content(), /What you asked/);
  const other = await page.context().newPage();
  await other.goto(`${base}/ask`);
  await page.click("text=Sign out");
  await page.waitForURL(`${base}/sign-in`);
  await page.goBack().catch(() => null);
  await page.waitForTimeout(300);
  assert.doesNotMatch(await page.content(), /What you asked|Sign out/);
  // A tab that is still open learns of it with its next question; the draft stays.
  await other.fill("textarea[name=sql]", "SELECT count(*) FROM visits");
  await other.waitForSelector("text=You are signed out");
  assert.equal(await other.inputValue("textarea[name=sql]"), "SELECT count(*) FROM visits");
  assert.equal(await other.textContent("#purse"), "");
  await page.context().close();
});

step("the owner sees the desk, edits the catalog and audits a question", async () => {
  const page = await opened();
  await signIn(page, "owner");
  assert.equal(page.url(), `${base}/desk`);
  assert.match(await text(page, "main"), /The record is complete/);
  await accessible(page, "desk");
  await page.goto(`${base}/ask`);
  assert.match(await text(page, "h1"), /not for your role/);
  await page.goto(`${base}/catalog/edit`);
  await accessible(page, "editor");
  const catalog = await page.inputValue("textarea[name=text]");
  await page.fill("textarea[name=text]", catalog.replace("max_groups = 4 ", "max_groups = four "));
  await page.click("text=Save and use");
  assert.match(await text(page, "main"), /Nothing was saved/);
  await page.fill("textarea[name=text]", catalog.replace("# several rows a person", "# several visits a person"));
  await page.click("text=Save and use");
  assert.match(await text(page, "main"), /Saved, and in use/);
  for (const path of ["/budget", "/graphs", "/releases", "/catalog", "/desk/audit"]) {
    await page.goto(base + path);
    await accessible(page, `owner ${path}`);
  }
  const before = await spent("ana");
  await page.fill("textarea[name=sql]", "SELECT count(*) FROM patients");
  await page.click("form.audit button[type=submit]", { noWaitAfter: true });
  await page.waitForSelector("section.answer", { timeout: 180_000 });
  assert.match(await text(page, "section.answer"), /claimed.*seen, at least/s);
  assert.doesNotMatch(await text(page, "section.answer"), /Not as it should be/);
  await accessible(page, "audited");
  assert.equal(await spent("ana"), before, "an audit charges nothing");
  await page.context().close();
});

step("every page of an analyst is readable, in light, in dark and on a phone", async () => {
  for (const options of [{ colorScheme: "dark" }, { ...DEVICES.phone }, { ...DEVICES.phone, colorScheme: "dark" }]) {
    const page = await opened(options);
    await signIn(page, "ana");
    for (const path of ["/ask", "/catalog", "/budget", "/graphs", "/releases", "/playground", "/playground/differences"]) {
      await page.goto(base + path);
      await accessible(page, `${JSON.stringify(options)} ${path}`);
    }
    await page.context().close();
  }
  const narrow = await opened({ viewport: { width: 320, height: 700 } });
  await signIn(narrow, "ana");
  for (const path of ["/ask", "/catalog", "/budget", "/graphs"]) {
    await narrow.goto(base + path);
    await accessible(narrow, `320 pixels ${path}`);
  }
  await narrow.context().close();
});

// Pictures of every page, for people to look at.
async function photographed() {
  mkdirSync(pictures, { recursive: true });
  for (const colorScheme of ["light", "dark"]) {
    for (const [device, options] of Object.entries(DEVICES)) {
      const page = await opened({ ...options, colorScheme });
      const shot = async (name) => {
        await page.waitForTimeout(150);
        const height = Math.min(1400, await page.evaluate(() => document.documentElement.scrollHeight));
        const clip = { x: 0, y: 0, width: options.viewport.width, height };
        await page.screenshot({ path: `${pictures}/${name}-${device}-${colorScheme}.jpg`, type: "jpeg", quality: 28, fullPage: true, clip });
      };
      await page.goto(`${base}/sign-in`);
      await shot("sign-in");
      for (const lesson of LESSONS) {
        await page.goto(`${base}/playground/${lesson}`);
        await shot(`playground-${lesson}`);
      }
      await signIn(page, "ana");
      await page.goto(`${base}/ask`);
      await page.fill("textarea[name=sql]", "SELECT region, AVG(cost) AS average_cost\nFROM visits\nWHERE day >= DATE '2025-06-01'\nGROUP BY region");
      await page.waitForFunction(() => /about/.test(document.querySelector("#quote [data-error]")?.textContent ?? ""));
      await shot("ask");
      await page.goto(`${base}/ask`);
      await page.click("[data-answer]");
      await page.waitForSelector("#answer table");
      await shot("answer");
      for (const path of ["catalog", "budget", "graphs", "releases"]) {
        await page.goto(`${base}/${path}`);
        await shot(path);
      }
      await page.click("text=Sign out");
      await signIn(page, "owner");
      for (const [path, name] of [["desk", "desk"], ["catalog/edit", "catalog-edit"], ["desk/audit", "audit"]]) {
        await page.goto(`${base}/${path}`);
        await shot(name);
      }
      await page.context().close();
    }
  }
}

let failed = 0;
for (const [name, run] of steps) {
  const began = Date.now();
  try {
    await run();
    assert.deepEqual(complaints.splice(0), []);
    console.log(`  ok      ${name} (${Date.now() - began} ms)`);
  } catch (error) {
    failed++;
    complaints.splice(0);
    console.log(`  FAILED  ${name}\n${error.stack}`);
  }
}
if (pictures && !failed) await photographed();
await browser.close();
process.exit(failed ? 1 : 0);
