// The form that asks for a sweep, with its plan beside it while one types.
import { useEffect, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { giveToken, Problem, send, sentence } from './api';
import { bytes } from './format';
import type { Plan, Sweep, Target } from './model';
import { PlanCard } from './plan';
import { bodyOf, empty_draft, isMixed, presetNamed, presets, workloads } from './presets';
import type { Draft } from './presets';

const debounce_ms = 250;

export type Judged = { plan: Plan | null; problem: Problem | null; message: string };
const not_judged: Judged = { plan: null, problem: null, message: '' };

// What the daemon says of the draft, without queueing it.
function useDryRun(body: string, attempt: number): [Judged, (judged: Judged) => void] {
  const [judged, setJudged] = useState<Judged>(not_judged);
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => void dryRun(body, stop.signal).then((answer) => {
      if (!stop.signal.aborted) setJudged(answer);
    }), debounce_ms);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [body, attempt]);
  return [judged, setJudged];
}

async function dryRun(body: string, signal: AbortSignal): Promise<Judged> {
  try {
    const call = { body: JSON.parse(body) as unknown, signal, quiet: true };
    const plan = await send<Plan>('POST', '/sweeps?dry_run=true', call);
    return { plan, problem: null, message: '' };
  } catch (error) {
    return refused(error);
  }
}

function refused(error: unknown): Judged {
  const problem = error instanceof Problem ? error : null;
  return { plan: null, problem, message: sentence(error) };
}

