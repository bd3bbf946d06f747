// Server-sent events read with fetch(), because EventSource can't send an Authorization header.
// Reconnects by itself and asks for what was missed with Last-Event-ID.
import { open } from './api';

export interface ServerEvent {
  type: string;
  id: string;
  data: unknown;
}

export interface Listener {
  onEvent(event: ServerEvent): void;
  // Called with true after every (re)connection: whoever listens asks for the truth again.
  onConnection(connected: boolean): void;
}

const retry_first_ms = 500;
const retry_most_ms = 10_000;

// Listens until the signal says stop.
export async function listen(path: string, listener: Listener, stop: AbortSignal): Promise<void> {
  const reader = new EventReader((event) => listener.onEvent(event));
  let wait = retry_first_ms;
  while (!stop.aborted) {
    try {
      const headers: Record<string, string> = { Accept: 'text/event-stream' };
      if (reader.lastId !== '') headers['Last-Event-ID'] = reader.lastId;
      const response = await open(path, { headers, signal: stop, quiet: true });
      listener.onConnection(true);
      wait = retry_first_ms;
      await drain(response, reader);
    } catch {
      // An ended stream and a refused one are the same to the page: it says so and tries again.
    }
    if (stop.aborted) return;
    listener.onConnection(false);
    await pause(wait, stop);
    wait = Math.min(wait * 2, retry_most_ms);
  }
}

async function drain(response: Response, reader: EventReader): Promise<void> {
  const body = response.body?.getReader();
  if (!body) return;
  const decoder = new TextDecoder();
  reader.restart();
  for (;;) {
    const { done, value } = await body.read();
    if (done) return;
    reader.feed(decoder.decode(value, { stream: true }));
  }
}

function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    stop.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}

// The text/event-stream grammar, as far as this daemon speaks it: lines end in LF or CRLF.
export class EventReader {
  lastId = '';
  private rest = '';
  private type = '';
  private data: string[] = [];

  constructor(private readonly emit: (event: ServerEvent) => void) {}

  restart(): void {
    this.rest = '';
    this.type = '';
    this.data = [];
  }

  feed(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.line(line.endsWith('\r') ? line.slice(0, -1) : line);
  }

  private line(line: string): void {
    if (line === '') return this.dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return; // a comment: the heartbeat
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') this.type = value;
    if (name === 'data') this.data.push(value);
    if (name === 'id') this.lastId = value;
  }

  private dispatch(): void {
    const data = this.data.join('\n');
    const type = this.type || 'message';
    this.type = '';
    this.data = [];
    if (data === '') return;
    try {
      this.emit({ type, id: this.lastId, data: JSON.parse(data) });
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error; // half a line of a broken connection
    }
  }
}
