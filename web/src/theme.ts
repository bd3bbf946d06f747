// The style sheet's colours, for the canvas that can't read them by itself.
import { useEffect, useState } from 'preact/hooks';

export interface Theme {
  ink: string;
  faint: string;
  rule: string;
  paper: string;
  band: string;
  spot: string;
  traces: string[];
  font: string;
}

export const dashes: number[][] = [[], [9, 4], [3, 3], [12, 3, 3, 3], [6, 2], [2, 5]];

function read(): Theme {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string) => style.getPropertyValue(name).trim();
  return {
    ink: value('--ink'),
    faint: value('--faint'),
    rule: value('--rule'),
    paper: value('--panel'),
    band: value('--band'),
    spot: value('--spot'),
    traces: [0, 1, 2, 3, 4, 5].map((slot) => value(`--trace-${slot}`)),
    font: `11px ${value('--sans')}`,
  };
}

export function useTheme(): Theme {
  const [theme, setTheme] = useState(read);
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const follow = () => setTheme(read());
    dark.addEventListener('change', follow);
    return () => dark.removeEventListener('change', follow);
  }, []);
  return theme;
}
