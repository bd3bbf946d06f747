// A daemon of the test's own: an ephemeral port, its state in a directory that goes with it, and no
// privileges. Started by root it runs as nobody, from a copy of the programs that nobody can reach.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const start_ms = 20_000;
const stop_ms = 10_000;
export const as_root = process.getuid() === 0;

// To whoever the daemon will be.
export function giveAway(path) {
  if (as_root) chownSync(path, idOf('-u', 'nobody'), idOf('-g', 'nobody'));
}

function idOf(option, user) {
  return Number(spawnSync('id', [option, user], { encoding: 'utf8' }).stdout);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

// Where the daemon lives: programs, and a state directory that belongs to who runs it.
function settle() {
  const home = mkdtempSync(join(tmpdir(), 'iobenchd-browser-'));
  chmodSync(home, 0o755);
  for (const program of ['iobenchd', 'iobenchd-engine']) {
    copyFileSync(join(process.env.IOBENCHD_BIN, program), join(home, program));
    chmodSync(join(home, program), 0o755);
  }
  const state = join(home, 'state');
  mkdirSync(state, { mode: 0o700 });
  giveAway(state);
  return { home, state };
}

async function isReady(url, child) {
  const deadline = Date.now() + start_ms;
  while (Date.now() < deadline && child.exitCode === null) {
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    if (answer?.status === 200) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

// A test that is stopped from outside leaves nothing behind either.
function stopper(child, home) {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const leave = () => {
    child.kill('SIGTERM');
    rmSync(home, { recursive: true, force: true });
  };
  const give_up = () => process.exit(1);
  process.once('exit', leave);
  process.once('SIGTERM', give_up);
  return async () => {
    process.off('exit', leave);
    process.off('SIGTERM', give_up);
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), stop_ms);
    const status = await ended;
    clearTimeout(late);
    rmSync(home, { recursive: true, force: true });
    if (status !== 0) throw new Error(`the daemon ended with status ${status}`);
  };
}

// keep_root: started as root on purpose, so that it drops privileges by itself and wants a token.
export async function startDaemon({ options = [], keep_root = false, prepare = () => [] } = {}) {
  const { home, state } = settle();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const settings = [
    `listen=127.0.0.1:${port}`, `database=${state}/iobenchd.db`, `scratch_dir=${state}/scratch`,
    ...options, ...prepare(home),
  ].flatMap((one) => ['-o', one]);
  const command = [join(home, 'iobenchd'), '-d', ...settings];
  const leave = ['setpriv', '--reuid=nobody', `--regid=${idOf('-g', 'nobody')}`, '--clear-groups'];
  const [program, ...rest] = as_root && !keep_root ? [...leave, ...command] : command;
  const child = spawn(program, rest, { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (log += text));
  const stop = stopper(child, home);
  if (await isReady(url, child)) return { url, stop, log: () => log };
  await stop().catch(() => undefined);
  throw new Error(`the daemon didn't start:\n${log}`);
}
