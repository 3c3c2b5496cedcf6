/** The playground: up to three models side by side, streamed through the session and charged to a visible key. */
import { useEffect, useRef, useState } from 'react';
import type { listBases } from '../../../../server/src/http/console/routes/knowledge.ts';
import type { getPlayground } from '../../../../server/src/http/console/routes/playground.ts';
import { useAddress } from '../../address.ts';
import { useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Icon } from '../../parts/icon.tsx';
import { Segments } from '../../parts/small.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { Compose } from './compose.tsx';
import { CodeDialog, History } from './extras.tsx';
import { keepConversation } from './history.ts';
import { type Lane, Talk } from './lane.tsx';
import { SettingsDialog } from './settings.tsx';
import { ask, chatBodyOf, type Message, NO_SETTINGS, type Settings } from './talk.ts';
import { useWords } from './words.ts';

const MOST_LANES = 3;

export default function PlaygroundPage() {
  const words = useWords();
  const format = useFormat();
  const address = useAddress();
  const [settings, setSettings] = useState<Settings>(() => ({
    ...NO_SETTINGS,
    bases: address.get('base') === undefined ? [] : [address.get('base') ?? ''],
  }));
  const [lanes, setLanes] = useState<Lane[]>([{ id: 1, model: address.get('model') ?? 'sandbox/hello', messages: [] }]);
  const [shown, setShown] = useState(1);
  const [dialog, setDialog] = useState<'settings' | 'code' | 'history'>();
  const conversation = useRef<string>(crypto.randomUUID());
  const running = useRef(new Map<number, AbortController>());
  const playground = useRead<typeof getPlayground>('GET /api/console/playground', {});
  const bases = useRead<typeof listBases>('GET /api/console/knowledge-bases', { query: {} }).data?.data ?? [];
  const models = ((playground.data?.models as { id: string; kind: string }[] | undefined) ?? [])
    .filter(({ kind }) => kind === 'chat')
    .map(({ id }) => id);
  const busy = lanes.some(({ messages }) => messages.at(-1)?.running === true);

  const change = (id: number, update: (lane: Lane) => Lane) =>
    setLanes((before) => before.map((lane) => (lane.id === id ? update(lane) : lane)));
  const run = (lane: Lane, messages: Message[]) => {
    running.current.get(lane.id)?.abort();
    const controller = new AbortController();
    running.current.set(lane.id, controller);
    change(lane.id, (old) => ({ ...old, messages }));
    void ask(chatBodyOf(lane.model, messages, settings), controller.signal, (answer) => {
      if (running.current.get(lane.id) === controller)
        change(lane.id, (old) => ({ ...old, messages: [...messages, answer] }));
    });
  };
  const send = (text: string, images: string[]) => {
    for (const lane of lanes)
      run(lane, [...settled(lane.messages), { role: 'user', text, ...(images.length === 0 ? {} : { images }) }]);
  };
  const stop = () => {
    for (const controller of running.current.values()) controller.abort();
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') for (const controller of running.current.values()) controller.abort();
    };
    addEventListener('keydown', onKey);
    // An answer that nobody can see any more is not paid for either.
    return () => {
      removeEventListener('keydown', onKey);
      for (const controller of running.current.values()) controller.abort();
    };
  }, []);
  useEffect(() => {
    const first = lanes[0]?.messages.find(({ role }) => role === 'user');
    if (first !== undefined && !busy) {
      keepConversation({
        id: conversation.current,
        title: first.text.slice(0, 80),
        at: Date.now(),
        lanes: lanes.map(({ model, messages }) => ({ model, messages })),
      });
    }
  }, [lanes, busy]);
  const fresh = () => {
    stop();
    conversation.current = crypto.randomUUID();
    setLanes((before) => before.map((lane) => ({ ...lane, messages: [] })));
  };
  if (playground.error !== null && playground.data === undefined)
    return <Trouble error={playground.error} again={() => void playground.refetch()} />;
  const asked = lanes.find(({ id }) => id === shown) ?? lanes[0];
  const base = bases.find(({ id }) => settings.bases.includes(id));
  return (
    <div className="desk">
      <div className="desk-bar">
        <h1>{words.title}</h1>
        <button type="button" className="chip" onClick={() => setDialog('settings')}>
          <Icon name="gear" />
          {words.settings}
          {settings.temperature !== null && (
            <>
              {words.temperature} <b>{format.number(settings.temperature)}</b>
            </>
          )}
        </button>
        {base !== undefined && (
          <button type="button" className="chip on" onClick={() => setSettings({ ...settings, bases: [] })}>
            <Icon name="book" />
            <b>
              <bdi>{base.name}</bdi>
            </b>
            <Icon name="x" />
          </button>
        )}
        <span className="grow" />
        <button
          type="button"
          className="btn small"
          onClick={() => setDialog('history')}
          aria-label={words.history}
          title={words.history}
        >
          <Icon name="clock" />
        </button>
        <button type="button" className="btn small" onClick={fresh} aria-label={words.fresh} title={words.fresh}>
          <Icon name="edit" />
        </button>
        {lanes.length < MOST_LANES && (
          <button
            type="button"
            className="btn small"
            onClick={() => {
              const id = Math.max(...lanes.map((lane) => lane.id)) + 1;
              const other = models.find((model) => lanes.every((lane) => lane.model !== model));
              setLanes([...lanes, { id, model: other ?? 'sandbox/hello', messages: [] }]);
              setShown(id);
            }}
          >
            <Icon name="plus" />
            {words.addModel(words.ordinals[lanes.length] ?? '')}
          </button>
        )}
        <button type="button" className="btn small" onClick={() => setDialog('code')}>
          <Icon name="code" />
          {words.code}
        </button>
        {lanes.length > 1 && (
          <div className="only-s wide-row">
            <Segments
              label={words.model}
              value={String(shown)}
              onChange={(next) => setShown(Number(next))}
              options={lanes.map(
                ({ id, model }) => [String(id), <bdi key={id}>{model.split('/').at(-1)}</bdi>] as const,
              )}
            />
          </div>
        )}
      </div>
      <div className={`lanes of-${lanes.length}`}>
        {lanes.map((lane) => (
          <Talk
            key={lane.id}
            lane={lane}
            models={models}
            shown={lane.id === shown}
            onModel={(model) => change(lane.id, (old) => ({ ...old, model }))}
            onRemove={
              lanes.length > 1
                ? () => {
                    running.current.get(lane.id)?.abort();
                    const rest = lanes.filter(({ id }) => id !== lane.id);
                    setLanes(rest);
                    setShown(rest[0]?.id ?? 1);
                  }
                : undefined
            }
            onStop={() => running.current.get(lane.id)?.abort()}
            onRun={(messages) => run(lane, messages)}
            onExample={(text) => send(text, [])}
          />
        ))}
      </div>
      <Compose count={lanes.length} busy={busy} onSend={send} onStop={stop} keyId={playground.data?.key.id} />
      {dialog === 'settings' && (
        <SettingsDialog settings={settings} bases={bases} onChange={setSettings} onClose={() => setDialog(undefined)} />
      )}
      {dialog === 'code' && (
        <CodeDialog
          body={chatBodyOf(asked?.model ?? '', settled(asked?.messages ?? []), settings)}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === 'history' && (
        <History
          onClose={() => setDialog(undefined)}
          onOpen={(kept) => {
            stop();
            conversation.current = kept.id;
            setLanes(
              kept.lanes.slice(0, MOST_LANES).map(({ model, messages }, index) => ({ id: index + 1, model, messages })),
            );
            setShown(1);
            setDialog(undefined);
          }}
        />
      )}
    </div>
  );
}

/** Without an answer that failed or never began: it is not part of what the model is told. */
function settled(messages: readonly Message[]): Message[] {
  return messages.filter(
    ({ role, text, toolCalls, error }) =>
      role !== 'assistant' || (error === undefined && (text !== '' || toolCalls !== undefined)),
  );
}
