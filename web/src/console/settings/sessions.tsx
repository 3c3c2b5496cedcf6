import type { endOtherSessions, endSession, listSessions } from '../../../../server/src/http/console/routes/me.ts';
import { useChange, useRead } from '../../api/read.ts';
import { Id } from '../../parts/copyable.tsx';
import { Moment } from '../../parts/figures.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { Table } from '../../parts/table.tsx';
import { useTexts } from './texts.ts';

export function Sessions() {
  const texts = useTexts();
  const list = useRead<typeof listSessions>('GET /api/console/me/sessions', {}).data?.data;
  const stale = ['GET /api/console/me/sessions'];
  const end = useChange<typeof endSession>('DELETE /api/console/me/sessions/:id', { stale });
  const others = useChange<typeof endOtherSessions>('POST /api/console/me/sessions/end-others', { stale });
  return (
    <Panel
      title={texts.sessions}
      aside={
        <button
          type="button"
          className="btn small"
          disabled={others.isPending || (list?.length ?? 0) < 2}
          onClick={() => others.mutate({})}
        >
          {texts.endOthers}
        </button>
      }
    >
      <Table
        label={texts.sessions}
        rows={list}
        idOf={({ id }) => id}
        skeleton={2}
        columns={[
          {
            id: 'device',
            head: texts.device,
            fold: 'c1',
            cell: ({ agent, current }) => (
              <>
                <bdi>{deviceOf(agent)}</bdi> {current && <span className="tag">{texts.thisOne}</span>}
              </>
            ),
          },
          {
            id: 'address',
            head: texts.from,
            fold: 'c3',
            cell: ({ address }) => address !== null && <Id value={address} />,
          },
          { id: 'seen', head: texts.seen, fold: 'c4', className: 'mid', cell: ({ seen_at: at }) => <Moment at={at} /> },
          {
            id: 'end',
            head: '',
            fold: 'c2',
            cell: ({ id, current }) =>
              !current && (
                <button type="button" className="btn small" onClick={() => end.mutate({ params: { id } })}>
                  {texts.end}
                </button>
              ),
          },
        ]}
      />
    </Panel>
  );
}

/** "Chrome, Linux" from what a browser says of itself. */
function deviceOf(agent: string | null): string {
  if (agent === null) return '—';
  const browser = /(Edg|OPR|Firefox|Chrome|Safari|curl|python|node)/.exec(agent)?.[1] ?? agent.slice(0, 24);
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(agent)?.[1];
  return [browser.replace('Edg', 'Edge').replace('OPR', 'Opera'), system].filter(Boolean).join(', ');
}
