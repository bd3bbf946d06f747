// The answer: the sentence, its doubts, the curves, the table, and what other rules would say.
import { useMemo, useState } from 'preact/hooks';
import { Chart } from './chart';
import { axisTitle, families } from './curves';
import type { Family, Trace } from './curves';
import { compact, digits, latency, words } from './format';
import type { Curve, Sweep, Verdict } from './model';
import { PointTable } from './table';
import { useTheme } from './theme';

const severities = ['invalid', 'caution', 'info'] as const;
const meaning = {
  invalid: 'don’t use the numbers',
  caution: 'with caution',
  info: 'good to know',
};

export function Answer({ sweep }: { sweep: Sweep }) {
  const shown = useMemo(() => families(sweep), [sweep]);
  return (
    <>
      {sweep.answer && <Sentence text={sweep.answer} />}
      {sweep.error && <p class="wrong" role="alert">{sweep.error}</p>}
      <Doubts verdicts={sweep.warnings ?? []} />
      {shown.map((family) => <FamilyView key={family.axis} family={family} />)}
    </>
  );
}

// The first sentence is what one came for; what is beyond it may be read more slowly.
function Sentence({ text }: { text: string }) {
  const [, first = text, rest = ''] = /^(.+?[.!?])\s+(.+)$/s.exec(text) ?? [];
  return <p class="answer">{first}{rest !== '' && <span class="rest"> {rest}</span>}</p>;
}

function Doubts({ verdicts }: { verdicts: Verdict[] }) {
  if (verdicts.length === 0) return null;
  const rank = (one: Verdict) => severities.indexOf(one.severity);
  const sorted = [...verdicts].sort((a, b) => rank(a) - rank(b));
  return (
    <section class="doubts" aria-label="Doubts">
      <h2>Doubts</h2>
      <ul>
        {sorted.map((one) => (
          <li key={one.name + one.sentence} class={one.severity}>
            <span class="severity" title={meaning[one.severity]}>{one.severity}</span>
            <span>{one.sentence}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function FamilyView({ family }: { family: Family }) {
  const theme = useTheme();
  const [wanted, setWanted] = useState('');
  const [cursor, setCursor] = useState<number | null>(null);
  const chosen = family.traces.find((one) => one.key === wanted) ?? family.traces[0];
  if (!chosen) return null;
  const common = { family, chosen, theme, cursor, onCursor: setCursor };
  return (
    <section class="family" aria-label={`Curves along ${family.axis}`}>
      <Legend family={family} chosen={chosen} onChoose={setWanted} />
      <Readout family={family} chosen={chosen} cursor={cursor} />
      <div class="charts">
        <Chart what="iops" title={`IOPS against ${family.axis}`} {...common} />
        <Chart what="latency" title={`latency against ${family.axis}: mean, p99`} {...common} />
      </div>
      <PointTable family={family} trace={chosen} cursor={cursor} onCursor={setCursor} />
      <Second curve={chosen.curve} />
    </section>
  );
}

interface LegendProps {
  family: Family;
  chosen: Trace;
  onChoose(key: string): void;
}

function Legend({ family, chosen, onChoose }: LegendProps) {
  return (
    <div class="legend" role="group" aria-label="Curves">
      {family.traces.map((one) => (
        <button key={one.key} type="button" aria-pressed={one === chosen}
          class={one === chosen ? 'key chosen' : 'key'} onClick={() => onChoose(one.key)}>
          <svg viewBox="0 0 30 8" width="30" height="8" aria-hidden="true">
            <line x1="0" y1="4" x2="30" y2="4"
              class={`stroke trace-${one.colour} dash-${one.dash}`} />
            <circle cx="15" cy="4" r="3" class={`fill trace-${one.colour}`} />
          </svg>
          {one.label}
          {one.curve.sweet_spot && <span class="key-spot">{band(one.curve)}</span>}
        </button>
      ))}
      <span class="key quiet">
        <svg viewBox="0 0 30 8" width="30" height="8" aria-hidden="true">
          <line x1="0" y1="4" x2="30" y2="4" class="stroke dotted" />
        </svg>
        p99
      </span>
      {chosen.curve.sweet_spot && <span class="key quiet"><span class="swatch" />sweet spot</span>}
    </div>
  );
}

function band(curve: Curve): string {
  const spot = curve.sweet_spot;
  if (spot === null) return '';
  return spot.low === spot.high ? `${spot.at}` : `${spot.low}–${spot.high}`;
}

// The values under the cursor; without one, those of the sweet spot.
interface ReadoutProps {
  family: Family;
  chosen: Trace;
  cursor: number | null;
}

function Readout({ family, chosen, cursor }: ReadoutProps) {
  const spot = chosen.curve.sweet_spot?.at;
  const x = cursor ?? spot ?? family.xs[family.xs.length - 1];
  const point = x === undefined ? undefined : chosen.points.get(x);
  if (x === undefined) return null;
  return (
    <dl class="readout" aria-live="polite">
      <Figure name={x === spot ? 'sweet spot' : 'at'} value={axisTitle(family.axis, x)} />
      <Figure name="IOPS" value={compact(point?.iops)} />
      <Figure name="mean" value={latency(point?.latency_mean_ns)} />
      <Figure name="p99" value={latency(point?.latency_p99_ns)} />
      <Figure name="note" value={words(point?.note ?? '–')} />
    </dl>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Second({ curve }: { curve: Curve }) {
  const rows: [string, string][] = [];
  const add = (name: string, value: string | number | null | undefined) => {
    if (value !== null && value !== undefined) rows.push([name, `${value}`]);
  };
  const spot = curve.sweet_spot;
  if (spot !== null) {
    add(`sweet spot (${spot.rule})`, spot.at);
    add('confidence', `${Math.round(spot.confidence * 100)}\u202f%`);
    add('9 times in 10', `${spot.likely.low} to ${spot.likely.high}`);
  }
  add('latency first', curve.latency_first?.at);
  add('throughput first', curve.throughput_first?.at);
  add('kneedle', curve.kneedle?.at);
  add('under the limit', curve.under_limit?.at);
  add('system strained from', curve.strain_numjobs);
  return (
    <section class="second" aria-label="Second opinions">
      <h2>Second opinions</h2>
      <dl class="readout">
        {rows.map(([name, value]) => <Figure key={name} name={name} value={value} />)}
      </dl>
      {curve.no_sweet_spot && <p>{curve.no_sweet_spot.sentence}</p>}
      <UslLine curve={curve} />
    </section>
  );
}

function UslLine({ curve }: { curve: Curve }) {
  const { usl, no_usl } = curve;
  if (!usl) return no_usl ? <p>No USL fit: {no_usl.sentence}</p> : null;
  const peak = usl.peak_numjobs === null ? 'no peak' : `peak at ${digits(usl.peak_numjobs)}`;
  const kappa = usl.kappa === 0 ? '0' : usl.kappa.toPrecision(3);
  return (
    <p>
      USL: λ {compact(usl.lambda)}, σ {digits(usl.sigma)}, κ {kappa}, {peak}, R² {usl.r2.toFixed(3)}
    </p>
  );
}
