/** What the operator has to say, and incidents that are not over: above everything else, until it is no longer in force. */
import type { getIncidents, listOwnAnnouncements } from '../../../../server/src/http/console/routes/tickets.ts';
import { useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Moment } from '../../parts/figures.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useTexts } from './texts.ts';

export function Announcements() {
  const texts = useTexts();
  const { language } = useFormat();
  const said = useRead<typeof listOwnAnnouncements>('GET /api/console/announcements', {}).data?.data ?? [];
  const incidents = (useRead<typeof getIncidents>('GET /api/console/incidents', {}).data?.data ?? []).filter(
    ({ state }) => state !== 'resolved',
  );
  if (said.length === 0 && incidents.length === 0) return null;
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
      {said.map(({ id, title, text, from }) => (
        <div key={id} className="note is-info">
          <Icon name="horn" />
          <div>
            <b dir="auto">{sentence(title[language])}</b> <span dir="auto">{text[language]}</span>{' '}
            <span className="xs">
              <Moment at={from} />
            </span>
          </div>
        </div>
      ))}
    </section>
  );
}

/** A title ends before its text begins, whether or not its writer put the stop. */
function sentence(title: string): string {
  return /[.!?؟:…]$/.test(title.trim()) ? title.trim() : `${title.trim()}.`;
}
