// Queue and history: every sweep with its state and its answer, newest first.
import { useEffect, useState } from 'preact/hooks';
import { send, sentence } from './api';
import { blockSize, duration, moment, words } from './format';
import { isOver } from './model';
import type { Progress, Sweep } from './model';
import type { History } from './state';

const armed_ms = 10_000;
const fresh_ms = 350; // a double click is no second thought

interface SureProps {
  label: string;
  about: string;
  onSure(): Promise<void>;
}

// A button that wants to be pressed twice, and forgets the first time after a while or when one
// goes elsewhere.
export function SureButton({ label, about, onSure }: SureProps) {
  const [armed, setArmed] = useState(false);
  const [fresh, setFresh] = useState(false);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    if (!armed) return undefined;
    setFresh(true);
    const ripe = setTimeout(() => setFresh(false), fresh_ms);
    const timer = setTimeout(() => setArmed(false), armed_ms);
    return () => {
      clearTimeout(ripe);
      clearTimeout(timer);
    };
  }, [armed]);
  const press = () => {
    if (!armed) return setArmed(true);
    if (fresh) return;
    setArmed(false);
    setBusy(true);
    void onSure().finally(() => setBusy(false));
  };
  return (
    <button type="button" class={armed ? 'small armed' : 'small'} disabled={busy} onClick={press}
      onBlur={() => setArmed(false)} aria-disabled={armed && fresh}
      aria-label={armed ? `Really ${label.toLowerCase()} ${about}` : `${label} ${about}`}>
      {armed ? `Really ${label.toLowerCase()}?` : label}
    </button>
  );
}

interface ActionProps {
  sweep: Sweep;
  onDone(deleted: boolean): void;
  onError(message: string): void;
}

// Cancel while it goes on, delete when it is over.
export function SweepAction({ sweep, onDone, onError }: ActionProps) {
  const over = isOver(sweep);
  const act = async () => {
    try {
      if (over) await send('DELETE', `/sweeps/${sweep.id}`);
      else await send('POST', `/sweeps/${sweep.id}/cancel`);
      onDone(over);
    } catch (error) {
      onError(sentence(error));
    }
  };
  const label = over ? 'Delete' : 'Cancel';
  return <SureButton key={label} label={label} about={`sweep ${sweep.id}`} onSure={act} />;
}

export function title(sweep: Sweep): string {
  if (sweep.label !== '') return sweep.label;
  return `${sweep.spec.rw.join(', ')} ${sweep.spec.bs.map(blockSize).join(', ')}`;
}

function status(sweep: Sweep, progress: Progress | null): string {
  if (sweep.state === 'queued') {
    const place = sweep.position ? `number ${sweep.position} in the queue` : 'waiting';
    return sweep.error ? `${place}: ${words(sweep.error)}` : place;
  }
  if (sweep.state === 'running') {
    if (progress === null) return 'running';
    const run = Math.min(progress.runs_done + 1, progress.runs_total);
    const left = progress.eta_s === null ? '' : `, ${duration(progress.eta_s)} left`;
    return `run ${run} of ${progress.runs_total}${left}`;
  }
  return sweep.answer || sweep.error || sweep.state;
}

interface RowProps {
  sweep: Sweep;
  progress: Progress | null;
  current: boolean;
  onDone(deleted: boolean): void;
  onError(message: string): void;
}

function Row({ sweep, progress, current, onDone, onError }: RowProps) {
  return (
    <li class={current ? 'row current' : 'row'}>
      <a href={`#/sweeps/${sweep.id}`} aria-current={current ? 'page' : undefined}>
        <span class="row-head">
          <span class={`dot ${sweep.state}`} aria-hidden="true" />
          <span class="row-id">{sweep.id}</span>
          <span class="row-title">{title(sweep)}</span>
        </span>
        <span class="row-text">{status(sweep, progress)}</span>
      </a>
      <span class="row-foot">
        <span>{sweep.state}</span>
        <span>{moment(sweep.finished_at ?? sweep.started_at ?? sweep.created_at)}</span>
        <SweepAction sweep={sweep} onDone={onDone} onError={onError} />
      </span>
    </li>
  );
}

interface Props {
  history: History;
  progress: ReadonlyMap<number, Progress>;
  current: number | null;
  onDone(id: number, deleted: boolean): void;
}

export function SweepList({ history, progress, current, onDone }: Props) {
  const [error, setError] = useState('');
  const { items, loaded, more } = history;
  const said = error || history.error;
  return (
    <nav class="rail" aria-label="Sweeps">
      <h2>Queue and history</h2>
      {said !== '' && <p class="wrong" role="alert">{said}</p>}
      {loaded && items.length === 0 && <p class="quiet">Nothing was measured here yet.</p>}
      <ol>
        {items.map((sweep) => (
          <Row key={sweep.id} sweep={sweep} current={sweep.id === current} onError={setError}
            progress={progress.get(sweep.id) ?? sweep.progress}
            onDone={(deleted) => {
              setError('');
              onDone(sweep.id, deleted);
            }} />
        ))}
      </ol>
      {more !== null && <button type="button" class="small" onClick={more}>Older ones</button>}
    </nav>
  );
}
