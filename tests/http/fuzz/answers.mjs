// Is this answer one that the document describes? Throws what is wrong with it.
import Ajv from 'ajv/dist/2020.js';

const fine_5xx = [503, 507];

export class Judge {
  constructor(document) {
    this.document = document;
    // Units and examples are for people.
    this.ajv = new Ajv({ strict: false, allErrors: false, validateFormats: false });
    this.ajv.addSchema(document, 'document');
    this.compiled = new Map();
  }

  // The schema at a place of the document, compiled once.
  schema(keys) {
    const escaped = keys.map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1'));
    const reference = `document#/${escaped.map(encodeURIComponent).join('/')}`;
    if (!this.compiled.has(reference)) {
      this.compiled.set(reference, this.ajv.compile({ $ref: reference }));
    }
    return this.compiled.get(reference);
  }

  // Where the answer to this status is described.
  place(path, method, status) {
    const keys = ['paths', path, method.toLowerCase(), 'responses', String(status)];
    const found = keys.reduce((place, key) => place?.[key], this.document);
    if (found === undefined) throw new Error(`status ${status} isn't described`);
    if (found.$ref === undefined) return { keys, response: found };
    const referred = found.$ref.slice(2).split('/');
    return { keys: referred, response: referred.reduce((place, key) => place[key], this.document) };
  }

  judge(asked, answer) {
    const { status, headers, body } = answer;
    if (status >= 500 && !fine_5xx.includes(status)) throw new Error(`status ${status}: ${body}`);
    const { keys, response } = this.place(asked.path, asked.method, status);
    for (const name of Object.keys(response.headers ?? {})) {
      const may_lack = name === 'Link' || name === 'ETag'; // of a page with a next, of what is over
      if (!may_lack && headers[name.toLowerCase()] === undefined) throw new Error(`no ${name}`);
    }
    if (response.content === undefined) {
      if (body !== '') throw new Error(`${status} with a body: ${body}`);
      return;
    }
    const type = (headers['content-type'] ?? '').split(';')[0];
    if (response.content[type] === undefined) {
      throw new Error(`${status} as ${type} isn't described`);
    }
    if (status >= 400 && type !== 'application/problem+json') {
      throw new Error(`an error as ${type}`);
    }
    const isText = type !== 'application/vnd.sqlite3';
    if (isText && answer.ended && body !== '' && !body.endsWith('\n')) {
      throw new Error(`no newline ends ${body.slice(-80)}`);
    }
    if (type === 'application/x-ndjson') {
      for (const line of body.split('\n').filter((text) => text !== '')) JSON.parse(line);
      return;
    }
    if (!type.endsWith('json')) return;
    this.judgeJson([...keys, 'content', type, 'schema'], JSON.parse(body), status);
  }

  judgeJson(keys, value, status) {
    const check = this.schema(keys);
    if (!check(value)) {
      const [{ instancePath, message }] = check.errors;
      const shown = JSON.stringify(value).slice(0, 600);
      throw new Error(`${instancePath || 'the body'} ${message}: ${shown}`);
    }
    if (status >= 400 && value.status !== status) {
      throw new Error(`a ${status} that says ${value.status}`);
    }
  }
}
