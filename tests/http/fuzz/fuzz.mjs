// The properties: no request brings a 5xx but the described 503 and 507; every status, every header
// and every body is as described; and what is accepted as a plan is what the document allows.
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { Judge } from './answers.mjs';
import { ask, close } from './client.mjs';
import { startDaemon } from './daemon.mjs';
import { plans, requests, spoiledPlans } from './requests.mjs';

const { values } = parseArgs({
  options: { long: { type: 'boolean' }, seed: { type: 'string' }, path: { type: 'string' } },
});
const seed = Number(values.seed ?? (values.long ? Date.now() & 0x7fffffff : 20250704));
const time_ms = values.long ? 600_000 : 6_000;

const daemon = await startDaemon({ options: ['queue_limit=4'] });
const described = await ask(daemon.url, { method: 'GET', path: '/api/v1/openapi.json' });
const document = JSON.parse(described.body);
const judge = new Judge(document);
const seen = new Map();

function count(asked, answer) {
  const call = `${asked.method} ${asked.path} ${answer.status}`;
  seen.set(call, (seen.get(call) ?? 0) + 1);
}

// Nothing that these requests begin goes on: sweeps are cancelled, schedules deleted.
function undo(answer) {
  const location = answer.headers.location ?? '';
  const by = [
    [/^\/api\/v1\/sweeps\/\d+$/, 202, 'POST', `${location}/cancel`],
    [/^\/api\/v1\/sweeps\/\d+$/, 200, 'POST', `${location}/cancel`],
    [/^\/api\/v1\/schedules\/\d+$/, 201, 'DELETE', location],
  ].find(([place, status]) => answer.status === status && place.test(location));
  return by ? ask(daemon.url, { method: by[2], path: by[3] }) : undefined;
}

async function answered(asked) {
  let undone;
  const answer = await ask(daemon.url, asked, (head) => { undone = undo(head); });
  await undone;
  count(asked, answer);
  return answer;
}

// What there is to ask about: a table, and a sweep that was measured.
async function fill() {
  const rows = ['rw,numjobs,iops', 'read,1,100', 'read,2,190', 'read,4,340', 'read,8,380', ''];
  const table = { type: 'text/csv', text: rows.join('\n') };
  const imported = await ask(daemon.url, { method: 'POST', path: '/api/v1/imports', body: table });
  if (imported.status !== 201) throw new Error(`no table: ${imported.body}`);
  const small = JSON.stringify({
    ioengine: 'null', numjobs: [1, 2], size: '16m', runtime: 0.1, ramp_time: 0,
  });
  await ask(daemon.url, {
    method: 'POST', path: '/api/v1/sweeps', query: [['wait', 'true']], headers: {},
    body: { type: 'application/json', text: small },
  });
}

async function holds(name, arbitrary, property, share) {
  const outcome = await fc.check(fc.asyncProperty(arbitrary, property), {
    seed, path: values.path, numRuns: values.long ? 1_000_000 : 2_000,
    interruptAfterTimeLimit: time_ms * share, markInterruptAsFailure: false,
  });
  if (!outcome.failed) {
    console.log(`${name}: ${outcome.numRuns} requests`);
    return true;
  }
  console.error(`FAILED: ${name}\n${fc.defaultReportMessage(outcome)}`);
  const again = `--seed=${seed} --path=${outcome.counterexamplePath}`;
  console.error(`again: sh tests/http/fuzz/run.sh BUILD_DIR ${again}`);
  return false;
}

const as_plan = (body) => ({
  method: 'POST', path: '/api/v1/sweeps', query: [['dry_run', 'true']],
  body: { type: 'application/json', text: JSON.stringify(body) },
});

const properties = [
  ['every answer is as described', requests(document, process.env.FUZZ_SAMPLES), async (asked) =>
    judge.judge(asked, await answered(asked)), 1],
  ['what the document allows is never called malformed', plans(document), async (body) => {
    const answer = await answered(as_plan(body));
    if (![200, 403, 422, 428].includes(answer.status)) {
      throw new Error(`${answer.status}: ${answer.body}`);
    }
  }, 0.5],
  ['what is accepted is what the document allows', spoiledPlans(document), async (body) => {
    const answer = await answered(as_plan(body));
    if (answer.status !== 200) return;
    judge.judgeJson(['components', 'schemas', 'SweepRequest'], body, answer.status);
  }, 0.5],
];

let good = true;
try {
  await fill();
  for (const property of properties) good &&= await holds(...property);
  const alive = await ask(daemon.url, { method: 'GET', path: '/readyz' });
  if (alive.status !== 200) throw new Error(`the daemon is not ready any more: ${alive.body}`);
} finally {
  close();
  await daemon.stop();
}
const statuses = [...seen.keys()].map((call) => call.split(' ')[2]);
const distinct = [...new Set(statuses)].sort().join(' ');
console.log(`${seen.size} kinds of answer, statuses ${distinct}`);
process.exitCode = good ? 0 : 1;