// "bs[1]" and "latency_limit.p99" stand at the fields bs and latency_limit.
function messagesAt(problem: Problem | null, name: string): string[] {
  if (problem === null) return [];
  return problem.fields
    .filter((error) => error.field.split(/[.[]/)[0] === name)
    .map((error) => error.message);
}

const shown_fields = [
  'preset', 'label', 'target', 'rw', 'rwmixread', 'bs', 'iodepth', 'numjobs', 'size', 'runtime',
  'confirm',
];

// What can't be said at a field of the form is said below it.
function elsewhere(judged: Judged): string[] {
  if (judged.message === '') return [];
  const fields = judged.problem?.fields ?? [];
  // 428 says what would be destroyed, or which budget would be spent: always worth reading.
  if (fields.length === 0 || judged.problem?.status === 428) return [judged.message];
  return fields
    .filter((error) => !shown_fields.includes(error.field.split(/[.[]/)[0] ?? ''))
    .map((error) => (error.field === '' ? error.message : `${error.field}: ${error.message}`));
}

interface Attributes {
  id: string;
  'aria-invalid': boolean;
  'aria-describedby': string;
}

interface FieldProps {
  name: string;
  label: string;
  problem: Problem | null;
  hint?: string;
  wide?: boolean;
  children: (attributes: Attributes) => ComponentChildren;
}

function Field({ name, label, problem, hint, wide, children }: FieldProps) {
  const messages = messagesAt(problem, name);
  const id = `field-${name}`;
  const attributes: Attributes = {
    id,
    'aria-invalid': messages.length > 0,
    'aria-describedby': `${id}-said`,
  };
  return (
    <div class={wide ? 'field wide' : 'field'}>
      <label for={id}>{label}</label>
      {children(attributes)}
      <div id={`${id}-said`} class="said" aria-live="polite">
        {messages.length > 0
          ? messages.map((message) => <p class="wrong" key={message}>{message}</p>)
          : hint && <p>{hint}</p>}
      </div>
    </div>
  );
}

function targetTitle(target: Target): string {
  const size = target.size_bytes ? `, ${bytes(target.size_bytes)}` : '';
  const model = target.model ? ` ${target.model}` : '';
  const use = target.in_use ? ' (in use)' : '';
  const state = target.state === 'free' ? '' : `, ${target.state}`;
  return `${target.path}${model}${size}${use}${state}`;
}

interface WorkloadProps {
  chosen: string[];
  onChange(chosen: string[]): void;
  problem: Problem | null;
}

function Workloads({ chosen, onChange, problem }: WorkloadProps) {
  const messages = messagesAt(problem, 'rw');
  const toggle = (name: string) => {
    const next = chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name];
    onChange(workloads.filter((one) => next.includes(one)));
  };
  return (
    <fieldset class="field wide workloads">
      <legend>rw</legend>
      <div class="chips">
        {workloads.map((name) => (
          <label key={name} class={name.endsWith('write') || isMixed(name) ? 'chip writes' : 'chip'}>
            <input type="checkbox" name="rw" value={name} checked={chosen.includes(name)}
              onChange={() => toggle(name)} />
            <span>{name}</span>
          </label>
        ))}
      </div>
      <div class="said" aria-live="polite">
        {messages.map((message) => <p class="wrong" key={message}>{message}</p>)}
      </div>
    </fieldset>
  );
}

interface Props {
  targets: Target[];
  onQueued(sweep: Sweep): void;
}

export function AskForm({ targets, onQueued }: Props) {
  const [draft, setDraft] = useState<Draft>(empty_draft);
  const [posting, setPosting] = useState(false);
  const body = bodyOf(draft);
  const [attempt, setAttempt] = useState(0);
  const [judged, setJudged] = useDryRun(JSON.stringify(body), attempt);
  const change = (part: Partial<Draft>) => setDraft((known) => ({ ...known, ...part }));

  const post = async (event: Event) => {
    event.preventDefault();
    setPosting(true);
    try {
      const sweep = await send<Sweep>('POST', '/sweeps', { body });
      if (sweep !== null) onQueued(sweep);
    } catch (error) {
      setJudged(refused(error));
    } finally {
      setPosting(false);
    }
  };

  return (
    <form class="ask" onSubmit={(event) => void post(event)} aria-labelledby="ask-title">
      <h1 id="ask-title">How many parallel jobs is this disk worth?</h1>
      <div class="ask-columns">
        <div class="fields">
          <Choices draft={draft} change={change} targets={targets} problem={judged.problem} />
          <Texts draft={draft} change={change} problem={judged.problem} />
        </div>
        <PlanCard judged={judged} body={body} posting={posting} remarks={elsewhere(judged)}
          target={targets.find((one) => one.path === draft.target) ?? null} confirm={draft.confirm}
          onConfirm={(confirm) => change({ confirm })}
          onToken={() => void giveToken().then(() => setAttempt((count) => count + 1))} />
      </div>
    </form>
  );
}

interface PartProps {
  draft: Draft;
  change(part: Partial<Draft>): void;
  problem: Problem | null;
}

function Choices({ draft, change, targets, problem }: PartProps & { targets: Target[] }) {
  const preset = presetNamed(draft.preset);
  return (
    <>
      <Field name="preset" label="preset" problem={problem} wide>
        {(attributes) => (
          <select {...attributes} value={draft.preset}
            onChange={(event) => change({ preset: event.currentTarget.value, rw: null })}>
            {presets.map((one) => <option key={one.name} value={one.name}>{one.title}</option>)}
          </select>
        )}
      </Field>
      <Field name="target" label="target" problem={problem} wide>
        {(attributes) => (
          <select {...attributes} value={draft.target}
            onChange={(event) => change({ target: event.currentTarget.value, confirm: '' })}>
            <option value="">a scratch file of the daemon’s own, deleted afterwards</option>
            {targets.filter((one) => !one.scratch).map((one) => (
              <option key={one.path} value={one.path}>{targetTitle(one)}</option>
            ))}
          </select>
        )}
      </Field>
      <Workloads chosen={draft.rw ?? preset.fields.rw} problem={problem}
        onChange={(rw) => change(rw.some(isMixed)
          ? { rw, confirm: '' }
          : { rw, rwmixread: '', confirm: '' })} />
      {draft.rw?.some(isMixed) && (
        <Field name="rwmixread" label="rwmixread" hint="reads, in percent" problem={problem}>
          {(attributes) => (
            <input {...attributes} type="text" name="rwmixread" value={draft.rwmixread}
              placeholder="50" autocomplete="off" inputMode="numeric"
              onInput={(event) => change({ rwmixread: event.currentTarget.value })} />
          )}
        </Field>
      )}
    </>
  );
}

const text_fields = [
  { name: 'numjobs', hint: '4 · 1,2,4,8 · 1-32*2 · auto' },
  { name: 'iodepth', hint: 'in flight per job: 4 · 1-32*2' },
  { name: 'bs', hint: '4k · 4k,64k · 4k-64k*2' },
  { name: 'size', hint: 'the whole working set' },
  { name: 'runtime', hint: 'of one run' },
] as const;

function Texts({ draft, change, problem }: PartProps) {
  const preset = presetNamed(draft.preset);
  // A target of one's own is measured whole unless a size is given.
  const shown = (name: (typeof text_fields)[number]['name']) =>
    name === 'size' && draft.target !== '' ? 'all of it' : preset.fields[name];
  return (
    <>
      {text_fields.map(({ name, hint }) => (
        <Field key={name} name={name} label={name} hint={hint} problem={problem}>
          {(attributes) => (
            <input {...attributes} type="text" name={name} value={draft[name]}
              placeholder={shown(name)} autocomplete="off" spellcheck={false} autocapitalize="off"
              onInput={(event) => change({ [name]: event.currentTarget.value })} />
          )}
        </Field>
      ))}
      <Field name="label" label="label" hint="a word to find it by" problem={problem}>
        {(attributes) => (
          <input {...attributes} type="text" name="label" value={draft.label} autocomplete="off"
            onInput={(event) => change({ label: event.currentTarget.value })} />
        )}
      </Field>
    </>
  );
}

