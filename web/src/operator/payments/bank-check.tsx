/** What the bank's statement says of a transfer, beside the button that confirms it. */
import type { checkPayment } from '@dargah/api/admin/payments.ts';
import { useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Icon } from '../../parts/icon.tsx';
import { usePaymentTexts } from './texts.ts';

export function BankCheck({
  order,
  reference,
  bank,
}: {
  order: string;
  reference?: string;
  bank?: string | undefined;
}) {
  const own = usePaymentTexts();
  const format = useFormat();
  const query = { ...(reference === undefined ? {} : { reference }), ...(bank === undefined ? {} : { bank }) };
  const check = useRead<typeof checkPayment>('GET /api/admin/payments/:id/bank-check', {
    params: { id: order },
    query,
  });
  if (check.data === undefined) return null;
  const { warnings, lines, statements_to: to } = check.data;
  const day = (text: string) => format.date(`${text}T12:00:00Z`);
  const isWarned = warnings.length > 0;
  const agrees = !isWarned && lines.length > 0;
  return (
    <div className={isWarned ? 'note is-warn' : 'note is-quiet'} role="status" aria-label={own.bankSays}>
      <Icon name={isWarned ? 'warn' : 'info'} />
      <div>
        {warnings.map((warning) => (
          <p key={warning}>{own.bankWarnings[warning]}</p>
        ))}
        {agrees && <p>{own.bankAgrees}</p>}
        {!isWarned && !agrees && <p>{to === null ? own.bankUnknown : own.bankUnknownTo(day(to))}</p>}
        {isWarned &&
          lines.map((line) => (
            <p key={`${line.settlement_id} ${line.day} ${line.reference} ${line.amount}`}>
              {own.bankLine(day(line.day), format.number(Number(line.amount)))}{' '}
              {line.reference === null ? own.noBankNumber : <Id value={line.reference} copy />}
            </p>
          ))}
      </div>
    </div>
  );
}
