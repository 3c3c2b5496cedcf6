/** The service itself: database, admission, journal, load. */
import type { getHealth } from '../../../server/src/http/admin/routes/service.ts';
import { useRead } from '../api/read.ts';
import { useFormat } from '../format.ts';
import { Code, PageHead, Panel, Pill } from '../parts/small.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { useWords } from './words.ts';

interface Health {
  draining?: boolean;
  overloaded?: boolean;
  running_requests?: number;
  database?: string;
  admission?: { mode?: string };
  journal?: { depth?: number; accepting?: boolean };
}

export default function SystemPage() {
  const words = useWords();
  const format = useFormat();
  const read = useRead<typeof getHealth>('GET /api/admin/health', {});
  if (read.error !== null) return <Trouble error={read.error} again={() => void read.refetch()} />;
  const health = (read.data ?? {}) as Health;
  const yes = (value: boolean | undefined) => (
    <Pill tone={value === true ? 'warn' : 'ok'}>{value === true ? words.yes : words.no}</Pill>
  );
  return (
    <>
      <PageHead title={words.nav.system}>
        <button type="button" className="btn" onClick={() => void read.refetch()}>
          {words.verify}
        </button>
      </PageHead>
      <Panel title={words.nav.system}>
        <dl className="facts pad">
          <dt>{words.database}</dt>
          <dd>
            <Pill tone={health.database === 'ok' ? 'ok' : 'bad'}>
              {health.database === 'ok' ? words.ok : (health.database ?? '—')}
            </Pill>
          </dd>
          <dt>{words.admission}</dt>
          <dd>
            <bdi dir="ltr">{health.admission?.mode ?? '—'}</bdi>
          </dd>
          <dt>{words.journal}</dt>
          <dd>{format.number(health.journal?.depth ?? 0)}</dd>
          <dt>{words.running}</dt>
          <dd>{format.number(health.running_requests ?? 0)}</dd>
          <dt>{words.overloaded}</dt>
          <dd>{yes(health.overloaded)}</dd>
          <dt>{words.draining}</dt>
          <dd>{yes(health.draining)}</dd>
        </dl>
        <div className="pad under">
          <Code text={JSON.stringify(read.data ?? {}, null, 2)} />
        </div>
      </Panel>
    </>
  );
}
