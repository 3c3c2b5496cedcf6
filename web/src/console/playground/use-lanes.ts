/** The conversations side by side: what is asked of each model, what runs, and what of it this browser keeps. */
import { useEffect, useRef, useState } from 'react';
import { useMe } from '../../session.tsx';
import { type Kept, keepConversation } from './history.ts';
import type { Lane } from './lane.tsx';
import { ask, chatBodyOf, type Message, type Settings } from './talk.ts';

export const MOST_LANES = 3;

export function useLanes(firstModel: string, settings: Settings) {
  const [lanes, setLanes] = useState<Lane[]>([{ id: 1, model: firstModel, messages: [] }]);
  const [shown, setShown] = useState(1);
  const conversation = useRef<string>(crypto.randomUUID());
  const running = useRef(new Map<number, AbortController>());
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
  const stop = () => {
    for (const controller of running.current.values()) controller.abort();
  };
  useStopping(running);
  useKept(conversation, lanes, busy);
  return {
    lanes,
    shown,
    busy,
    show: setShown,
    change,
    run,
    stop,
    stopOne: (id: number) => running.current.get(id)?.abort(),
    send(text: string, images: string[]) {
      for (const lane of lanes)
        run(lane, [...settled(lane.messages), { role: 'user', text, ...(images.length === 0 ? {} : { images }) }]);
    },
    add(model: string) {
      const id = Math.max(...lanes.map((lane) => lane.id)) + 1;
      setLanes([...lanes, { id, model, messages: [] }]);
      setShown(id);
    },
    remove(id: number) {
      running.current.get(id)?.abort();
      const rest = lanes.filter((lane) => lane.id !== id);
      setLanes(rest);
      setShown(rest[0]?.id ?? 1);
    },
    begin() {
      stop();
      conversation.current = crypto.randomUUID();
      setLanes((before) => before.map((lane) => ({ ...lane, messages: [] })));
    },
    open(kept: Kept) {
      stop();
      conversation.current = kept.id;
      setLanes(kept.lanes.slice(0, MOST_LANES).map((lane, index) => ({ id: index + 1, ...lane })));
      setShown(1);
    },
  };
}

export type Lanes = ReturnType<typeof useLanes>;

/** Escape stops every answer; so does leaving the page, since an answer that nobody can see is not to be paid for. */
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

function useKept(conversation: { current: string }, lanes: readonly Lane[], busy: boolean): void {
  const person = useMe().person.id;
  useEffect(() => {
    const first = lanes[0]?.messages.find(({ role }) => role === 'user');
    if (first === undefined || busy) return;
    keepConversation({
      id: conversation.current,
      person,
      title: first.text.slice(0, 80),
      at: Date.now(),
      lanes: lanes.map(({ model, messages }) => ({ model, messages })),
    });
  }, [conversation, person, lanes, busy]);
}

/** Without an answer that failed or never began: it is not part of what the model is told. */
export function settled(messages: readonly Message[]): Message[] {
  return messages.filter(
    ({ role, text, toolCalls, error }) =>
      role !== 'assistant' || (error === undefined && (text !== '' || toolCalls !== undefined)),
  );
}
