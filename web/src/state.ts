// What the page knows, and how it comes to know it: the truth is always fetched, events only say
// when. One stream serves the whole page, and none is held while nobody looks.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { get, sentence } from './api';
import type { Page, Progress, Sweep, System, Target } from './model';
import { listen } from './stream';
import type { ServerEvent } from './stream';

export type Route = { page: 'new' } | { page: 'sweep'; id: number };
export type Link = 'connecting' | 'live' | 'lost';

function currentRoute(): Route {
  const match = /^#\/sweeps\/(\d{1,15})$/.exec(location.hash);
  return match ? { page: 'sweep', id: Number(match[1]) } : { page: 'new' };
}

export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute);
  useEffect(() => {
    const follow = () => setRoute(currentRoute());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}

export function goTo(sweep: number | null): void {
  location.hash = sweep === null ? '#/' : `#/sweeps/${sweep}`;
}

// Runs one fetch at a time; asked again meanwhile, it runs once more afterwards.
function useCoalesced(work: () => Promise<void>): () => void {
  const state = useRef({ busy: false, again: false, work });
  state.current.work = work;
  return useCallback(() => {
    const now = state.current;
    const run = async (): Promise<void> => {
      now.busy = true;
      do {
        now.again = false;
        await now.work();
      } while (now.again);
      now.busy = false;
    };
    if (now.busy) now.again = true;
    else void run();
  }, []);
}

export interface History {
  items: Sweep[];
  loaded: boolean;
  error: string;
  more: (() => void) | null;
  refresh(): void;
}

const page_length = 30;

export function useHistory(): History {
  const [items, setItems] = useState<Sweep[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  const [loaded, setLoaded] = useState(false);
  const [error, setError] = useState('');
  const pages = useRef(1);

  const refresh = useCoalesced(async () => {
    try {
      const all: Sweep[] = [];
      let next: string | null = null;
      for (let page = 0; page < pages.current; page += 1) {
        const query: string = next === null ? '' : `&cursor=${encodeURIComponent(next)}`;
        const answer: Page<Sweep> = await get(`/sweeps?limit=${page_length}${query}`);
        all.push(...answer.items);
        next = answer.next_cursor;
        if (next === null) break;
      }
      setItems(all);
      setCursor(next);
      setLoaded(true);
      setError('');
    } catch (failure) {
      setError(sentence(failure));
    }
  });

  useEffect(refresh, []);
  const more = () => {
    pages.current += 1;
    refresh();
  };
  return { items, loaded, error, more: cursor === null ? null : more, refresh };
}

export interface Shown {
  sweep: Sweep | null;
  error: string;
  refresh(): void;
}

export function useSweep(id: number | null): Shown {
  const [sweep, setSweep] = useState<Sweep | null>(null);
  const [error, setError] = useState('');
  const wanted = useRef(id);
  wanted.current = id;

  const refresh = useCoalesced(async () => {
    const asked = wanted.current;
    if (asked === null) return;
    try {
      const answer = await get<Sweep>(`/sweeps/${asked}`);
      if (wanted.current !== asked) return;
      setSweep(answer);
      setError('');
    } catch (failure) {
      if (wanted.current === asked) setError(sentence(failure));
    }
  });

  useEffect(() => {
    setSweep(null);
    setError('');
    refresh();
  }, [id]);
  return { sweep: sweep !== null && sweep.id === id ? sweep : null, error, refresh };
}

export interface Live {
  link: Link;
  progress: ReadonlyMap<number, Progress>;
}

export interface Heard {
  onChange(sweep: number, kind: string): void;
  onReconnect(): void;
}

export function useLive(heard: Heard): Live {
  const [link, setLink] = useState<Link>('connecting');
  const [progress, setProgress] = useState<ReadonlyMap<number, Progress>>(new Map());
  const [visible, setVisible] = useState(!document.hidden);
  const ears = useRef(heard);
  ears.current = heard;

  useEffect(() => {
    const look = () => setVisible(!document.hidden);
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);

  useEffect(() => {
    if (!visible) return undefined;
    const stop = new AbortController();
    const onEvent = (event: ServerEvent) => {
      const id = (event.data as { sweep_id: number }).sweep_id;
      if (event.type === 'progress') {
        setProgress((known) => new Map(known).set(id, event.data as Progress));
      } else {
        ears.current.onChange(id, event.type);
      }
    };
    const onConnection = (connected: boolean) => {
      setLink(connected ? 'live' : 'lost');
      if (connected) ears.current.onReconnect();
    };
    void listen('/events', { onEvent, onConnection }, stop.signal);
    return () => stop.abort();
  }, [visible]);

  return { link, progress };
}

export interface Surroundings {
  system: System | null;
  targets: Target[];
  refresh(): void;
}

// The machine and its disks: asked at every (re)connection and when a sweep ends, since a disk may
// be free again.
export function useSurroundings(): Surroundings {
  const [system, setSystem] = useState<System | null>(null);
  const [targets, setTargets] = useState<Target[]>([]);
  const refresh = useCoalesced(async () => {
    try {
      setTargets((await get<Page<Target>>('/targets', { quiet: true })).items);
      setSystem(await get<System>('/system', { quiet: true }));
    } catch {
      // The list of sweeps says that the daemon doesn't answer; once is enough.
    }
  });
  return { system, targets, refresh };
}
