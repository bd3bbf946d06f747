// uPlot's options for one chart: log2 x axis with ticks where something was measured, the sweet
// spot's band behind the lines, whiskers where repeats give an interval.
import type uPlot from 'uplot';
import { axisText } from './curves';
import type { Family, Trace } from './curves';
import { compact, latency } from './format';
import type { Point } from './model';
import { dashes } from './theme';
import type { Theme } from './theme';

export type What = 'iops' | 'latency';

// What is drawn now; the options read it at every redraw, so that new points need no new chart.
export interface Scene {
  what: What;
  family: Family;
  chosen: Trace;
  theme: Theme;
  onCursor(x: number | null): void;
}

const band_edge = 1.045; // how far the band reaches beyond its outermost setting, as a factor
const tick_gap_px = 18;
const many_traces = 4; // with more of them only the chosen one shows its p99

interface Line {
  trace: Trace;
  value(point: Point): number | null;
  tail: boolean; // a p99 line
}

export function lines(scene: Scene): Line[] {
  const { traces } = scene.family;
  if (scene.what === 'iops') {
    return traces.map((trace) => ({ trace, value: (point) => point.iops, tail: false }));
  }
  const shown = traces.filter((one) => traces.length <= many_traces || one === scene.chosen);
  return [
    ...traces.map((trace) => ({ trace, value: mean, tail: false })),
    ...shown.map((trace) => ({ trace, value: p99, tail: true })),
  ];
}

const mean = (point: Point) => point.latency_mean_ns;
const p99 = (point: Point) => point.latency_p99_ns;

export function data(scene: Scene): uPlot.AlignedData {
  const { xs } = scene.family;
  const row = (line: Line) => xs.map((x) => {
    const point = line.trace.points.get(x);
    const value = point ? line.value(point) : null;
    return value !== null && value > 0 ? value : null;
  });
  return [xs, ...lines(scene).map(row)];
}

function series(scene: Scene, line: Line): uPlot.Series {
  const colour = scene.theme.traces[line.trace.colour] ?? scene.theme.ink;
  const chosen = line.trace === scene.chosen;
  return {
    stroke: colour,
    width: line.tail ? 1.25 : chosen ? 2.25 : 1.5,
    dash: line.tail ? [1.5, 3.5] : dashes[line.trace.dash] ?? [],
    spanGaps: true,
    points: {
      show: true,
      size: line.tail ? 4 : 6,
      width: 1.5,
      stroke: colour,
      fill: line.tail ? scene.theme.paper : colour,
    },
  };
}

export function options(now: () => Scene, width: number, height: number): uPlot.Options {
  const scene = now();
  return {
    width,
    height,
    padding: [14, 10, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { setScale: false, x: false, y: false },
      move: snapped,
      points: { size: 9, width: 1.5 },
    },
    scales: {
      x: { time: false, distr: 3, log: 2, range: () => rangeOfX(now().family.xs) },
      y: scene.what === 'iops'
        ? { range: () => [0, mostIops(now()) * 1.08] }
        : { distr: 3, log: 10, range: (_, least, most) => rangeOfLatency(least, most) },
    },
    axes: [axisX(now), axisY(now)],
    series: [{}, ...lines(scene).map((line) => series(scene, line))],
    hooks: {
      drawClear: [(plot) => drawBand(plot, now())],
      draw: [(plot) => drawMarks(plot, now())],
      setCursor: [(plot) => {
        const index = plot.cursor.idx;
        const away = (plot.cursor.left ?? -1) < 0;
        now().onCursor(away || index == null ? null : plot.data[0][index] ?? null);
      }],
    },
  };
}

// The cursor stands only where something was measured.
function snapped(plot: uPlot, left: number, top: number): [number, number] {
  const x = left < 0 ? undefined : plot.data[0][plot.posToIdx(left)];
  return x === undefined ? [left, top] : [plot.valToPos(x, 'x'), top];
}

// Whiskers included.
function mostIops(scene: Scene): number {
  const points = scene.family.traces.flatMap((trace) => [...trace.points.values()]);
  return Math.max(1, ...points.map((point) => point.iops_ci95?.high ?? point.iops ?? 0));
}

function rangeOfX(xs: number[]): [number, number] {
  const least = xs[0] ?? 1;
  const most = xs[xs.length - 1] ?? 1;
  const margin = least === most ? 2 : (most / least) ** 0.04;
  return [least / margin, most * margin];
}

function rangeOfLatency(least: number, most: number): [number, number] {
  if (!(least > 0) || !(most > 0)) return [1000, 1e6];
  const below = steps(least / 10, least).pop() ?? least;
  const above = steps(most, most * 10)[0] ?? most;
  return [below === above ? below / 2 : below, above];
}

// 1, 2, 5, 10, 20, ... between two values.
function steps(least: number, most: number): number[] {
  const found: number[] = [];
  for (let decade = 10 ** Math.floor(Math.log10(least)); decade <= most; decade *= 10) {
    for (const factor of [1, 2, 5]) {
      const step = decade * factor;
      if (step >= least * 0.999 && step <= most * 1.001) found.push(step);
    }
  }
  return found;
}

