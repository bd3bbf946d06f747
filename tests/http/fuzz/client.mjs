// One request, one answer: status, headers, body. What doesn't end by itself is left after a
// moment: a stream of events, or the progress of a sweep that is waited for.
import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: 4 });
const patience_ms = 10_000;
const stream_ms = 150;

export function urlOf({ path, id, query }) {
  const place = path.replace('{id}', encodeURIComponent(id ?? ''));
  const pairs = (query ?? []).map((pair) => pair.map(encodeURIComponent).join('='));
  return place + (pairs.length > 0 ? `?${pairs.join('&')}` : '');
}

// Called with the head as soon as it is there: a sweep that was accepted is cancelled then, so that
// nothing is measured here.
export function ask(base, asked, onHead = () => undefined) {
  const headers = { ...asked.headers };
  const text = asked.body?.text;
  if (text !== undefined) {
    headers['Content-Type'] = asked.body.type;
    headers['Content-Length'] = Buffer.byteLength(text);
  } else if (asked.method !== 'GET') {
    headers['Content-Length'] = 0;
  }
  return new Promise((resolve, reject) => {
    const options = { method: asked.method, headers, agent };
    const sent = request(base + urlOf(asked), options, (answer) => {
      const whole = { status: answer.statusCode, headers: answer.headers, body: '', ended: false };
      const chunks = [];
      const end = () => resolve({ ...whole, body: Buffer.concat(chunks).toString('utf8') });
      onHead(whole);
      const events = answer.headers['content-type']?.startsWith('text/event-stream');
      const late = setTimeout(() => answer.destroy(), events ? stream_ms : patience_ms);
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('end', () => { whole.ended = true; });
      answer.on('close', () => { clearTimeout(late); end(); });
      answer.on('error', () => undefined); // we left
    });
    sent.setTimeout(patience_ms, () => sent.destroy(new Error('no answer in 10 s')));
    sent.on('error', reject);
    sent.end(text);
  });
}

export function close() {
  agent.destroy();
}
