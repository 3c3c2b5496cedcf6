/** The state of an order, with what became of its refund. */
import { ORDER_TONES } from '../../parts/order-tones.ts';
import { Pill } from '../../parts/pill.tsx';
import type { Order } from './acts.tsx';
import { usePaymentTexts } from './texts.ts';

const REFUND_TONES = { sending: 'held', sent: 'warn', refused: 'bad', unknown: 'bad' } as const;

export function OrderState({ order }: { order: Order }) {
  const own = usePaymentTexts();
  const { state, step, problem, refund, refunded, part_waits: partWaits } = order;
  return (
    <span title={refund?.code ?? problem ?? undefined}>
      {partWaits ? (
        <Pill tone="bad">{own.refundStates.unknown}</Pill>
      ) : refund === null && refunded !== '0' ? (
        <Pill tone="warn">{own.partlyRefunded}</Pill>
      ) : refund === null && (step === 'transfer' || step === 'review') ? (
        // A transfer is at no gateway: its customer or we have to do something.
        <Pill tone={step === 'review' ? 'warn' : 'info'}>{own.transferSteps[step]}</Pill>
      ) : refund === null ? (
        <Pill tone={ORDER_TONES[state] ?? 'info'}>{own.orderStates[state] ?? state}</Pill>
      ) : (
        <Pill tone={REFUND_TONES[refund.state]}>{own.refundStates[refund.state]}</Pill>
      )}
    </span>
  );
}
