/** The conversations side by side: what is asked of each model, what runs, and what of it this browser keeps. */
import { useEffect, useRef, useState } from 'react';
import { useMe } from '../../session.tsx';
import { type Kept, keepConversation } from './history.ts';
import type { ModelColumn } from './model-column.tsx';
import { ask, goOn } from './stream-answer.ts';
import { chatBodyOf, type Message, type Settings } from './talk.ts';
import { type KeptTalk, useKeptTalk } from './talk-of-tab.ts';

export const MAX_COLUMNS = 3;

type Begin = (signal: AbortSignal, onChange: (answer: Message) => void) => Promise<void>;

export interface ColumnTerms {
  firstModel: string;
  /** The model of a column for which none was chosen; it is empty until the models are known. */
  usual: string;
  settings: Settings;
  resumeSeconds: number;
  /** What was going on here when the page was loaded again. */
  begun: KeptTalk | undefined;
}

export function useModelColumns({ firstModel, usual, settings, resumeSeconds, begun }: ColumnTerms) {
  const [kept, setColumns] = useState<ModelColumn[]>(begun?.columns ?? [{ id: 1, model: firstModel, messages: [] }]);
  const columns = kept.map((column) => (column.model === '' ? { ...column, model: usual } : column));
  const [shown, setShown] = useState(columns[0]?.id ?? 1);
  const conversation = useRef<string>(begun?.conversation ?? crypto.randomUUID());
  const running = useRef(new Map<number, AbortController>());
  const busy = columns.some(({ messages }) => messages.at(-1)?.running === true);
  const change = (id: number, update: (column: ModelColumn) => ModelColumn) =>
    setColumns((before) => before.map((column) => (column.id === id ? update(column) : column)));
  const stream = (id: number, messages: Message[], begin: Begin) => {
    running.current.get(id)?.abort();
    const controller = new AbortController();
    running.current.set(id, controller);
    change(id, (old) => ({ ...old, messages }));
    void begin(controller.signal, (answer) => {
      if (running.current.get(id) === controller) change(id, (old) => ({ ...old, messages: [...messages, answer] }));
    });
  };
  const run = ({ id, model }: ModelColumn, messages: Message[]) =>
    stream(id, messages, (...how) => ask(chatBodyOf(model, messages, settings), resumeSeconds, ...how));
  const stop = () => {
    for (const controller of running.current.values()) controller.abort();
  };
  useStopping(running);
  useKept(conversation, columns, busy);
  useKeptTalk(busy ? { conversation: conversation.current, columns, settings } : undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was begun goes on once, when the page opens.
  useEffect(() => {
    for (const { id, messages } of begun?.columns ?? []) {
      const last = messages.at(-1);
      if (last?.running === true) stream(id, messages.slice(0, -1), (...how) => goOn(last, ...how));
    }
  }, []);
  return {
    columns,
    shown,
    busy,
    show: setShown,
    change,
    run,
    stop,
    stopOne: (id: number) => running.current.get(id)?.abort(),
    send(text: string, images: string[]) {
      for (const column of columns)
        run(column, [...settled(column.messages), { role: 'user', text, ...(images.length === 0 ? {} : { images }) }]);
    },
    add(model: string) {
      const id = Math.max(...columns.map((column) => column.id)) + 1;
      setColumns([...columns, { id, model, messages: [] }]);
      setShown(id);
    },
    remove(id: number) {
      running.current.get(id)?.abort();
      const rest = columns.filter((column) => column.id !== id);
      setColumns(rest);
      setShown(rest[0]?.id ?? 1);
    },
    begin() {
      stop();
      conversation.current = crypto.randomUUID();
      setColumns((before) => before.map((column) => ({ ...column, messages: [] })));
    },
    open(kept: Kept) {
      stop();
      conversation.current = kept.id;
      setColumns(kept.lanes.slice(0, MAX_COLUMNS).map((column, index) => ({ id: index + 1, ...column })));
      setShown(1);
    },
  };
}

export type ModelColumns = ReturnType<typeof useModelColumns>;

/** Escape stops every answer, and so does leaving the page: an answer that nobody can see should not be paid for. */
function useStopping(running: { current: Map<number, AbortController> }): void {
  useEffect(() => {
    const stopAll = () => {
      for (const controller of running.current.values()) controller.abort();
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') stopAll();
    };
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener('keydown', onKey);
      stopAll();
    };
  }, [running]);
}

function useKept(conversation: { current: string }, columns: readonly ModelColumn[], busy: boolean): void {
  const person = useMe().person.id;
  useEffect(() => {
    const first = columns[0]?.messages.find(({ role }) => role === 'user');
    if (first === undefined || busy) return;
    keepConversation({
      id: conversation.current,
      person,
      title: first.text.slice(0, 80),
      at: Date.now(),
      lanes: columns.map(({ model, messages }) => ({ model, messages })),
    });
  }, [conversation, person, columns, busy]);
}

/** Leaves out an answer that failed or never began, because the model must not read it. */
export function settled(messages: readonly Message[]): Message[] {
  return messages.filter(
    ({ role, text, toolCalls, error }) =>
      role !== 'assistant' || (error === undefined && (text !== '' || toolCalls !== undefined)),
  );
}
