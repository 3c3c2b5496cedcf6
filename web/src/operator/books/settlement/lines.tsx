/** The lines of a settlement in two lists, and what a person says of a line. */

import type { decideSettlementLine, getSettlement, listSettlementLines } from '@dargah/api/admin/settlements.ts';
import { useState } from 'react';
import { useAddress } from '../../../address.ts';
import type { Result } from '../../../api/call.ts';
import { useChange, usePages } from '../../../api/read.ts';
import { useFormat } from '../../../format.ts';
import { Id } from '../../../parts/copyable.tsx';
import { Dialog, DialogActs } from '../../../parts/dialog.tsx';
import { AmountCell } from '../../../parts/figures.tsx';
import { TextField } from '../../../parts/form.tsx';
import { Empty, Panel } from '../../../parts/page-frame.tsx';
import { Pill } from '../../../parts/pill.tsx';
import { Segments } from '../../../parts/segments.tsx';
import { type Column, MoreButton, Table } from '../../../parts/table.tsx';
import { useStaffMay } from '../../may.ts';
import { STALE } from './stale.ts';
import { useSettlementTexts } from './texts.ts';
import { Units } from './units.tsx';

type Settlement = Result<typeof getSettlement>;
type Line = Result<typeof listSettlementLines>['data'][number];

export function SettlementLines({ settlement }: { settlement: Settlement }) {
  const texts = useSettlementTexts();
  const address = useAddress();
  const fallback = settlement.open_lines > 0 ? 'theirs' : 'agree';
  const which = address.get('list') === 'agree' ? 'agree' : address.get('list') === 'theirs' ? 'theirs' : fallback;
  const list = usePages<typeof listSettlementLines>('GET /api/admin/settlements/:id/lines', {
    params: { id: settlement.id },
    query: { list: which, limit: 50 },
  });
  const columns = useLineColumns(settlement);
  return (
    <div>
      <div className="filters">
        <Segments
          label={texts.lines}
          value={which}
          onChange={(next) => address.set({ list: next })}
          options={[
            ['theirs', texts.theirs],
            ['agree', texts.agree],
          ]}
        />
      </div>
      <Panel label={texts.lines}>
        <Table
          label={texts.lines}
          dense
          rows={list.rows}
          idOf={({ number }) => String(number)}
          empty={<Empty title={which === 'agree' ? texts.noAgree : texts.noTheirs} text="" />}
          foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
          columns={columns}
        />
      </Panel>
    </div>
  );
}

function useLineColumns(settlement: Settlement): Column<Line>[] {
  const texts = useSettlementTexts();
  const format = useFormat();
  const mayDecide = useStaffMay<typeof decideSettlementLine>(['owner', 'finance']);
  return [
    {
      id: 'reference',
      head: texts.reference,
      fold: 'c1',
      cell: ({ reference, external_id: id, text, kind }) => (
        <>
          <bdi className="strong">{reference ?? id ?? texts.lineKinds[kind]}</bdi>
          {text !== null && (
            <span className="sub">
              <bdi>{text}</bdi>
            </span>
          )}
        </>
      ),
    },
    {
      id: 'day',
      head: texts.day,
      fold: 'c3',
      className: 'mid nowrap',
      cell: ({ day }) => format.date(`${day}T12:00:00Z`),
    },
    {
      id: 'amount',
      head: texts.amount,
      number: true,
      fold: 'c2',
      cell: ({ gross }) => <Units value={gross} unit={settlement.unit} />,
    },
    {
      id: 'ours',
      head: texts.sums.ours,
      number: true,
      cell: ({ ours }) => (ours === null ? '—' : <AmountCell value={ours} />),
    },
    {
      id: 'match',
      head: texts.state,
      fold: 'c4',
      cell: ({ match, problem, order_id: order }) => (
        <>
          <Pill tone={problem !== null ? 'bad' : match === 'none' || match === 'proposed' ? 'warn' : 'ok'}>
            {problem !== null ? texts.problems[problem] : texts.matches[match]}
          </Pill>
          {order !== null && (
            <span className="sub">
              <Id value={order} />
            </span>
          )}
        </>
      ),
    },
    {
      id: 'act',
      head: '',
      fold: 'c4',
      cell: (line) =>
        mayDecide && mayChange(settlement, line) ? <LineActs settlement={settlement} line={line} /> : null,
    },
  ];
}

/** Lines of a booked statement that have no order: their receipt may be entered later. */
function isFoundLater({ state, kind }: Settlement, { settles }: Line): boolean {
  return state === 'booked' && kind === 'bank' && settles?.startsWith('document:unmatched:') === true;
}

function mayChange(settlement: Settlement, line: Line): boolean {
  return settlement.state === 'booked' ? isFoundLater(settlement, line) : line.kind !== 'fee';
}

function LineActs({ settlement, line }: { settlement: Settlement; line: Line }) {
  const texts = useSettlementTexts();
  const [asking, setAsking] = useState(false);
  const [typed, setTyped] = useState('');
  const decide = useChange<typeof decideSettlementLine>('PUT /api/admin/settlements/:id/lines/:number', {
    stale: STALE,
    done: () => setAsking(false),
  });
  const say = (settles: string | null) =>
    decide.mutate({ params: { id: settlement.id, number: String(line.number) }, body: { settles } });
  const prefix = settlement.kind === 'bank' ? 'document:' : 'payment:';
  const isLate = isFoundLater(settlement, line);
  const isOpen = isLate || line.match === 'none' || line.match === 'proposed';
  return (
    <span className="row">
      {line.match === 'proposed' && (
        <button type="button" className="btn small" disabled={decide.isPending} onClick={() => say(line.settles)}>
          {texts.confirm}
        </button>
      )}
      {line.match !== 'none' && !isLate && (
        <button type="button" className="btn plain small" disabled={decide.isPending} onClick={() => say(null)}>
          {line.match === 'assumed' ? texts.drop : texts.reject}
        </button>
      )}
      {isOpen && (
        <button type="button" className="btn plain small" onClick={() => setAsking(true)}>
          {texts.assign}
        </button>
      )}
      {asking && (
        <Dialog
          title={texts.assignTitle}
          onClose={() => setAsking(false)}
          footer={
            <DialogActs
              disabled={typed.trim() === '' || decide.isPending}
              onAct={() => say(`${prefix}${typed.trim()}`)}
              onClose={() => setAsking(false)}
            >
              {texts.assign}
            </DialogActs>
          }
        >
          <TextField
            label={texts.assignLabel}
            hint={texts.assignHint}
            dir="ltr"
            value={typed}
            onChange={setTyped}
            error={decide.error?.message}
          />
        </Dialog>
      )}
    </span>
  );
}
