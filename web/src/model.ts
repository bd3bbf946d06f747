// What the API says, in its own words. The types come from /api/v1/openapi.json by way of
// openapi-typescript (npm run types), so that the page can't read a field that isn't described.
import type { components } from './openapi';

type Schemas = components['schemas'];

export type Setting = Schemas['Setting'];
export type Verdict = Schemas['Verdict'];
export type Plan = Schemas['Plan'];
export type Progress = Schemas['Progress'];
export type Point = Schemas['Point'];
export type SweetSpot = Schemas['SweetSpot'];
export type Opinion = Schemas['Opinion'];
export type Usl = Schemas['Usl'];
export type Curve = Schemas['Curve'];
export type Spec = Schemas['SweepSpec'];
export type Target = Schemas['Target'];
export type System = Schemas['System'];
export type FieldError = Schemas['FieldError'];

export type Axis = Curve['axis'];

// As lists have it, or whole.
type Whole = Pick<Schemas['Sweep'], 'points' | 'curves' | 'warnings'>;
export type Sweep = Schemas['SweepItem'] & Partial<Whole>;

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

export function isOver(sweep: Sweep): boolean {
  return sweep.state !== 'queued' && sweep.state !== 'running';
}
