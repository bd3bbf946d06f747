// From the API's points and curves to what is drawn: traces along one axis.
import { blockSize, latency, whole } from './format';
import type { Axis, Curve, Point, Sweep } from './model';

export interface Trace {
  key: string;
  label: string;
  colour: number; // which of the style's
  dash: number;
  curve: Curve;
  points: Map<number, Point>;
}

export interface Family {
  axis: Axis;
  xs: number[];
  traces: Trace[];
}

const looks = 6; // colours, and dashes; both together tell 36 curves apart

function belongs(point: Point, curve: Curve): boolean {
  return point.rw === curve.rw &&
    (curve.axis === 'bs' || point.bs === curve.bs) &&
    (curve.axis === 'iodepth' || point.iodepth === curve.iodepth) &&
    (curve.axis === 'numjobs' || point.numjobs === curve.numjobs);
}

function label(curve: Curve, all: Curve[]): string {
  const varies = (of: (one: Curve) => unknown) => new Set(all.map(of)).size > 1;
  const parts: string[] = [curve.rw];
  if (curve.axis !== 'bs' && varies((one) => one.bs)) parts.push(blockSize(curve.bs));
  if (curve.axis !== 'iodepth' && varies((one) => one.iodepth)) {
    parts.push(`depth ${curve.iodepth}`);
  }
  if (curve.axis !== 'numjobs' && varies((one) => one.numjobs)) parts.push(`${curve.numjobs} jobs`);
  return parts.join(' ');
}

// One family for each axis that was varied; nearly always there is exactly one: numjobs.
export function families(sweep: Sweep): Family[] {
  const curves = sweep.curves ?? [];
  const axes = [...new Set(curves.map((curve) => curve.axis))];
  return axes.map((axis) => {
    const mine = curves.filter((curve) => curve.axis === axis);
    const traces = mine.map((curve, index) => trace(sweep, curve, mine, index));
    const xs = [...new Set(traces.flatMap((one) => [...one.points.keys()]))].sort((a, b) => a - b);
    return { axis, xs, traces };
  }).filter((family) => family.xs.length > 0);
}

function trace(sweep: Sweep, curve: Curve, all: Curve[], index: number): Trace {
  const points = new Map<number, Point>();
  for (const point of sweep.points ?? []) {
    if (belongs(point, curve)) points.set(point[curve.axis], point);
  }
  const dash = (index + Math.floor(index / looks)) % looks;
  const key = `${curve.axis}/${curve.rw}/${curve.bs}/${curve.iodepth}/${curve.numjobs}`;
  return { key, label: label(curve, all), colour: index % looks, dash, curve, points };
}

export function axisText(axis: Axis, value: number): string {
  return axis === 'bs' ? blockSize(value) : `${value}`;
}

export function axisTitle(axis: Axis, value: number): string {
  if (axis === 'numjobs') return value === 1 ? '1 job' : `${value} jobs`;
  return axis === 'bs' ? blockSize(value) : `depth ${value}`;
}

// What a chart says to those who don't see it.
export function summary(family: Family, trace: Trace, what: 'iops' | 'latency'): string {
  const points = [...trace.points].sort(([a], [b]) => a - b);
  const read = ([x, point]: [number, Point]) => {
    const value = what === 'iops'
      ? `${whole(point.iops)} IOPS`
      : `mean ${latency(point.latency_mean_ns)}, p99 ${latency(point.latency_p99_ns)}`;
    return `${axisTitle(family.axis, x)}: ${value}`;
  };
  const spot = trace.curve.sweet_spot;
  const answer = spot ? ` Sweet spot ${spot.low} to ${spot.high}, best ${spot.at}.` : '';
  const name = what === 'iops' ? 'IOPS' : 'Latency';
  return `${name} against ${family.axis}, ${trace.label}. ${points.map(read).join('; ')}.${answer}`;
}
