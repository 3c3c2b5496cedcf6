/**
 * Routes that sold at an unknown cost, and routes that cost more than they are sold for. Shows nothing where there are
 * none.
 */
import type { countRouteCost, getCostTasks } from '@dargah/api/admin/profit-and-costs.ts';
import { Link } from 'wouter';
import { useChange, useRead } from '../../api/read.ts';
import { Id, ModelName } from '../../parts/copyable.tsx';
import { AmountCell, CountOf } from '../../parts/figures.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { Table } from '../../parts/table.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useCostTexts } from '../cost-texts.ts';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';
import { BillsOff } from './bills-off.tsx';

const COSTS = 'GET /api/admin/tasks/costs';

export function CostTasks() {
  const common = useTexts();
  const texts = useCostTexts();
  const toast = useToast();
  const sees = useStaffMay<typeof getCostTasks>(['owner', 'finance']);
  const tasks = useRead<typeof getCostTasks>(COSTS, {}, { enabled: sees }).data;
  const count = useChange<typeof countRouteCost>('POST /api/admin/tasks/costs/count', {
    stale: [COSTS, 'GET /api/admin/profit'],
    done: () => toast({ text: texts.counted }),
  });
  if (tasks === undefined || tasks.without_cost.length + tasks.at_a_loss.length + tasks.bills_off.length === 0)
    return null;
  const model = (id: string) => <ModelName id={id} />;
  return (
    <>
      {tasks.without_cost.length > 0 && (
        <Panel title={texts.withoutCost} aside={<span className="xs mid">{texts.withoutCostText}</span>}>
          <Table
            label={texts.withoutCost}
            dense
            rows={tasks.without_cost}
            idOf={(row) => `${row.model} ${row.provider}`}
            columns={[
              { id: 'model', head: common.model, fold: 'c1', cell: (row) => model(row.model) },
              { id: 'provider', head: common.provider, fold: 'c3', cell: ({ provider }) => <Id value={provider} /> },
              {
                id: 'requests',
                head: common.requests,
                number: true,
                spare: true,
                cell: ({ requests }) => <CountOf count={requests} of="request" />,
              },
              {
                id: 'revenue',
                head: texts.sold,
                number: true,
                fold: 'c2',
                cell: ({ revenue }) => <AmountCell value={revenue} />,
              },
              {
                id: 'act',
                head: '',
                fold: 'c4',
                cell: (row) => {
                  const known = row.routes.find(({ has_cost: has }) => has);
                  return row.routes.some(({ has_cost: has }) => !has) || known === undefined ? (
                    <Link className="btn small" href={`/operator/models?routes=${encodeURIComponent(row.model)}`}>
                      {texts.setCost}
                    </Link>
                  ) : (
                    <button
                      type="button"
                      className="btn small"
                      disabled={count.isPending}
                      onClick={() =>
                        count.mutate({
                          body: { model: row.model, provider: row.provider, upstream_model: known.model },
                        })
                      }
                    >
                      {texts.countMonth}
                    </button>
                  );
                },
              },
            ]}
          />
        </Panel>
      )}
      {tasks.at_a_loss.length > 0 && (
        <Panel title={texts.atALoss} aside={<span className="xs mid">{texts.atALossText}</span>}>
          <Table
            label={texts.atALoss}
            dense
            rows={tasks.at_a_loss}
            idOf={(row) => `${row.model} ${row.provider} ${row.upstream_model}`}
            columns={[
              { id: 'model', head: common.model, fold: 'c1', cell: (row) => model(row.model) },
              {
                id: 'route',
                head: common.route,
                fold: 'c3',
                cell: (row) => <Id value={`${row.provider}:${row.upstream_model}`} />,
              },
              {
                id: 'act',
                head: '',
                fold: 'c2',
                cell: (row) => (
                  <Link className="btn small" href={`/operator/models?routes=${encodeURIComponent(row.model)}`}>
                    {texts.setCost}
                  </Link>
                ),
              },
            ]}
          />
        </Panel>
      )}
      {tasks.bills_off.length > 0 && <BillsOff bills={tasks.bills_off} />}
    </>
  );
}
