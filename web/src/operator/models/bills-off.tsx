/** Bills of providers that are more than 5 % off what was counted: a cost is wrong, or requests are missing. */
import type { getCostTasks } from '@dargah/api/admin/profit-and-costs.ts';
import { Link } from 'wouter';
import type { Result } from '../../api/call.ts';
import { roughly, useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { AmountCell } from '../../parts/figures.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { Table } from '../../parts/table.tsx';
import { useCostTexts } from '../cost-texts.ts';
import { useTexts } from '../texts.ts';

export function BillsOff({ bills }: { bills: Result<typeof getCostTasks>['bills_off'] }) {
  const common = useTexts();
  const texts = useCostTexts();
  const format = useFormat();
  const share = (amount: string, accrued: string) =>
    roughly(accrued) === 0 ? '—' : format.percent(roughly(amount) / roughly(accrued) - 1, 1);
  return (
    <Panel title={texts.billsOff} aside={<span className="xs mid">{texts.billsOffText}</span>}>
      <Table
        label={texts.billsOff}
        dense
        rows={bills}
        idOf={({ id }) => id}
        columns={[
          { id: 'provider', head: common.provider, fold: 'c1', cell: ({ provider }) => <Id value={provider} /> },
          {
            id: 'number',
            head: texts.bill,
            fold: 'c3',
            cell: ({ number, provider }) => (
              <Link href={`/operator/books/bills?provider=${encodeURIComponent(provider)}`}>
                <bdi dir="ltr">{number}</bdi>
              </Link>
            ),
          },
          {
            id: 'amount',
            head: texts.billed,
            number: true,
            fold: 'c2',
            cell: ({ amount }) => <AmountCell value={amount} />,
          },
          {
            id: 'accrued',
            head: texts.accrued,
            number: true,
            spare: true,
            cell: ({ accrued }) => <AmountCell value={accrued} />,
          },
          {
            id: 'off',
            head: texts.offBy,
            number: true,
            fold: 'c4',
            cell: ({ amount, accrued }) => <span className="warn">{share(amount, accrued)}</span>,
          },
        ]}
      />
    </Panel>
  );
}
