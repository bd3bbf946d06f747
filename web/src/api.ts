// The one way to the daemon. Throws Problem for every answer that isn't a success; a 401 asks for
// the token (once, however many requests wait for it) and tries again.
import type { FieldError } from './model';

const base = '/api/v1';
const token_key = 'iobenchd.token';

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    readonly fields: FieldError[] = [],
  ) {
    super(detail || title);
  }
}

export type AskToken = (refused: boolean) => Promise<string>;

let askToken: AskToken = () => Promise.reject(new Problem(401, 'Unauthorized', 'no token'));
let asking: Promise<string> | null = null;

export function onTokenNeeded(ask: AskToken): void {
  askToken = ask;
}

function token(): string | null {
  try {
    return sessionStorage.getItem(token_key);
  } catch {
    return null; // storage is switched off: the token is asked for again after a reload
  }
}

async function newToken(used: string | null): Promise<string> {
  asking ??= askToken(used !== null).finally(() => {
    asking = null;
  });
  const given = await asking;
  try {
    sessionStorage.setItem(token_key, given);
  } catch {
    // as above
  }
  return given;
}

// For a button that says so; requests ask by themselves.
export async function giveToken(): Promise<void> {
  await newToken(token()).catch(() => undefined); // not now is an answer too
}

export interface Call {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  // What nobody asked for by pressing something doesn't open a dialog: its 401 is a Problem.
  quiet?: boolean;
}

// The answer itself, its body unread.
export async function open(path: string, call: Call = {}): Promise<Response> {
  let bearer = token();
  for (;;) {
    const response = await fetch(base + path, requestOf(call, bearer));
    if (response.ok) return response;
    if (response.status !== 401) throw await problemOf(response);
    const stored = token();
    if (stored !== null && stored !== bearer) bearer = stored;
    else if (call.quiet) throw await problemOf(response);
    else bearer = await newToken(bearer);
  }
}

function requestOf(call: Call, bearer: string | null): RequestInit {
  const headers: Record<string, string> = { Accept: 'application/json', ...call.headers };
  if (bearer !== null) headers['Authorization'] = `Bearer ${bearer}`;
  const init: RequestInit = { method: call.method ?? 'GET', headers, cache: 'no-store' };
  if (call.body !== undefined) {
    headers['Content-Type'] = 'application/json';
    init.body = JSON.stringify(call.body);
  }
  if (call.signal) init.signal = call.signal;
  return init;
}

async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text();
  try {
    const body = JSON.parse(text) as { title?: string; detail?: string; errors?: FieldError[] };
    const title = body.title ?? response.statusText;
    return new Problem(response.status, title, body.detail ?? '', body.errors ?? []);
  } catch {
    return new Problem(response.status, response.statusText, text.slice(0, 300));
  }
}

export async function get<T>(path: string, call: Call = {}): Promise<T> {
  const response = await open(path, call);
  return (await response.json()) as T;
}

export async function send<T>(method: string, path: string, call: Call = {}): Promise<T | null> {
  const response = await open(path, { ...call, method });
  const text = await response.text();
  return text.trim() === '' ? null : (JSON.parse(text) as T);
}

export function sentence(error: unknown): string {
  if (error instanceof Problem) return error.detail || error.title;
  if (error instanceof TypeError) return 'The daemon does not answer.';
  return error instanceof Error ? error.message : String(error);
}
