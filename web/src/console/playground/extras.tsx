/** The same request as code, and earlier conversations of this browser. */
import { useState } from 'react';
import { useFormat } from '../../format.ts';
import { Code } from '../../parts/copyable.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Segments } from '../../parts/segments.tsx';
import { useMe } from '../../session.tsx';
import { asCode } from './as-code.ts';
import { forgetConversations, keptConversations } from './history.ts';
import { useWords } from './words.ts';

export function CodeDialog({ body, onClose }: { body: Record<string, unknown>; onClose(): void }) {
  const words = useWords();
  const samples = asCode(body);
  const [shown, setShown] = useState('curl');
  return (
    <Dialog title={words.codeTitle} wide onClose={onClose}>
      <p>{words.codeKey}</p>
      <Segments
        label={words.code}
        value={shown}
        onChange={setShown}
        options={samples.map(({ id, name }) => [id, name] as const)}
      />
      <Code text={samples.find(({ id }) => id === shown)?.code ?? ''} />
    </Dialog>
  );
}

export function History({
  onOpen,
  onClose,
}: {
  onOpen(kept: ReturnType<typeof keptConversations>[number]): void;
  onClose(): void;
}) {
  const words = useWords();
  const format = useFormat();
  const person = useMe().person.id;
  const [kept, setKept] = useState(() => keptConversations(person));
  return (
    <Dialog
      title={words.history}
      onClose={onClose}
      footer={
        <button
          type="button"
          className="btn"
          disabled={kept.length === 0}
          onClick={() => {
            forgetConversations();
            setKept([]);
          }}
        >
          {words.forget}
        </button>
      }
    >
      <p className="mid">{words.historyHint}</p>
      {kept.length === 0 && <p className="dim">{words.noHistory}</p>}
      {kept.map((conversation) => (
        <button key={conversation.id} type="button" className="btn plain start" onClick={() => onOpen(conversation)}>
          <span className="grow cut-short">
            <bdi>{conversation.title}</bdi>
          </span>
          <span className="xs dim">{format.ago(conversation.at)}</span>
        </button>
      ))}
    </Dialog>
  );
}