function axisX(now: () => Scene): uPlot.Axis {
  const { theme } = now();
  // Where many settings stand close together, their lines would be a wall.
  const only_labelled = (plot: uPlot, splits: number[]) => {
    const kept = labelled(plot, splits, now());
    return splits.map((x) => (kept.has(x) ? x : null));
  };
  return {
    stroke: theme.faint,
    font: theme.font,
    size: 30,
    gap: 4,
    grid: { stroke: theme.rule, width: 1, filter: only_labelled },
    ticks: { stroke: theme.rule, width: 1, size: 5 },
    splits: () => now().family.xs,
    filter: (_, splits) => splits, // uPlot's own thins out what isn't a power of the base
    values: (plot, splits) => {
      const kept = labelled(plot, splits, now());
      return splits.map((x) => (kept.has(x) ? axisText(now().family.axis, x) : ''));
    },
  };
}

// Where labels would touch, the sweet spot, the ends and powers of two stay.
function labelled(plot: uPlot, splits: number[], scene: Scene): Set<number> {
  const spot = scene.chosen.curve.sweet_spot?.at;
  const rank = (x: number) => {
    if (x === spot) return 0;
    if (x === splits[0] || x === splits[splits.length - 1]) return 1;
    return Number.isInteger(Math.log2(x)) ? 2 : 3;
  };
  const kept = new Map<number, number>();
  for (const x of [...splits].sort((a, b) => rank(a) - rank(b) || a - b)) {
    const at = plot.valToPos(x, 'x');
    const free = [...kept.values()].every((other) => Math.abs(other - at) >= tick_gap_px);
    if (free) kept.set(x, at);
  }
  return new Set(kept.keys());
}

function axisY(now: () => Scene): uPlot.Axis {
  const { theme, what } = now();
  const axis: uPlot.Axis = {
    stroke: theme.faint,
    font: theme.font,
    size: 56,
    gap: 5,
    grid: { stroke: theme.rule, width: 1 },
    ticks: { show: false },
    values: (_, splits) => splits.map(what === 'iops' ? compact : latency),
  };
  if (what === 'latency') {
    axis.splits = (_, __, least, most) => steps(least, most);
    axis.filter = (_, splits) => splits;
  } else {
    axis.space = 42;
  }
  return axis;
}

function drawBand(plot: uPlot, scene: Scene): void {
  const spot = scene.chosen.curve.sweet_spot;
  if (spot === null) return;
  const { ctx, bbox } = plot;
  const left = plot.valToPos(spot.low / band_edge, 'x', true);
  const right = plot.valToPos(spot.high * band_edge, 'x', true);
  const middle = plot.valToPos(spot.at, 'x', true);
  ctx.save();
  ctx.fillStyle = scene.theme.band;
  ctx.fillRect(left, bbox.top, right - left, bbox.height);
  ctx.fillStyle = scene.theme.spot;
  ctx.fillRect(Math.round(middle) - devicePixelRatio / 2, bbox.top, devicePixelRatio, bbox.height);
  ctx.restore();
}

function drawMarks(plot: uPlot, scene: Scene): void {
  const { ctx } = plot;
  const colour = scene.theme.traces[scene.chosen.colour] ?? scene.theme.ink;
  ctx.save();
  if (scene.what === 'iops') {
    for (const trace of scene.family.traces) drawWhiskers(plot, scene, trace);
  }
  const at = scene.chosen.curve.sweet_spot?.at;
  const point = at === undefined ? undefined : scene.chosen.points.get(at);
  const value = point && (scene.what === 'iops' ? point.iops : point.latency_mean_ns);
  if (at !== undefined && value) {
    ctx.beginPath();
    ctx.arc(plot.valToPos(at, 'x', true), plot.valToPos(value, 'y', true),
      6.5 * devicePixelRatio, 0, 2 * Math.PI);
    ctx.fillStyle = scene.theme.spot;
    ctx.fill();
    ctx.lineWidth = 2 * devicePixelRatio;
    ctx.strokeStyle = colour;
    ctx.stroke();
  }
  ctx.restore();
}

function drawWhiskers(plot: uPlot, scene: Scene, trace: Trace): void {
  const { ctx } = plot;
  const half = 3 * devicePixelRatio;
  ctx.lineWidth = devicePixelRatio;
  ctx.strokeStyle = scene.theme.traces[trace.colour] ?? scene.theme.ink;
  ctx.beginPath();
  for (const [x, point] of trace.points) {
    if (point.iops_ci95 === null) continue;
    const at = plot.valToPos(x, 'x', true);
    for (const end of [point.iops_ci95.low, point.iops_ci95.high]) {
      const y = plot.valToPos(Math.max(0, end), 'y', true);
      ctx.moveTo(at - half, y);
      ctx.lineTo(at + half, y);
    }
    ctx.moveTo(at, plot.valToPos(Math.max(0, point.iops_ci95.low), 'y', true));
    ctx.lineTo(at, plot.valToPos(point.iops_ci95.high, 'y', true));
  }
  ctx.stroke();
}
