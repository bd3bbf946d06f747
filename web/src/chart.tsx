// One chart. A new canvas only when lines or colours change; new points move the old one.
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { summary } from './curves';
import type { Family, Trace } from './curves';
import { data, options } from './plot';
import type { Scene, What } from './plot';
import type { Theme } from './theme';

interface Props {
  what: What;
  title: string;
  family: Family;
  chosen: Trace;
  theme: Theme;
  cursor: number | null;
  onCursor(x: number | null): void;
}

const height_px = 264;

export function Chart({ what, title, family, chosen, theme, cursor, onCursor }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const scene = useRef<Scene>({ what, family, chosen, theme, onCursor });
  scene.current = { what, family, chosen, theme, onCursor };
  const shape = `${chosen.key}|${family.traces.map((one) => one.key).join()}|${theme.ink}`;

  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const made = new uPlot(options(() => scene.current, element.clientWidth, height_px),
      data(scene.current), element);
    plot.current = made;
    const watcher = new ResizeObserver(() => {
      if (element.clientWidth > 0) made.setSize({ width: element.clientWidth, height: height_px });
    });
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape]);

  useEffect(() => {
    plot.current?.setData(data(scene.current));
  }, [family]);

  useEffect(() => {
    const made = plot.current;
    const shown = made?.cursor.idx;
    if (!made || (cursor !== null && shown != null && family.xs[shown] === cursor)) return;
    made.setCursor(cursor === null
      ? { left: -10, top: -10 }
      : { left: made.valToPos(cursor, 'x'), top: 10 }, false);
  }, [cursor]);

  const onKey = (event: KeyboardEvent) => {
    const next = stepTo(event.key, family.xs, cursor, chosen);
    if (next === undefined) return;
    event.preventDefault();
    onCursor(next);
  };
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <div ref={box} class="canvas" role="img" tabIndex={0} onKeyDown={onKey}
        onBlur={() => onCursor(null)} aria-label={summary(family, chosen, what)} />
    </figure>
  );
}

// The arrow keys walk over what was measured, beginning at the sweet spot.
function stepTo(
  key: string, xs: number[], from: number | null, chosen: Trace,
): number | null | undefined {
  const start = chosen.curve.sweet_spot?.at ?? xs[0] ?? null;
  const index = from === null ? -1 : xs.indexOf(from);
  const step = (by: number) =>
    index < 0 ? start : xs[Math.min(Math.max(index + by, 0), xs.length - 1)] ?? null;
  if (key === 'Escape') return null;
  if (key === 'Home') return xs[0] ?? null;
  if (key === 'End') return xs[xs.length - 1] ?? null;
  if (key === 'ArrowRight') return step(1);
  if (key === 'ArrowLeft') return step(-1);
  return undefined;
}
