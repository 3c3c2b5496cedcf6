/** Conversations of this browser: words only, at most twenty, never another person's, and gone with the sign-out. */
import type { Message } from './talk.ts';

export interface Kept {
  id: string;
  /** Whose it is, because a session may have ended without a sign-out. */
  person: string;
  title: string;
  at: number;
  /** The columns, under the name that browsers have kept them by. */
  lanes: Column[];
}

interface Column {
  model: string;
  messages: Message[];
}

const NAME = 'dargah.playground';
const MAX = 20;

export function keptConversations(person: string): Kept[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(NAME) ?? '[]');
    return Array.isArray(found) ? (found as Kept[]).filter((kept) => kept.person === person) : [];
  } catch {
    return [];
  }
}

export function keepConversation(conversation: Kept): void {
  const others = keptConversations(conversation.person).filter(({ id }) => id !== conversation.id);
  const lanes = conversation.lanes
    .map(withoutPictures)
    .map((column) => ({ ...column, messages: column.messages.map((message) => ({ ...message, running: false })) }));
  try {
    localStorage.setItem(NAME, JSON.stringify([{ ...conversation, lanes }, ...others].slice(0, MAX)));
  } catch {
    // When the store is full the history is lost, not the conversation on the screen.
  }
}

/** Pictures are left out: they are as large as a browser's whole store. */
export function withoutPictures<L extends Column>(column: L): L {
  return { ...column, messages: column.messages.map(({ images: _images, ...message }) => message) };
}

export function forgetConversations(): void {
  localStorage.removeItem(NAME);
}
