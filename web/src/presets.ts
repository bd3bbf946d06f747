// The presets' values as POST /sweeps documents them, to show what a field means while it is empty.
// Only what a person changes is sent; the daemon fills in the rest by itself.

export interface Fields {
  rw: string[];
  bs: string;
  iodepth: string;
  numjobs: string;
  size: string;
  runtime: string;
}

export interface Preset {
  name: string;
  title: string;
  fields: Fields;
}

export const workloads = [
  'randread', 'randwrite', 'randrw', 'read', 'write', 'rw',
] as const;

export const presets: Preset[] = [
  {
    name: 'quick',
    title: 'Quick: reads only, about a minute',
    fields: {
      rw: ['randread'], bs: '4k', iodepth: '1', numjobs: 'auto', size: '4g', runtime: '1s',
    },
  },
  {
    name: 'published',
    title: 'Published: the 2025 article’s grid',
    fields: {
      rw: ['randread', 'randwrite'], bs: '4k', iodepth: '32', numjobs: '1,2,4,8,18,32', size: '64g',
      runtime: '30s',
    },
  },
  {
    name: 'published-2017',
    title: 'Published 2017: the mail’s grid',
    fields: {
      rw: ['read', 'randread'], bs: '4k,16k,32k,64k', iodepth: '1', numjobs: '1,10,20,40',
      size: '4g', runtime: '30s',
    },
  },
];

export function presetNamed(name: string): Preset {
  return presets.find((preset) => preset.name === name) ?? presets[0]!;
}

// "4k, 16k" is a list, "auto", "1-32*2" and "4k-64k*2" are words of their own.
export function listed(text: string): string | string[] {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '');
  return parts.length === 1 ? parts[0]! : parts;
}

// Plain numbers become numbers, everything else goes as it was written: the daemon judges it.
export function numbers(text: string): unknown {
  const value = (part: string): unknown => (/^\d{1,15}$/.test(part) ? Number(part) : part);
  const parts = listed(text);
  return Array.isArray(parts) ? parts.map(value) : value(parts);
}

// Workloads that read and write at once.
export function isMixed(workload: string): boolean {
  return workload === 'rw' || workload === 'randrw';
}

// What the form sends: only what the person changed.
export interface Draft {
  preset: string;
  label: string;
  target: string;
  rw: string[] | null; // null: the preset's
  bs: string;
  iodepth: string;
  numjobs: string;
  size: string;
  runtime: string;
  rwmixread: string;
  confirm: string;
}

export const empty_draft: Draft = {
  preset: 'quick', label: '', target: '', rw: null, bs: '', iodepth: '', numjobs: '', size: '',
  runtime: '', rwmixread: '', confirm: '',
};

export function bodyOf(draft: Draft): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  if (draft.preset !== 'quick') body['preset'] = draft.preset;
  if (draft.label.trim() !== '') body['label'] = draft.label.trim();
  if (draft.target !== '') body['target'] = draft.target;
  if (draft.rw !== null) body['rw'] = draft.rw;
  for (const name of ['bs', 'iodepth', 'size', 'runtime', 'rwmixread'] as const) {
    if (draft[name].trim() !== '') body[name] = numbers(draft[name]);
  }
  if (draft.numjobs.trim() !== '') body['numjobs'] = jobsText(draft.numjobs);
  if (draft.confirm !== '') body['confirm'] = draft.confirm;
  return body;
}

// One number goes as a number; "1,2,4", "1-32*2" and "auto" are words that the daemon understands.
function jobsText(text: string): unknown {
  const packed = text.replace(/\s+/g, '');
  return /^\d{1,15}$/.test(packed) ? Number(packed) : packed;
}
