// Redocly's rules over the API's document: node lint.mjs DOCUMENT CONFIGURATION. Prints what breaks
// them; exits 1 where anything does.
import { createRequire } from 'node:module';

const { formatProblems, getTotals, lint, loadConfig } = createRequire(import.meta.url)(
  '@redocly/openapi-core',
);
const [document, configuration] = process.argv.slice(2);
if (configuration === undefined) {
  console.error('usage: node lint.mjs DOCUMENT CONFIGURATION');
  process.exit(2);
}
const config = await loadConfig({ configPath: configuration });
const problems = await lint({ ref: document, config });
const totals = getTotals(problems);
formatProblems(problems, { format: 'codeframe', totals, version: '1' });
if (totals.errors + totals.warnings > 0) process.exit(1);
console.log(`${document}: nothing to object to`);
