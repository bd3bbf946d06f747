// Requests as the document describes them, and as it doesn't: an arbitrary of fast-check for every
// call. Nothing here knows a field by its name.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';

const odd_text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', '0', '-1', '1e999', '4k', '30s', 'null', "' OR 1=1", '../../etc', '%00'),
);
const odd_number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, -1, 0.5, 2 ** 31, 2 ** 53, 1e300),
);
const odd_value = fc.oneof(
  odd_text, odd_number, fc.boolean(), fc.constant(null), fc.array(odd_number, { maxLength: 3 }),
  fc.dictionary(odd_text, odd_number, { maxKeys: 2 }),
);

function integers(schema) {
  const least = schema.minimum ?? -1000;
  const most = Math.min(schema.maximum ?? 2 ** 40, Number.MAX_SAFE_INTEGER);
  const near = fc.integer({ min: least, max: Math.min(most, least + 40) });
  return fc.oneof(near, fc.constantFrom(least, most), fc.maxSafeInteger().map((value) =>
    Math.min(most, Math.max(least, value))));
}

function numbers(schema) {
  const least = schema.minimum ?? (schema.exclusiveMinimum ?? 0) + 1e-3;
  const most = schema.maximum ?? 1e6;
  return fc.oneof(fc.integer({ min: Math.ceil(least), max: Math.floor(most) }),
    fc.double({ min: least, max: most, noNaN: true }));
}

function texts(schema) {
  const most = Math.min(schema.maxLength ?? 40, 60);
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern));
  return fc.oneof(
    fc.string({ maxLength: most }),
    fc.string({ unit: 'grapheme', maxLength: Math.floor(most / 4) }),
    fc.constantFrom(...(schema.examples ?? ['a'])),
  );
}

// What a schema of the document allows, but for what only words can say.
export function valid(document, schema) {
  const of = (other) => valid(document, other);
  if (schema.$ref) return of(pointed(document, schema.$ref));
  if (schema.allOf) return of(schema.allOf[0]);
  if (schema.oneOf ?? schema.anyOf) return fc.oneof(...(schema.oneOf ?? schema.anyOf).map(of));
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const types = [schema.type ?? 'string'].flat();
  return fc.oneof(...types.map((type) => {
    if (type === 'null') return fc.constant(null);
    if (type === 'boolean') return fc.boolean();
    if (type === 'integer') return integers(schema);
    if (type === 'number') return numbers(schema);
    if (type === 'string') return texts(schema);
    if (type === 'array') {
      const maxLength = Math.min(schema.maxItems ?? 4, 4);
      return fc.array(of(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength });
    }
    return objects(document, schema);
  }));
}

// A few of the properties: with all of them at once hardly anything would ever be accepted.
function objects(document, schema) {
  const entries = Object.entries(schema.properties ?? {});
  const required = schema.required ?? [];
  if (entries.length === 0) return fc.dictionary(odd_text, odd_value, { maxKeys: 3 });
  const wanted = fc.subarray(entries.map(([name]) => name), {
    minLength: schema.minProperties ?? 0,
    maxLength: Math.min(schema.maxProperties ?? 6, entries.length),
  });
  return wanted.chain((names) => fc.record(Object.fromEntries(
    [...new Set([...required, ...names])].map((name) =>
      [name, valid(document, schema.properties[name])]))));
}

function pointed(document, reference) {
  return reference.slice(2).split('/').reduce((place, key) => place[key], document);
}

// One thing or two that are wrong with it.
function spoiled(arbitrary) {
  const change = fc.record({ at: fc.nat(), value: odd_value, name: fc.option(odd_text) });
  return fc.tuple(arbitrary, change).map(([value, { at, value: other, name }]) => {
    if (value === null || typeof value !== 'object') return other;
    const keys = Object.keys(value);
    const key = name ?? keys[at % Math.max(keys.length, 1)] ?? 'colour';
    const copy = Array.isArray(value) ? [...value] : { ...value };
    Object.defineProperty(copy, key, { value: other, enumerable: true, configurable: true });
    return copy;
  });
}

const cut = fc.tuple(fc.nat({ max: 2000 }), fc.nat({ max: 2000 }), odd_text);

// JSON that is right, JSON that is a little wrong, text that is none.
function jsonBodies(document, schema) {
  const right = valid(document, schema);
  const text = (arbitrary) => arbitrary.map((value) => JSON.stringify(value) ?? 'null');
  const torn = fc.tuple(text(right), cut).map(([whole, [from, length, other]]) => {
    const at = from % (whole.length + 1);
    return whole.slice(0, at) + other + whole.slice(at + (length % 8));
  });
  return fc.oneof(
    { weight: 6, arbitrary: text(right) },
    { weight: 4, arbitrary: text(spoiled(right)) },
    { weight: 1, arbitrary: torn },
    { weight: 1, arbitrary: text(odd_value) },
  );
}

