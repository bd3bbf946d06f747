// A service started by root wants a token for what changes anything: the page asks for it once,
// when a person wants something, and not before.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { launchBrowser, openPage } from './browser.mjs';
import { as_root, giveAway, startDaemon } from './daemon.mjs';

const token = 'twenty-four-letters-long';
const skip = as_root ? false : 'only root can start a service that drops its privileges';
describe('the dashboard of a service started by root', () => {
  let daemon, browser, visit, page;

  before(async () => {
    if (skip) return;
    const prepare = (home) => {
      writeFileSync(join(home, 'token'), `${token}\n`, { mode: 0o600 });
      giveAway(join(home, 'token')); // the service reads it, and has no privileges
      return [`token_file=${home}/token`, 'user=nobody'];
    };
    daemon = await startDaemon({ keep_root: true, prepare });
    browser = await launchBrowser();
    visit = await openPage(browser, { expect: [401] });
    page = visit.page;
  });

  after(async () => {
    await browser?.close();
    await daemon?.stop();
  });

  it('reading needs no token; what changes something asks for it once', { skip }, async () => {
    await page.goto(daemon.url);
    await page.locator('.link.live').waitFor();
    assert.equal(await page.locator('dialog[open]').count(), 0);
    await page.getByRole('button', { name: 'Give the token' }).click();
    await page.locator('#token').fill('not-this-one-by-any-means');
    await page.getByRole('button', { name: 'Use it' }).click();
    await page.locator('.plan .wrong').first().waitFor();
    await page.getByRole('button', { name: 'Start the sweep' }).click();
    await page.locator('dialog[open]', { hasText: 'not accepted' }).waitFor();
    await page.locator('#token').fill(token);
    await page.getByRole('button', { name: 'Use it' }).click();
    await page.waitForURL(/#\/sweeps\/\d+$/);
    const head = page.locator('.sweep-head');
    await head.getByRole('button', { name: /^Cancel/ }).click();
    await head.getByRole('button', { name: /^Really cancel/ }).click();
    await page.locator('.sweep-head .state', { hasText: 'cancelled' }).waitFor();
  });

  it('nothing but the refused requests was complained about', { skip }, () => {
    assert.deepEqual(visit.complaints, []);
  });
});
