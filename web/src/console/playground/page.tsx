/** The playground: up to three models side by side, streamed through the session and charged to a visible key. */
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { getPlayground } from '../../../../server/src/http/console/routes/keys.ts';
import type { listBases } from '../../../../server/src/http/console/routes/knowledge.ts';
import { useAddress } from '../../address.ts';
import { useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { dataUrlOf } from '../../parts/attach.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Amount, Code, Empty, Segments } from '../../parts/small.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useDaily } from '../keys/page.tsx';
import { Said } from './answer.tsx';
import { asCode } from './as-code.ts';
import { forgetConversations, keepConversation, keptConversations } from './history.ts';
import { SettingsDialog } from './settings.tsx';
import { ask, bodyOf, type Message, NO_SETTINGS, type Settings, type ToolCall } from './talk.ts';
import { useWords } from './words.ts';

interface Lane {
  id: number;
  model: string;
  messages: Message[];
}

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
  const models = ((playground.data?.models as { id: string; type?: string; kind?: string }[] | undefined) ?? []).map(
    ({ id }) => id,
  );
  const busy = lanes.some(({ messages }) => messages.at(-1)?.running === true);

  const change = (id: number, update: (lane: Lane) => Lane) =>
    setLanes((before) => before.map((lane) => (lane.id === id ? update(lane) : lane)));
  const run = (lane: Lane, messages: Message[]) => {
    running.current.get(lane.id)?.abort();
    const controller = new AbortController();
    running.current.set(lane.id, controller);
    change(lane.id, (old) => ({ ...old, messages }));
    void ask(bodyOf(lane.model, messages, settings), controller.signal, (answer) => {
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
    return () => removeEventListener('keydown', onKey);
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
              setLanes([...lanes, { id, model: models[lanes.length] ?? 'sandbox/hello', messages: [] }]);
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
          />
        ))}
      </div>
      <Compose count={lanes.length} busy={busy} onSend={send} onStop={stop} keyId={playground.data?.key.id} />
      {dialog === 'settings' && (
        <SettingsDialog settings={settings} bases={bases} onChange={setSettings} onClose={() => setDialog(undefined)} />
      )}
      {dialog === 'code' && (
        <CodeDialog
          body={bodyOf(lanes[0]?.model ?? '', settled(lanes[0]?.messages ?? []), settings)}
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

function Talk({
  lane,
  models,
  shown,
  onModel,
  onRemove,
  onStop,
  onRun,
}: {
  lane: Lane;
  models: readonly string[];
  shown: boolean;
  onModel(model: string): void;
  onRemove?: (() => void) | undefined;
  onStop(): void;
  onRun(messages: Message[]): void;
}) {
  const words = useWords();
  const format = useFormat();
  const end = useRef<HTMLDivElement>(null);
  const last = lane.messages.at(-1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view follows the growing answer.
  useEffect(() => {
    const box = end.current?.parentElement;
    if (box && box.scrollHeight - box.scrollTop - box.clientHeight < 160) box.scrollTop = box.scrollHeight;
  }, [last?.text.length]);
  const toolResult = (index: number) => (call: ToolCall, result: string) =>
    onRun([...lane.messages.slice(0, index + 1), { role: 'tool', text: result, toolCallId: call.id }]);
  return (
    <section className={shown ? 'talk shown' : 'talk'} aria-label={lane.model}>
      <header>
        <input
          className="input"
          dir="ltr"
          list="playground-models"
          aria-label={words.model}
          value={lane.model}
          onChange={(event) => onModel(event.target.value)}
        />
        <datalist id="playground-models">
          {models.map((model) => (
            <option key={model} value={model} />
          ))}
        </datalist>
        {last?.running === true && (
          <button type="button" className="btn small" onClick={onStop}>
            <Icon name="stop" />
            {words.stop}
          </button>
        )}
        {onRemove !== undefined && (
          <Menu label={words.removeModel} items={[{ name: words.removeModel, icon: 'trash', run: onRemove }]} />
        )}
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <div className="msgs" tabIndex={0} aria-live="polite">
        {lane.messages.length === 0 && (
          <Empty title={words.empty} text={words.emptyText}>
            {words.examples.map((example) => (
              <button
                key={example}
                type="button"
                className="chip"
                onClick={() => onRun([{ role: 'user', text: example }])}
              >
                {example}
              </button>
            ))}
          </Empty>
        )}
        {lane.messages.map((message, index) => (
          <Said
            // biome-ignore lint/suspicious/noArrayIndexKey: messages are only added at the end or cut off there.
            key={index}
            message={message}
            onEdit={(text) => onRun([...lane.messages.slice(0, index), { ...message, text }])}
            onRegenerate={
              index === lane.messages.length - 1 && message.role === 'assistant'
                ? () => onRun(lane.messages.slice(0, index))
                : undefined
            }
            onToolResult={index === lane.messages.length - 1 ? toolResult(index) : undefined}
          />
        ))}
        <div ref={end} />
      </div>
      {last?.role === 'assistant' && (
        <footer>
          {last.cost !== undefined && (
            <span>
              <b>
                <Amount value={last.cost} />
              </b>{' '}
              {words.toman}
            </span>
          )}
          {last.inputTokens !== undefined && (
            <span>{words.usage(format.number(last.inputTokens), format.number(last.outputTokens ?? 0))}</span>
          )}
          {last.firstMs !== undefined && <span>{words.first(format.seconds(last.firstMs))}</span>}
          {last.totalMs !== undefined && <span>{words.total(format.seconds(last.totalMs))}</span>}
          <span className="grow" />
          {last.requestId !== undefined && last.running !== true && (
            <Link href={`/console/requests/${last.requestId}`}>{words.receipt}</Link>
          )}
        </footer>
      )}
    </section>
  );
}

function Compose({
  count,
  busy,
  onSend,
  onStop,
  keyId,
}: {
  count: number;
  busy: boolean;
  onSend(text: string, images: string[]): void;
  onStop(): void;
  keyId: string | undefined;
}) {
  const words = useWords();
  const format = useFormat();
  const [text, setText] = useState('');
  const [images, setImages] = useState<string[]>([]);
  const send = () => {
    if (text.trim() === '' || busy) return;
    onSend(text, images);
    setText('');
    setImages([]);
  };
  return (
    <form
      className="compose"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {images.length > 0 && (
        <div className="row">
          {images.map((source) => (
            <button
              key={source.slice(-40)}
              type="button"
              className="btn icon"
              aria-label={words.removeModel}
              onClick={() => setImages(images.filter((other) => other !== source))}
            >
              <img className="thumb" src={source} alt="" />
            </button>
          ))}
        </div>
      )}
      <div className="box">
        <label className="btn icon" title={words.attach}>
          <Icon name="image" />
          <span className="vh">{words.attach}</span>
          <input
            className="vh"
            type="file"
            accept="image/*"
            multiple
            onChange={(event) => {
              const files = [...(event.target.files ?? [])];
              void Promise.all(files.map(dataUrlOf)).then((found) => setImages([...images, ...found].slice(0, 8)));
              event.target.value = '';
            }}
          />
        </label>
        <textarea
          rows={Math.min(8, text.split('\n').length)}
          dir="auto"
          aria-label={words.message}
          placeholder={count > 1 ? words.placeholder(format.number(count)) : words.placeholderOne}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (
              event.key === 'Enter' &&
              (event.metaKey || event.ctrlKey || (!event.shiftKey && !event.nativeEvent.isComposing))
            ) {
              event.preventDefault();
              send();
            }
          }}
        />
        {busy ? (
          <button type="button" className="btn" onClick={onStop}>
            <Icon name="stop" />
            {words.stop}
          </button>
        ) : (
          <button type="submit" className="btn main" disabled={text.trim() === ''} aria-label={words.send}>
            <Icon name="send" flip />
            <span className="hs">{words.send}</span>
          </button>
        )}
      </div>
      <div className="row between xs dim">
        <span>
          {words.charged} {keyId !== undefined && <Charged id={keyId} />}
        </span>
        <span className="hs">
          <kbd dir="ltr">↵</kbd> {words.send} · <kbd dir="ltr">Esc</kbd> {words.stop}
        </span>
      </div>
    </form>
  );
}

function Charged({ id }: { id: string }) {
  const words = useWords();
  const format = useFormat();
  const daily = useDaily(id);
  if (daily === undefined) return null;
  return daily.limit === null
    ? words.todayFree(format.money(daily.spent))
    : words.today(format.money(daily.spent), format.money(daily.limit));
}

function CodeDialog({ body, onClose }: { body: Record<string, unknown>; onClose(): void }) {
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

function History({
  onOpen,
  onClose,
}: {
  onOpen(kept: ReturnType<typeof keptConversations>[number]): void;
  onClose(): void;
}) {
  const words = useWords();
  const format = useFormat();
  const [kept, setKept] = useState(keptConversations);
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
          <bdi className="grow">{conversation.title}</bdi>
          <span className="xs dim">{format.ago(conversation.at)}</span>
        </button>
      ))}
    </Dialog>
  );
}