// What fio wrote once, with a piece of it replaced: most of it is right then.
function sampleBodies(folder, ending) {
  const samples = readdirSync(folder).filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(join(folder, name), 'utf8')).filter((text) => text.length < 40_000);
  const mark = fc.constantFrom('{', ']', ',', '"', '\n', ';');
  const piece = fc.oneof(odd_text, odd_number.map(String), mark);
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 12 }), piece), { maxLength: 3 });
  const replace = (text, [from, length, other]) => {
    const at = from % (text.length + 1);
    return text.slice(0, at) + other + text.slice(at + length);
  };
  return fc.tuple(fc.constantFrom(...samples), changes)
    .map(([sample, all]) => all.reduce(replace, sample));
}

function tables() {
  const known = fc.constantFrom('read', 'randwrite', '1', '8', '100', '473.5', '');
  const cell = fc.oneof(known, odd_text);
  const row = fc.array(cell, { minLength: 1, maxLength: 5 }).map((cells) => cells.join(','));
  const header = fc.constantFrom(
    'rw,numjobs,iops', 'rw,numjobs,iops,latency_mean_us', 'rw,iops', '# note',
  );
  const jobs = fc.uniqueArray(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 6 });
  const lines_of = (all) => all.map((n) => `read,${n},${n * 100}`);
  const sound = jobs.map((all) => ['rw,numjobs,iops', ...lines_of(all), '']);
  const odd = fc.tuple(header, fc.array(row, { maxLength: 5 }))
    .map(([first, rows]) => [first, ...rows]);
  return fc.oneof(sound, odd).map((lines) => lines.join('\n'));
}

function bodies(document, operation, folder) {
  const content = operation.requestBody?.content;
  if (content === undefined) return fc.constant({});
  const kinds = Object.entries(content).map(([type, { schema }]) => {
    if (type === 'text/csv') return tables().map((text) => ({ type, text }));
    if (type === 'text/plain') {
      return sampleBodies(folder, '.terse').map((text) => ({ type, text }));
    }
    const fio = (schema.anyOf ?? []).length > 0;
    const json = fio ? fc.oneof(sampleBodies(folder, '.json'), jsonBodies(document, schema))
      : jsonBodies(document, schema);
    return json.map((text) => ({ type, text }));
  });
  const strange = fc.constantFrom('text/html', 'x', 'application/x-www-form-urlencoded');
  const other_type = fc.tuple(fc.oneof(...kinds), strange)
    .map(([body, type]) => ({ ...body, type }));
  return fc.oneof({ weight: 12, arbitrary: fc.oneof(...kinds) },
    { weight: 1, arbitrary: other_type }, { weight: 1, arbitrary: fc.constant({}) });
}

function queries(document, parameters) {
  const named = parameters.filter((parameter) => parameter.in === 'query');
  const right = named.map(({ name, schema, required }) =>
    fc.tuple(fc.boolean(), valid(document, schema)).map(([take, value]) =>
      (take || required ? [[name, String(value)]] : [])));
  const wrong = fc.tuple(fc.constantFrom('colour', ...named.map(({ name }) => name)), odd_text)
    .map(([name, value]) => [[name, value]]);
  const all = fc.tuple(...right).map((pairs) => pairs.flat());
  return fc.oneof({ weight: 4, arbitrary: all },
    { weight: 1, arbitrary: fc.tuple(all, wrong).map(([good, bad]) => [...good, ...bad]) });
}

const headers = fc.record({
  Accept: fc.constantFrom(
    'application/json', 'text/plain', 'text/csv', 'application/x-ndjson', '*/*', 'x',
  ),
  'If-None-Match': fc.constantFrom('*', '"a"', 'W/"0123456789abcdef"', ','),
  'Idempotency-Key': fc.string({ minLength: 1, maxLength: 30 }).map(encodeURIComponent),
  'Last-Event-ID': fc.oneof(fc.nat().map(String), fc.constantFrom('x', '-1', '9'.repeat(20))),
}, { requiredKeys: [] });

// A name of something: of what there is, of what there isn't, of nothing at all.
const names = fc.oneof(fc.integer({ min: 1, max: 6 }).map(String), fc.nat().map(String),
  odd_text.filter((text) => text !== ''), fc.uuid());

export function requests(document, folder) {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      weight: operation.requestBody === undefined ? 1 : 4, // most can be wrong with a body
      arbitrary: fc.record({
        method: fc.constant(method.toUpperCase()),
        path: fc.constant(path),
        id: names,
        query: queries(document, operation.parameters ?? []),
        headers,
        body: bodies(document, operation, folder),
      }),
    })));
  return fc.oneof(...calls);
}

export function plans(document) {
  return valid(document, { $ref: '#/components/schemas/SweepRequest' });
}

export function spoiledPlans(document) {
  return spoiled(plans(document));
}
