// Debian's Chromium, and a page that remembers everything it complained about.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

// A browser on a busy machine of two cores needs it.
export const patience_ms = 60_000;
const screenshots = join(process.cwd(), 'screenshots');

export function launchBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: [
      '--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--no-first-run',
    ],
  });
}

// `complaints` collects policy violations, console errors, exceptions and failed requests. An
// answer that the test provokes (422, 401) is logged by the browser as an error: `expect` names its
// status.
export async function openPage(browser, { expect = [], ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(patience_ms);
  const complaints = [];
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      console.error(`policy violated: ${event.violatedDirective} by ${event.blockedURI}`);
    });
  });
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`));
  page.on('console', (message) => {
    const text = message.text();
    const provoked = (status) => text.includes(`responded with a status of ${status}`);
    const expected = expect.some(provoked);
    if (['error', 'warning'].includes(message.type()) && !expected) complaints.push(text);
  });
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    // The page itself drops a dry run that was overtaken, and its stream when it is closed.
    if (why !== 'net::ERR_ABORTED') complaints.push(`${request.url()}: ${why}`);
  });
  page.on('response', (response) => {
    const status = response.status();
    if (status >= 400 && !expect.includes(status)) complaints.push(`${response.url()}: ${status}`);
  });
  return { page, complaints, close: () => context.close() };
}

// Notes all that elements with these selectors ever say, from now on, as a viewer would see it pass
// by: a test that looks itself comes too late on a busy machine.
export function watch(page, selectors) {
  return page.evaluate((wanted) => {
    const seen = (window.seen = Object.fromEntries(wanted.map((one) => [one, []])));
    const look = () => {
      for (const one of wanted) {
        const found = [...document.querySelectorAll(one)];
        const said = `${found.length}: ${found.map((element) => element.textContent).join()}`;
        if (found.length > 0 && seen[one].at(-1) !== said) seen[one].push(said);
      }
    };
    new MutationObserver(look)
      .observe(document.body, { subtree: true, childList: true, characterData: true });
  }, selectors);
}

export function watched(page) {
  return page.evaluate(() => window.seen);
}

export async function screenshot(page, name) {
  mkdirSync(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
}

export function overflow(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

// How many pixels of a chart aren't empty.
export function inked(canvas) {
  return canvas.evaluate((element) => {
    const { width, height } = element;
    const { data } = element.getContext('2d').getImageData(0, 0, width, height);
    let count = 0;
    for (let index = 3; index < data.length; index += 4) count += data[index] > 0 ? 1 : 0;
    return count;
  });
}
