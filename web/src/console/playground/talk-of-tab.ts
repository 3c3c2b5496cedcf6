/** What is being answered when the page is loaded again: this tab alone keeps it, and only while an answer runs. */
import { useEffect, useRef } from 'react';
import { accountOfCalls } from '../../api/call.ts';
import { useMe } from '../../session.tsx';
import { withoutPictures } from './history.ts';
import type { ModelColumn } from './model-column.tsx';
import type { Settings } from './talk.ts';

export interface KeptTalk {
  conversation: string;
  columns: ModelColumn[];
  settings: Settings;
}

const NAME = 'dargah.playground.running';

/** Undefined where nothing was running, or where it belonged to another person. */
export function keptTalk(person: string): KeptTalk | undefined {
  try {
    const found = JSON.parse(sessionStorage.getItem(NAME) ?? 'null') as (KeptTalk & { owner: string }) | null;
    return found?.owner === ownerOf(person) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Written only when the page may be about to close, not while an answer streams. */
export function useKeptTalk(talk: KeptTalk | undefined): void {
  const owner = ownerOf(useMe().person.id);
  const current = useRef(talk);
  current.current = talk;
  useEffect(() => {
    const forget = () => sessionStorage.removeItem(NAME);
    const keep = () => {
      const { current: running } = current;
      // Signing out removes it.
      if (running === undefined || accountOfCalls() === undefined) return forget();
      const columns = running.columns.map(withoutPictures);
      try {
        sessionStorage.setItem(NAME, JSON.stringify({ ...running, columns, owner }));
      } catch {
        // The store is full: after a reload the answer is found only by its receipt.
      }
    };
    const onVisibility = () => (document.visibilityState === 'hidden' ? keep() : forget());
    forget();
    addEventListener('pagehide', keep);
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      removeEventListener('pagehide', keep);
      document.removeEventListener('visibilitychange', onVisibility);
      forget();
    };
  }, [owner]);
}

function ownerOf(person: string): string {
  return `${person} ${accountOfCalls() ?? ''}`;
}
