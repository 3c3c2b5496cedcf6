/** What happened at an account: its requests, and what was done to it. */
import type { listAccountHistory } from '@dargah/api/admin/desk.ts';
import type { listRequests } from '@dargah/api/admin/requests.ts';
import { Link } from 'wouter';
import { useAddress } from '../../address.ts';
import { usePages } from '../../api/read.ts';
import { AuditLogTable } from '../../parts/audit-log-table.tsx';
import { ModelName } from '../../parts/copyable.tsx';
import { AmountCell, Moment } from '../../parts/figures.tsx';
import { Empty, Panel } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { OperatorReceiptDrawer } from '../requests/receipt.tsx';
import { useOperatorState } from '../requests/state.ts';
import { useTexts } from '../texts.ts';
import { useDeskTexts } from './desk-texts.ts';

export function AccountRequests({ id, limit = 50, title }: { id: string; limit?: number; title?: string }) {
  const texts = useDeskTexts();
  const common = useTexts();
  const stateOf = useOperatorState();
  const address = useAddress();
  const list = usePages<typeof listRequests>('GET /api/admin/requests', { query: { account_id: id, limit } });
  const shown = address.get('request');
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <>
      <Panel
        title={title ?? texts.tabs.requests}
        aside={
          <Link className="btn small" href={`/operator/requests?account=${encodeURIComponent(id)}`}>
            {texts.allRequests}
          </Link>
        }
      >
        <Table
          label={texts.tabs.requests}
          dense
          rows={list.rows}
          idOf={(request) => request.id}
          selected={shown}
          onOpen={(request) => address.set({ request: request.id })}
          empty={<Empty title={common.noRequests} text={texts.never} />}
          foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
          columns={[
            {
              id: 'at',
              head: common.time,
              fold: 'c3',
              className: 'mid nowrap tnum',
              cell: ({ created_at: at }) => <Moment at={at} />,
            },
            {
              id: 'state',
              head: common.state,
              fold: 'c4',
              cell: (row) => {
                const { tone, word } = stateOf(row);
                return <Pill tone={tone}>{word}</Pill>;
              },
            },
            { id: 'model', head: common.model, fold: 'c1', cell: ({ model }) => <ModelName id={model} /> },
            {
              id: 'price',
              head: common.price,
              number: true,
              fold: 'c2',
              cell: ({ cost }) => <AmountCell value={cost} />,
            },
          ]}
        />
      </Panel>
      {shown !== undefined && <OperatorReceiptDrawer id={shown} onClose={() => address.set({ request: undefined })} />}
    </>
  );
}

export function AccountHistory({ id }: { id: string }) {
  const texts = useDeskTexts();
  const list = usePages<typeof listAccountHistory>('GET /api/admin/accounts/:id/history', {
    params: { id },
    query: { limit: 50 },
  });
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <Panel title={texts.tabs.history}>
      <AuditLogTable
        label={texts.tabs.history}
        rows={list.rows}
        foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
        orderPath="/operator/orders/"
        ofOneSubject
        empty={{ title: texts.noHistory, text: texts.noHistoryText }}
      />
    </Panel>
  );
}
