/** Who was told of an outage, by which channel, and what became of each message. */
import type { listOutageTold } from '@dargah/api/admin/outages.ts';
import { useState } from 'react';
import { useRead } from '../../api/read.ts';
import { Drawer } from '../../parts/drawer.tsx';
import { Moment } from '../../parts/figures.tsx';
import { Empty } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useAlertTexts } from '../staff/alerts/texts.ts';
import { useOutageTexts } from './texts.ts';

const TONES = { waiting: 'warn', sent: 'ok', failed: 'bad' } as const;

export function WhoWasTold({ id }: { id: string }) {
  const texts = useOutageTexts();
  const [shown, setShown] = useState(false);
  return (
    <>
      <button type="button" className="btn plain small" onClick={() => setShown(true)}>
        {texts.told}
      </button>
      {shown && <Told id={id} onClose={() => setShown(false)} />}
    </>
  );
}

function Told({ id, onClose }: { id: string; onClose(): void }) {
  const texts = useOutageTexts();
  const { channels } = useAlertTexts();
  const read = useRead<typeof listOutageTold>('GET /api/admin/outages/:id/told', { params: { id } });
  const rows = read.data?.data;
  return (
    <Drawer title={texts.told} onClose={onClose}>
      {read.error !== null && rows === undefined ? (
        <Trouble error={read.error} again={() => void read.refetch()} />
      ) : (
        <Table
          label={texts.told}
          dense
          rows={rows}
          idOf={(row) => `${row.person_id} ${row.channel} ${row.phase} ${row.at}`}
          empty={<Empty title={texts.nobodyTold} text={texts.nobodyToldText} />}
          columns={[
            { id: 'person', head: texts.person, fold: 'c1', cell: ({ name }) => <bdi>{name}</bdi> },
            {
              id: 'way',
              head: texts.way,
              fold: 'c3',
              cell: ({ channel, phase }) => `${channels[channel]}، ${texts.phases[phase]}`,
            },
            {
              id: 'state',
              head: texts.state,
              fold: 'c2',
              cell: ({ state, problem }) => (
                <>
                  <Pill tone={TONES[state]}>{texts.sendings[state]}</Pill>
                  {problem !== null && (
                    <span className="sub">
                      <bdi>{problem}</bdi>
                    </span>
                  )}
                </>
              ),
            },
            { id: 'at', head: texts.when, fold: 'c4', className: 'mid nowrap', cell: ({ at }) => <Moment at={at} /> },
          ]}
        />
      )}
    </Drawer>
  );
}
