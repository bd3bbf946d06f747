// What the API says, in its own words: the field names of /api/v1/openapi.json. Only what the page
// reads stands here; everything else passes by unseen.

export type SweepState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
export type Severity = 'invalid' | 'caution' | 'info';
export type Axis = 'numjobs' | 'iodepth' | 'bs';

export interface Setting {
  rw: string;
  bs: number;
  iodepth: number;
  numjobs: number;
}

export interface Verdict {
  name: string;
  severity: Severity;
  sentence: string;
}

export interface Plan {
  runs: number;
  seconds: number;
  layout_bytes: number;
  write_bytes: number;
  ioengine: string;
  size_bytes: number;
  target: string;
}

export interface Progress {
  runs_done: number;
  runs_total: number;
  phase: string;
  eta_s: number | null;
  fraction: number | null;
  current: Setting | null;
  iops: number | null;
  latency_mean_ns: number | null;
  layout_done_bytes: number | null;
  layout_total_bytes: number | null;
}

// One direction of a mixed workload.
export interface Direction {
  iops: number | null;
  latency_p99_ns: number | null;
}

export interface Fsyncs {
  fsyncs_per_s: number | null;
  latency_p99_ns: number | null;
}

export interface Point extends Setting {
  repeats: number;
  iops: number | null;
  iops_ci95: { low: number; high: number } | null;
  bandwidth_bytes_per_s: number | null;
  latency_mean_ns: number | null;
  latency_p99_ns: number | null;
  read: Direction | null;
  write: Direction | null;
  fsync: Fsyncs | null;
  note: string | null;
  verdicts: Verdict[];
  failed: boolean;
}

export interface SweetSpot {
  at: number;
  low: number;
  high: number;
  rule: string;
  confidence: number;
  likely: { low: number; high: number; in_band: number };
  sentence: string;
}

export interface Named {
  name: string;
  sentence: string;
}

export interface Opinion {
  at: number;
  rule: string;
}

export interface Usl {
  lambda: number;
  sigma: number;
  kappa: number;
  peak_numjobs: number | null;
  r2: number;
}

export interface Curve {
  axis: Axis;
  rw: string;
  bs: number | null;
  iodepth: number | null;
  numjobs: number | null;
  sweet_spot: SweetSpot | null;
  no_sweet_spot: Named | null;
  latency_first: Opinion | null;
  throughput_first: Opinion | null;
  kneedle: Opinion | null;
  under_limit: Opinion | null;
  strain_numjobs: number | null;
  usl: Usl | null;
  no_usl: Named | null;
  verdicts: Verdict[];
}

export interface Spec {
  target: string | null;
  rw: string[];
  bs: number[];
  iodepth: number[];
  numjobs: number[] | 'auto';
}

export interface Sweep {
  id: number;
  state: SweepState;
  host: string;
  label: string;
  notes: string;
  spec: Spec;
  plan: Plan;
  created_at: string | null;
  started_at: string | null;
  finished_at: string | null;
  position: number | null;
  progress: Progress | null;
  points?: Point[];
  curves?: Curve[];
  answer: string | null;
  warnings?: Verdict[];
  runs_failed: number;
  error: string | null;
}

export interface Target {
  path: string;
  size_bytes: number | null;
  model: string | null;
  scratch: boolean;
  in_use: boolean;
  state: 'free' | 'busy' | 'stuck';
  confirm_phrase: string | null;
  error: string | null;
}

export interface System {
  host: string;
  os: string;
  cpu: string;
}

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

export interface FieldError {
  field: string;
  message: string;
}

export function isOver(sweep: Sweep): boolean {
  return sweep.state !== 'queued' && sweep.state !== 'running';
}
