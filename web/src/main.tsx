// The page: wires what it knows to what it shows.
import { render } from 'preact';
import { AskForm } from './form';
import { SweepList } from './list';
import { goTo, useHistory, useLive, useRoute, useSurroundings, useSweep } from './state';
import type { Link } from './state';
import './style.css';
import type { System } from './model';
import { SweepView } from './sweep';
import { TokenDialog } from './token';

const link_text: Record<Link, string> = {
  connecting: 'connecting',
  live: 'live',
  lost: 'connection lost',
};

function App() {
  const route = useRoute();
  const id = route.page === 'sweep' ? route.id : null;
  const history = useHistory();
  const shown = useSweep(id);
  const surroundings = useSurroundings();
  const everything = () => {
    history.refresh();
    shown.refresh();
    surroundings.refresh();
  };
  const live = useLive({
    onChange: (sweep, kind) => {
      if (sweep === id) shown.refresh();
      if (kind !== 'state') return;
      history.refresh();
      surroundings.refresh();
    },
    onReconnect: everything,
  });
  const onDone = (sweep: number, deleted: boolean) => {
    if (deleted && sweep === id) {
      goTo(null);
      history.refresh(); // and not what is gone
    } else {
      everything();
    }
  };

  return (
    <>
      <Masthead link={live.link} system={surroundings.system} asking={id === null} />
      <main>
        {id === null
          ? <AskForm targets={surroundings.targets} onQueued={(sweep) => {
              history.refresh();
              goTo(sweep.id);
            }} />
          : <SweepView key={id} id={id} shown={shown} progress={live.progress.get(id) ?? null}
              link={live.link} onDone={onDone} />}
      </main>
      <SweepList history={history} progress={live.progress} current={id} onDone={onDone} />
      <TokenDialog />
    </>
  );
}

interface MastheadProps {
  link: Link;
  system: System | null;
  asking: boolean;
}

function Masthead({ link, system, asking }: MastheadProps) {
  const machine = system === null ? [] : [system.host, system.os, system.cpu];
  return (
    <header class="masthead">
      <a class="wordmark" href="#/" aria-label="iobenchd">
        <svg viewBox="0 0 32 22" width="32" height="22" aria-hidden="true">
          <rect x="15" y="0" width="7" height="22" class="mark-band" />
          <path d="M2 20C7 11 10 6 17 5c5-.7 9 .7 13 3" class="mark-line" />
          <circle cx="18.5" cy="4.9" r="3" class="mark-spot" />
        </svg>
        iobenchd
      </a>
      <span class="machine">{machine.filter((part) => part !== '').join(' · ')}</span>
      <span class={`link ${link}`} role="status">{link_text[link]}</span>
      {!asking && <a class="button" href="#/">New sweep</a>}
    </header>
  );
}

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
