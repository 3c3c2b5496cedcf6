/** The same request as code, and earlier conversations of this browser. */
import { useState } from 'react';
import { useFormat } from '../../format.ts';
import { Code } from '../../parts/copyable.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Segments } from '../../parts/segments.tsx';
import { useMe } from '../../session.tsx';
import { asCode } from './as-code.ts';
import { forgetConversations, keptConversations } from './history.ts';
import { useTexts } from './texts.ts';

export function CodeDialog({ body, onClose }: { body: Record<string, unknown>; onClose(): void }) {
  const texts = useTexts();
  const samples = asCode(body);
  const [shown, setShown] = useState('curl');
  return (
    <Dialog title={texts.codeTitle} wide onClose={onClose}>
      <p>{texts.codeKey}</p>
      <Segments
        label={texts.code}
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
  const texts = useTexts();
  const format = useFormat();
  const person = useMe().person.id;
  const [kept, setKept] = useState(() => keptConversations(person));
  return (
    <Dialog
      title={texts.history}
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
          {texts.forget}
        </button>
      }
    >
      <p className="mid">{texts.historyHint}</p>
      {kept.length === 0 && <p className="dim">{texts.noHistory}</p>}
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
