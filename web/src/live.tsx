// A sweep while it goes on: which run, which phase, how long still, what the disk does right now.
import { useEffect, useRef } from 'preact/hooks';
import { bytes, compact, duration, latency, setting, words } from './format';
import type { Progress, Sweep } from './model';
import type { Link } from './state';

const trail_length = 120; // half a minute at four a second

interface Props {
  sweep: Sweep;
  progress: Progress | null;
  link: Link;
}

export function LivePanel({ sweep, progress, link }: Props) {
  const trail = useTrail(progress);
  if (sweep.state === 'queued') {
    const place = sweep.position ? `Number ${sweep.position} in the queue.` : 'In the queue.';
    return (
      <section class="going" aria-label="Progress">
        <p>{place} {sweep.error}</p>
      </section>
    );
  }
  const total = progress?.runs_total ?? sweep.plan.runs;
  const done = progress?.runs_done ?? 0;
  const share = progress?.fraction ?? (total > 0 ? done / total : 0);
  const percent = Math.round(Math.max(0, Math.min(1, share)) * 100);
  return (
    <section class="going" aria-label="Progress">
      <div class="going-head">
        <span class="phase">{words(progress?.phase ?? 'starting')}</span>
        <span class="current">{progress?.current ? setting(progress.current) : ''}</span>
        <span class="eta">{left(progress, link)}</span>
      </div>
      <div class="track" role="progressbar" aria-valuemin={0} aria-valuemax={100}
        aria-valuenow={percent} aria-label={`${done} of ${total} runs done`}>
        <span class="track-fill" style={{ width: `${percent}%` }} />
      </div>
      <div class="going-figures">
        <dl class="readout">
          <div><dt>IOPS now</dt><dd class="now">{compact(progress?.iops || null)}</dd></div>
          <div><dt>mean latency</dt><dd>{latency(progress?.latency_mean_ns || null)}</dd></div>
          <div><dt>runs done</dt><dd>{done} of {total} at most</dd></div>
          {(progress?.phase === 'layout' || progress?.phase === 'precondition') && (
            <div>
              <dt>laid out</dt>
              <dd>{bytes(progress.layout_done_bytes)} of {bytes(progress.layout_total_bytes)}</dd>
            </div>
          )}
        </dl>
        <Trail values={trail} />
      </div>
    </section>
  );
}

function left(progress: Progress | null, link: Link): string {
  if (link === 'lost') return 'connection lost, trying again';
  if (progress === null || progress.eta_s === null) return '';
  return `about ${duration(progress.eta_s)} left`;
}

// The last half minute of IOPS. Kept here, not fetched: it is only there to show that it moves.
function useTrail(progress: Progress | null): number[] {
  const trail = useRef<number[]>([]);
  const last = useRef<Progress | null>(null);
  if (progress !== null && progress !== last.current) {
    last.current = progress;
    trail.current = [...trail.current, progress.iops ?? 0].slice(-trail_length);
  }
  useEffect(() => () => {
    trail.current = [];
  }, []);
  return trail.current;
}

function Trail({ values }: { values: number[] }) {
  const most = Math.max(...values, 0);
  if (most === 0) return null;
  const x = (index: number) => ((trail_length - values.length + index) / (trail_length - 1)) * 240;
  const y = (value: number) => 31 - (value / most) * 29;
  const at = (value: number, index: number) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`;
  return (
    <svg class="trail" viewBox="0 0 240 32" preserveAspectRatio="none" aria-hidden="true">
      <polyline points={values.map(at).join(' ')} />
    </svg>
  );
}
