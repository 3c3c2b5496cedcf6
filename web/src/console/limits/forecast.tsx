/** What will run out at the pace of the last days: the balance, and the caps of the account and of its keys. */

import type { getForecast } from '@dargah/api/console/alerts.ts';
import { Link } from 'wouter';
import { useRead } from '../../api/read.ts';
import { Panel } from '../../parts/page-frame.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useOwnAccount } from '../../session.tsx';
import { useLanguage } from '../../texts/dictionary.tsx';
import { useTexts } from './texts.ts';

export function ForecastPanel() {
  const texts = useTexts();
  const language = useLanguage();
  const own = useOwnAccount();
  const read = useRead<typeof getForecast>('GET /api/console/forecast', {});
  const ending = read.data?.data
    .filter(({ ends_at: at }) => at !== null)
    .sort((one, other) => Date.parse(one.ends_at ?? '') - Date.parse(other.ends_at ?? ''));
  return (
    <Panel title={texts.forecast}>
      {read.error !== null ? (
        <Trouble error={read.error} again={() => void read.refetch()} />
      ) : (
        <div className="pad stack gap-s">
          {ending === undefined ? (
            <span className="skel w1" />
          ) : ending.length === 0 ? (
            <p className="mid">{texts.nothingEnds}</p>
          ) : (
            <ul className="stack gap-s">
              {ending.map(({ what, id, period, sentence }) => (
                <li key={`${what} ${id} ${period}`} className="row">
                  <span>{sentence[language]}</span>
                  {what === 'balance' && <Link href="/console/wallet">{texts.toWallet}</Link>}
                  {what === 'key' && own?.role !== 'billing' && <Link href={`/console/keys/${id}`}>{texts.toKey}</Link>}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </Panel>
  );
}
