/** How much of the revenue has no known cost, and how many routes are sold at a loss, each with the way to them. */
import type { getCostTasks } from '@dargah/api/admin/profit-and-costs.ts';
import { Link } from 'wouter';
import { useRead } from '../api/read.ts';
import { roughly, useFormat } from '../format.ts';
import { useCostTexts } from './cost-texts.ts';
import { useStaffMay } from './may.ts';

interface Total {
  revenue: string;
  revenue_unknown_cost: string;
  unknown_cost: number;
}

export function CostTasksLine({ total }: { total: Total | undefined }) {
  const texts = useCostTexts();
  const format = useFormat();
  const sees = useStaffMay<typeof getCostTasks>(['owner', 'finance']);
  const tasks = useRead<typeof getCostTasks>('GET /api/admin/tasks/costs', {}, { enabled: sees }).data;
  const losses = tasks?.at_a_loss.length ?? 0;
  return (
    <>
      {total !== undefined && <UnknownCost total={total} />}
      {losses > 0 && (
        <p className="xs">
          <Link href="/operator/models">{texts.losses(format.number(losses))}</Link>
        </p>
      )}
    </>
  );
}

export function UnknownCost({ total }: { total: Total }) {
  const texts = useCostTexts();
  const format = useFormat();
  if (total.unknown_cost === 0) return null;
  const requests = format.number(total.unknown_cost);
  const share = roughly(total.revenue_unknown_cost) / Math.max(roughly(total.revenue), Number.MIN_VALUE);
  return (
    <p className="xs">
      {share > 0 ? texts.unknown(format.percent(Math.min(share, 1), 1), requests) : texts.unknownFew(requests)}{' '}
      <Link href="/operator/models?cost=unknown">{texts.withoutCost}</Link>
    </p>
  );
}
