// One sweep: its head, its progress while it goes on, its answer.
import { useState } from 'preact/hooks';
import { Answer } from './answer';
import { blockSize, bytes, duration, moment } from './format';
import { SweepAction, title } from './list';
import { LivePanel } from './live';
import { isOver } from './model';
import type { Progress, Spec, Sweep } from './model';
import type { Link, Shown } from './state';

interface Props {
  id: number;
  shown: Shown;
  progress: Progress | null;
  link: Link;
  onDone(id: number, deleted: boolean): void;
}

export function SweepView({ id, shown, progress, link, onDone }: Props) {
  const [error, setError] = useState('');
  const { sweep } = shown;
  if (sweep === null) {
    const said = shown.error || 'Fetching…';
    return <p class={shown.error ? 'wrong' : 'quiet'} role="status">{said}</p>;
  }
  return (
    <article class="sweep" aria-labelledby="sweep-title">
      <header class="sweep-head">
        <h1 id="sweep-title">
          <span class="number">{id}</span> {title(sweep)}
        </h1>
        <span class={`state ${sweep.state}`}>{sweep.state}</span>
        <SweepAction sweep={sweep} onError={setError} onDone={(deleted) => onDone(id, deleted)} />
      </header>
      <Asked sweep={sweep} />
      {error !== '' && <p class="wrong" role="alert">{error}</p>}
      {!isOver(sweep) && (
        <LivePanel key={id} sweep={sweep} progress={progress ?? sweep.progress} link={link} />
      )}
      <Answer sweep={sweep} />
      {sweep.notes !== '' && (
        <details class="notes">
          <summary>Notes</summary>
          <p>{sweep.notes}</p>
        </details>
      )}
      <Links id={id} />
    </article>
  );
}

function grid(spec: Spec): string {
  const jobs = spec.numjobs === 'auto' ? 'auto' : spec.numjobs.join(' ');
  const sizes = spec.bs.map(blockSize).join(' ');
  return `${spec.rw.join(' ')} · ${sizes} · depth ${spec.iodepth.join(' ')} · jobs ${jobs}`;
}

function Asked({ sweep }: { sweep: Sweep }) {
  const { plan } = sweep;
  const parts = [
    sweep.host,
    sweep.spec.target ?? plan.target,
    grid(sweep.spec),
    plan.size_bytes > 0 ? bytes(plan.size_bytes) : '',
    plan.ioengine,
    moment(sweep.started_at ?? sweep.created_at),
    sweep.finished_at && sweep.started_at ? took(sweep.started_at, sweep.finished_at) : '',
    failures(sweep.runs_failed),
  ];
  return (
    <p class="asked">
      {parts.filter((part) => part !== '').map((part) => <span key={part}>{part}</span>)}
    </p>
  );
}

function failures(count: number): string {
  if (count === 0) return '';
  return count === 1 ? '1 run failed' : `${count} runs failed`;
}

function took(from: string, to: string): string {
  return `took ${duration((Date.parse(to) - Date.parse(from)) / 1000)}`;
}

function Links({ id }: { id: number }) {
  const url = `${location.origin}/api/v1/sweeps/${id}`;
  return (
    <div class="curl">
      <h2>The same with curl</h2>
      <code tabIndex={0}>curl {url}?format=text</code>
    </div>
  );
}
