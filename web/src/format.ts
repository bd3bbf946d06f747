// Numbers as a person at an instrument reads them: few digits, the unit chosen by size, widths that
// don't jump.

const unknown = '–';
type Maybe = number | null | undefined;

function known(value: Maybe): value is number {
  return value !== null && value !== undefined && Number.isFinite(value);
}

// Three significant digits, whole ones never rounded away: 6.24, 62.4, 624, 6 243.
export function digits(value: Maybe, significant = 3): string {
  if (!known(value)) return unknown;
  if (value === 0) return '0';
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  const places = Math.max(0, Math.min(3, significant - 1 - magnitude));
  return grouped(value.toFixed(places));
}

function grouped(text: string): string {
  const [whole = '', fraction] = text.split('.');
  const spaced = whole.replace(/\B(?=(\d{3})+$)/g, '\u2009');
  return fraction === undefined ? spaced : `${spaced}.${fraction}`;
}

export function whole(value: Maybe): string {
  return known(value) ? grouped(Math.round(value).toString()) : unknown;
}

export function compact(value: Maybe): string {
  if (!known(value)) return unknown;
  const size = Math.abs(value);
  if (size >= 999_500) return `${plain(value / 1e6)}M`;
  if (size >= 9_995) return `${plain(value / 1e3)}k`;
  return digits(value);
}

// In columns: the same number of places all the way down.
export function fixed(value: Maybe, places: number): string {
  return known(value) ? grouped(value.toFixed(places)) : unknown;
}

// Without zeros that say nothing: 4, 4.5, 20.
function plain(value: number): string {
  const text = digits(value);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

export function latency(ns: Maybe): string {
  if (!known(ns)) return unknown;
  if (ns >= 1e9) return `${plain(ns / 1e9)}\u202fs`;
  if (ns >= 1e6) return `${plain(ns / 1e6)}\u202fms`;
  if (ns >= 1e3) return `${plain(ns / 1e3)}\u202fµs`;
  return `${plain(ns)}\u202fns`;
}

export function bytes(value: Maybe): string {
  if (!known(value)) return unknown;
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let size = value;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${plain(size)}\u202f${units[unit]}`;
}

// Sizes as they are written in a sweep: 4096 is 4k.
export function blockSize(value: Maybe): string {
  if (!known(value)) return unknown;
  const units = ['', 'k', 'm', 'g', 't'];
  let size = value;
  let unit = 0;
  while (size >= 1024 && size % 1024 === 0 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${size}${units[unit]}`;
}

export function duration(seconds: Maybe): string {
  if (!known(seconds)) return unknown;
  const total = Math.max(0, Math.round(seconds));
  if (total < 60) return `${total}\u202fs`;
  const minutes = Math.floor(total / 60);
  if (minutes < 60) return `${minutes}\u202fmin ${pad(total % 60)}\u202fs`;
  return `${Math.floor(minutes / 60)}\u202fh ${pad(minutes % 60)}\u202fmin`;
}

function pad(value: number): string {
  return value.toString().padStart(2, '0');
}

export function moment(iso: string | null): string {
  if (iso === null) return unknown;
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

export function words(name: string): string {
  return name.replace(/_/g, ' ');
}

// "randread 4k depth 1 × 8 jobs"
export function setting(of: { rw: string; bs: number; iodepth: number; numjobs: number }): string {
  return `${of.rw} ${blockSize(of.bs)} · depth ${of.iodepth} · ${jobs(of.numjobs)}`;
}

export function jobs(count: number): string {
  return count === 1 ? '1 job' : `${count} jobs`;
}
