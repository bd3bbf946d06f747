// What a sweep will cost, before it costs it: shown beside the form. A write that destroys says
// what, and wants the phrase typed.
import { bytes, duration, whole } from './format';
import type { Judged } from './form';
import type { Plan, Target } from './model';

const token_needed = 401;
const confirmation_needed = 428;

interface Props {
  judged: Judged;
  body: Record<string, unknown>;
  posting: boolean;
  remarks: string[];
  target: Target | null;
  confirm: string;
  onConfirm(text: string): void;
  onToken(): void;
}

export function PlanCard(props: Props) {
  const { judged, body, posting, remarks, target, confirm } = props;
  const phrase = target?.confirm_phrase ?? '';
  const status = judged.problem?.status;
  const destroys = phrase !== '' && (status === confirmation_needed || confirm !== '');
  return (
    <aside class={destroys ? 'plan destroys' : 'plan'} aria-label="Plan" aria-live="polite">
      <h2>Plan</h2>
      <Figures plan={judged.plan} />
      {remarks.map((remark) => <p class="wrong" key={remark}>{remark}</p>)}
      {status === token_needed && (
        <button type="button" onClick={props.onToken}>Give the token</button>
      )}
      {destroys && (
        <div class="confirm">
          <label for="field-confirm">
            Everything on <b>{target?.path}</b> will be lost. To go on, type <kbd>{phrase}</kbd>
          </label>
          <input id="field-confirm" type="text" name="confirm" value={confirm} autocomplete="off"
            spellcheck={false} autocapitalize="off"
            onInput={(event) => props.onConfirm(event.currentTarget.value)} />
        </div>
      )}
      <button type="submit" class={destroys ? 'main danger' : 'main'}
        disabled={posting || (destroys && confirm !== phrase)}>
        {destroys ? 'Overwrite and measure' : 'Start the sweep'}
      </button>
      <Curl body={body} />
    </aside>
  );
}

function Figures({ plan }: { plan: Plan | null }) {
  const rows: [string, string][] = [
    ['runs, at most', whole(plan?.runs)],
    ['time, at most', duration(plan?.seconds)],
    ['laid out', bytes(plan?.layout_bytes)],
    ['written', bytes(plan?.write_bytes)],
  ];
  if (plan) rows.push(['engine', plan.ioengine]);
  return (
    <dl class="figures">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Curl({ body }: { body: Record<string, unknown> }) {
  const json = JSON.stringify(body).replace(/'/g, "'\\''");
  const url = `${location.origin}/api/v1/sweeps`;
  const command = json === '{}' ? `curl -X POST ${url}` : `curl --json '${json}' ${url}`;
  return (
    <div class="curl">
      <h3>The same with curl</h3>
      <code tabIndex={0}>{command}</code>
    </div>
  );
}
