// One person's way through the page: ask, be corrected, watch, read the answer, cancel, clean up.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  inked, launchBrowser, openPage, overflow, screenshot, watch, watched,
} from './browser.mjs';
import { startDaemon } from './daemon.mjs';

const settings = [1, 2, 3, 4, 6, 8];
const sweep_ms = 180_000;
describe('the dashboard', () => {
  let daemon, browser, visit, page;

  before(async () => {
    daemon = await startDaemon();
    browser = await launchBrowser();
    visit = await openPage(browser, { expect: [422] });
    page = visit.page;
  });

  after(async () => {
    await browser?.close();
    await daemon?.stop();
  });

  async function api(path) {
    const answer = await fetch(`${daemon.url}/api/v1${path}`);
    return answer.json();
  }

  function field(name) {
    return page.locator(`#field-${name}`);
  }

  async function ask(values) {
    for (const [name, value] of Object.entries(values)) await field(name).fill(value);
    await page.getByRole('button', { name: 'Start the sweep' }).click();
    await page.waitForURL(/#\/sweeps\/\d+$/);
    return Number(/\d+$/.exec(page.url())[0]);
  }

  async function stateIs(state) {
    await page.locator('.sweep-head .state', { hasText: state }).waitFor({ timeout: sweep_ms });
  }

  it('the page opens quietly and shows what the default sweep would cost', async () => {
    await page.goto(daemon.url);
    await page.locator('.link.live').waitFor();
    assert.equal(await page.locator('.rail .row').count(), 0);
    const plan = page.locator('.plan .figures');
    await plan.getByText('4 GiB').first().waitFor();
    assert.match(await plan.innerText(), /runs, at most\s+\d+/);
  });

  it('every wrong value is told beside its field, and no longer once it is mended', async () => {
    await field('numjobs').fill('0');
    await field('bs').fill('1000');
    await page.locator('#field-numjobs-said .wrong').waitFor();
    await page.locator('#field-bs-said .wrong', { hasText: '512' }).waitFor();
    assert.equal(await field('bs').getAttribute('aria-invalid'), 'true');
    await field('numjobs').fill('');
    await field('bs').fill('');
    await page.locator('.field .wrong').first().waitFor({ state: 'detached' });
    assert.equal(await field('bs').getAttribute('aria-invalid'), 'false');
  });

  it('a sweep posted by the form is watched live, point by point, to its answer', async () => {
    await watch(page, ['.going .phase', '.going .current', '.going .now', 'tbody tr th']);
    const id = await ask({
      numjobs: settings.join(), size: '16m', runtime: '1s', label: 'browser test',
    });
    await stateIs('done');
    const seen = await watched(page);
    assert.match(seen['.going .phase'].join(), /measure/);
    assert.match(seen['.going .current'].join(), /randread 4k · depth 1 · \d jobs?/);
    assert.match(seen['.going .now'].join(), /\d/);
    const rows = seen['tbody tr th'].map((said) => parseInt(said, 10));
    assert.ok(rows.some((count) => count < settings.length), `rows came at once: ${rows}`);

    const sweep = await api(`/sweeps/${id}`);
    assert.equal(sweep.state, 'done');
    await page.locator('.answer', { hasText: sweep.answer }).waitFor();
    await page.locator('tbody tr').nth(settings.length - 1).waitFor();
    const read = (row) => row.evaluate((element) => [...element.cells].map((one) => one.innerText));
    for (const [index, row] of (await page.locator('tbody tr').all()).entries()) {
      const [jobs, , iops] = await read(row);
      const point = sweep.points.find((one) => one.numjobs === settings[index]);
      assert.equal(Number(jobs), settings[index]);
      assert.equal(Number(iops.replace(/\s/g, '')), Math.round(point.iops));
    }
  });

  it('the curve is drawn, says itself in words, and is walked with the arrow keys', async () => {
    const charts = page.getByRole('img');
    assert.equal(await charts.count(), 2);
    for (const chart of await charts.all()) {
      assert.match(await chart.getAttribute('aria-label'), /against numjobs, randread\. 1 job: /);
      assert.ok(await inked(chart.locator('canvas')) > 1000);
    }
    await charts.first().focus();
    await page.keyboard.press('Home');
    await page.locator('tr.hovered th', { hasText: /^1$/ }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.locator('tr.hovered th', { hasText: /^2$/ }).waitFor();
    await page.locator('.family > .readout', { hasText: '2 jobs' }).waitFor();
  });

  it('light, dark and phone show all of it without scrolling sideways', async () => {
    const address = page.url();
    const looks = {
      light: { colorScheme: 'light' },
      dark: { colorScheme: 'dark' },
      phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
    };
    for (const [name, options] of Object.entries(looks)) {
      for (const [what, hash] of [['answer', address], ['form', `${daemon.url}/#/`]]) {
        const look = await openPage(browser, options);
        await look.page.goto(hash);
        await look.page.locator('.link.live').waitFor();
        await look.page.locator(what === 'answer' ? '.u-over' : '.plan').first().waitFor();
        await look.page.locator('.rail .row').first().waitFor();
        assert.ok(await overflow(look.page) <= 0, `${what} on ${name} scrolls sideways`);
        await screenshot(look.page, `${what}-${name}`);
        assert.deepEqual(look.complaints, []);
        await look.close();
      }
    }
  });

  it('a running sweep is cancelled by pressing twice', async () => {
    await page.getByRole('link', { name: 'New sweep', exact: true }).click();
    const id = await ask({ numjobs: '1', size: '16m', runtime: '60s' });
    await page.getByRole('progressbar').waitFor();
    await screenshot(page, 'running');
    const head = page.locator('.sweep-head');
    await head.getByRole('button', { name: `Cancel sweep ${id}` }).click();
    await head.getByRole('button', { name: `Really cancel sweep ${id}` }).click();
    await stateIs('cancelled');
    assert.equal((await api(`/sweeps/${id}`)).state, 'cancelled');
  });

  it('a finished sweep is deleted by pressing twice; the form comes back', async () => {
    const id = Number(/\d+$/.exec(page.url())[0]);
    const head = page.locator('.sweep-head');
    await head.getByRole('button', { name: `Delete sweep ${id}` }).click();
    await head.getByRole('button', { name: `Really delete sweep ${id}` }).click();
    await page.getByRole('button', { name: 'Start the sweep' }).waitFor();
    await page.locator('.rail .row').nth(1).waitFor({ state: 'detached' });
    assert.deepEqual((await api('/sweeps')).items.map((one) => one.label), ['browser test']);
  });

  it('a mix is asked for with its share of reads, and shown both ways', async () => {
    await page.goto(`${daemon.url}/#/`);
    await page.locator('input[name=rw][value=randrw]').check();
    await page.locator('input[name=rw][value=randread]').uncheck();
    const id = await ask({ rwmixread: '70', numjobs: '1,2', size: '16m', runtime: '1s' });
    await stateIs('done');
    const sweep = await api(`/sweeps/${id}`);
    assert.equal(sweep.spec.rwmixread, 70);
    const heads = await page.locator('thead th').allInnerTexts();
    assert.ok(heads.join().includes('read p99'));
    const cells = await page.locator('tbody tr').first().locator('td').allInnerTexts();
    const [reads, writes] = cells.slice(5, 7).map((one) => Number(one.replace(/\s/g, '')));
    assert.equal(reads, Math.round(sweep.points[0].read.iops));
    assert.ok(reads > writes);
    await screenshot(page, 'mix');
  });

  it('nothing violated the policy, nothing failed, the console stayed empty', () => {
    assert.deepEqual(visit.complaints, []);
  });
});
