// Makes the dashboard: node build.mjs OUTPUT_DIRECTORY. Scripts and style get the hash of what they
// hold into their names, so that browsers may keep them for a year; a .gz stands beside every file.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const limit_gzip_bytes = 60_000; // the page opens on a disk that is being measured: it stays small

async function bundle() {
  const result = await build({
    absWorkingDir: here,
    entryPoints: { app: 'src/main.tsx' },
    bundle: true,
    write: false,
    outdir: 'out',
    format: 'iife',
    target: ['es2020', 'chrome100', 'firefox100', 'safari15'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    charset: 'utf8',
    logLevel: 'warning',
  });
  const find = (ending) => result.outputFiles.find((file) => file.path.endsWith(ending)).contents;
  return { script: licenced(find('.js')), style: licenced(find('.css')) };
}

// MIT asks that its notice travels with every copy.
function licenced(contents) {
  const notice =
    '/*! iobenchd, ISC; with preact (c) Jason Miller and uPlot (c) Leon Sorokin, both MIT: ' +
    'https://opensource.org/license/mit */\n';
  return Buffer.concat([Buffer.from(notice), contents]);
}

function hashed(name, ending, contents) {
  const hash = createHash('sha256').update(contents).digest('hex').slice(0, 8);
  return `${name}-${hash}.${ending}`;
}

async function main(output) {
  const { script, style } = await bundle();
  const scriptName = hashed('app', 'js', script);
  const styleName = hashed('app', 'css', style);
  const page = readFileSync(join(here, 'index.html'), 'utf8')
    .replace('app.js', scriptName)
    .replace('app.css', styleName);
  const files = {
    'index.html': Buffer.from(page),
    [scriptName]: script,
    [styleName]: style,
    'favicon.svg': readFileSync(join(here, 'favicon.svg')),
  };

  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  let total = 0;
  for (const [name, contents] of Object.entries(files)) {
    const packed = gzipSync(contents, { level: constants.Z_BEST_COMPRESSION });
    writeFileSync(join(output, name), contents);
    writeFileSync(join(output, `${name}.gz`), packed);
    console.log(`${name}: ${contents.length} bytes, ${packed.length} gzipped`);
    total += packed.length;
  }
  if (total > limit_gzip_bytes) {
    throw new Error(`the dashboard is ${total} bytes gzipped; the limit is ${limit_gzip_bytes}`);
  }
}

if (process.argv.length !== 3) {
  console.error('usage: node build.mjs OUTPUT_DIRECTORY');
  process.exit(2);
}
await main(resolve(process.argv[2]));
