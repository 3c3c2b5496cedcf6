/** Announcements and open incidents, above everything else, until they are no longer in force. */
import type { getIncidents, listOwnAnnouncements } from '@dargah/api/console/tickets.ts';
import { useState } from 'react';
import { useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Moment } from '../../parts/figures.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useShared } from '../../texts/shared.ts';
import { useTexts } from './texts.ts';

const CLOSED_KEY = 'dargah.closed-announcements';
const MAX_KEPT = 100;

/** What somebody closed stays closed in this browser; a new announcement has another id. */
function useClosed(): [ReadonlySet<string>, (id: string) => void] {
  const [closed, setClosed] = useState<readonly string[]>(() => {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(CLOSED_KEY) ?? '[]');
      return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [];
    } catch {
      return [];
    }
  });
  const close = (id: string) => {
    const next = [id, ...closed.filter((one) => one !== id)].slice(0, MAX_KEPT);
    setClosed(next);
    localStorage.setItem(CLOSED_KEY, JSON.stringify(next));
  };
  return [new Set(closed), close];
}

export function Announcements() {
  const texts = useTexts();
  const { language } = useFormat();
  const shared = useShared();
  const [closed, close] = useClosed();
  const announcements = (
    useRead<typeof listOwnAnnouncements>('GET /api/console/announcements', {}).data?.data ?? []
  ).filter(({ id }) => !closed.has(id));
  const incidents = (useRead<typeof getIncidents>('GET /api/console/incidents', {}).data?.data ?? []).filter(
    ({ state }) => state !== 'resolved',
  );
  if (announcements.length === 0 && incidents.length === 0) return null;
  return (
    <section className="panel" aria-label={texts.news}>
      {incidents.map(({ id, title, updates }) => (
        <div key={id} className="note is-warn">
          <Icon name="warn" />
          <div>
            <b dir="auto">{sentence(title[language])}</b> <span dir="auto">{updates.at(-1)?.text[language]}</span>{' '}
            <a href="/status">{texts.status}</a>
          </div>
        </div>
      ))}
      {announcements.map(({ id, title, text, from }) => (
        <div key={id} className="note is-info">
          <Icon name="horn" />
          <div>
            <b dir="auto">{sentence(title[language])}</b> <span dir="auto">{text[language]}</span>{' '}
            <span className="xs">
              <Moment at={from} />
            </span>
          </div>
          <button
            type="button"
            className="btn icon small plain apart"
            aria-label={`${shared.close}: ${title[language]}`}
            onClick={() => close(id)}
          >
            <Icon name="x" />
          </button>
        </div>
      ))}
    </section>
  );
}

/** A title gets a full stop before its text, unless its writer put one. */
function sentence(title: string): string {
  return /[.!?؟:…]$/.test(title.trim()) ? title.trim() : `${title.trim()}.`;
}
