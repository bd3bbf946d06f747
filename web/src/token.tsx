// Asks for the bearer token when the daemon answers 401. Kept for this tab alone.
import { useEffect, useRef, useState } from 'preact/hooks';
import { onTokenNeeded, Problem } from './api';

interface Question {
  refused: boolean;
  answer(token: string): void;
  refuse(reason: Problem): void;
}

export function TokenDialog() {
  const [question, setQuestion] = useState<Question | null>(null);
  const [text, setText] = useState('');
  const dialog = useRef<HTMLDialogElement>(null);

  useEffect(() => onTokenNeeded((refused) => new Promise((answer, refuse) => {
    setText('');
    setQuestion({ refused, answer, refuse });
  })), []);
  useEffect(() => {
    if (question !== null && dialog.current?.open === false) dialog.current.showModal();
    if (question === null) dialog.current?.close();
  }, [question]);

  const give = (event: Event) => {
    event.preventDefault();
    if (text.trim() === '') return;
    question?.answer(text.trim());
    setQuestion(null);
  };
  const dismiss = () => {
    question?.refuse(new Problem(401, 'Unauthorized', 'This needs the daemon’s token.'));
    setQuestion(null);
  };
  return (
    <dialog ref={dialog} class="token" aria-labelledby="token-title"
      onCancel={dismiss}>
      <form onSubmit={give}>
        <h2 id="token-title">This daemon wants a token</h2>
        <p>
          {question?.refused
            ? 'That token was not accepted.'
            : 'It stands in the file that token_file names in its configuration.'}
          {' '}It is kept until this tab is closed.
        </p>
        <label for="token">token</label>
        <input id="token" type="password" autocomplete="off" value={text}
          onInput={(event) => setText(event.currentTarget.value)} />
        <div class="token-buttons">
          <button type="submit" class="main">Use it</button>
          <button type="button" onClick={dismiss}>Not now</button>
        </div>
      </form>
    </dialog>
  );
}
