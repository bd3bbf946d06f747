// The article's table of one curve: what the charts show, as numbers.
import { axisText } from './curves';
import type { Family, Trace } from './curves';
import { fixed, whole, words } from './format';
import type { Point, Verdict } from './model';
import { isMixed } from './presets';

const directions = ['reads/s', 'writes/s', 'read p99 µs', 'write p99 µs'];

interface Props {
  family: Family;
  trace: Trace;
  cursor: number | null;
  onCursor(x: number | null): void;
}

export function PointTable({ family, trace, cursor, onCursor }: Props) {
  const rows = [...trace.points].sort(([a], [b]) => a - b);
  const both = isMixed(trace.curve.rw);
  const most = Math.max(1, ...rows.map(([, point]) => point.iops ?? 0));
  const shared = new Set(trace.curve.verdicts.map((one) => one.name));
  return (
    <div class="table-box">
      <table>
        <caption class="unseen">Measurements of {trace.label}, against {family.axis}</caption>
        <thead>
          <tr>
            <th scope="col">{family.axis}</th>
            <th scope="col">MiB/s</th>
            <th scope="col">IOPS</th>
            <th scope="col" aria-hidden="true" class="bar-cell" />
            <th scope="col">mean µs</th>
            <th scope="col">p99 µs</th>
            {both && directions.map((name) => <th scope="col" key={name}>{name}</th>)}
            {synced(trace) && <th scope="col">fsync p99 µs</th>}
            <th scope="col" class="note">note</th>
          </tr>
        </thead>
        <tbody onMouseLeave={() => onCursor(null)}>
          {rows.map(([x, point]) => (
            <Row key={x} x={x} point={point} most={most} trace={trace} family={family}
              hovered={x === cursor} onHover={() => onCursor(x)}
              own={point.verdicts.filter((one) => !shared.has(one.name))} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function synced(trace: Trace): boolean {
  return [...trace.points.values()].some((point) => point.fsync !== null);
}

function scaled(value: number | null, by: number): number | null {
  return value === null ? null : value * by;
}

interface RowProps {
  x: number;
  point: Point;
  most: number;
  trace: Trace;
  family: Family;
  hovered: boolean;
  onHover(): void;
  own: Verdict[];
}

function Row({ x, point, most, trace, family, hovered, onHover, own }: RowProps) {
  const spot = trace.curve.sweet_spot;
  const inBand = spot !== null && x >= spot.low && x <= spot.high;
  const marks = [hovered && 'hovered', inBand && 'in-band', spot?.at === x && 'spot'];
  const share = point.iops === null ? 0 : Math.max(0, Math.min(1, point.iops / most));
  return (
    <tr class={marks.filter(Boolean).join(' ')} onMouseEnter={onHover}>
      <th scope="row">{axisText(family.axis, x)}</th>
      <td>{fixed(scaled(point.bandwidth_bytes_per_s, 1 / 1024 / 1024), 1)}</td>
      <td>{whole(point.iops)}</td>
      <td class="bar-cell" aria-hidden="true">
        <span class={`bar trace-${trace.colour}`}
          style={{ width: `${(share * 100).toFixed(1)}%` }} />
      </td>
      <td>{fixed(scaled(point.latency_mean_ns, 1e-3), 2)}</td>
      <td>{fixed(scaled(point.latency_p99_ns, 1e-3), 1)}</td>
      {isMixed(trace.curve.rw) && (
        <>
          <td>{whole(point.read?.iops)}</td>
          <td>{whole(point.write?.iops)}</td>
          <td>{fixed(scaled(point.read?.latency_p99_ns ?? null, 1e-3), 1)}</td>
          <td>{fixed(scaled(point.write?.latency_p99_ns ?? null, 1e-3), 1)}</td>
        </>
      )}
      {synced(trace) && <td>{fixed(scaled(point.fsync?.latency_p99_ns ?? null, 1e-3), 1)}</td>}
      <td class="note">
        {point.failed ? 'failed' : words(point.note ?? '')}
        {own.map((one) => (
          <span key={one.name} class={`tag ${one.severity}`} title={one.sentence}>
            {words(one.name)}
          </span>
        ))}
      </td>
    </tr>
  );
}
