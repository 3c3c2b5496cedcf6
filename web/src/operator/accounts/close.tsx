/** Closing an account for good: what ends, what stays, and what must be done with its money first. */
import type { closeAccountFor, getDesk } from '@dargah/api/admin/desk.ts';
import type { Result } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Note } from '../../parts/page-frame.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useAccountName } from './account-name.tsx';
import { AskReason } from './ask-reason.tsx';
import { DESK_STALE } from './block.tsx';
import { useCloseTexts } from './close-texts.ts';

export function CloseDialog({ desk, onClose }: { desk: Result<typeof getDesk>; onClose(): void }) {
  const texts = useCloseTexts();
  const format = useFormat();
  const toast = useToast();
  const nameOf = useAccountName();
  const close = useChange<typeof closeAccountFor>('POST /api/admin/accounts/:id/close', {
    quiet: true,
    stale: DESK_STALE,
    done() {
      toast({ text: texts.didClose });
      onClose();
    },
  });
  const { account, wallet, keys } = desk;
  const hasMoney = Number(wallet.balance) !== 0 || Number(wallet.held) !== 0;
  return (
    <AskReason
      title={texts.closeTitle(nameOf(account.name))}
      act={texts.close}
      danger
      busy={hasMoney || close.isPending}
      error={close.error?.message}
      onClose={onClose}
      onAct={(reason) => close.mutate({ params: { id: account.id }, body: { reason } })}
    >
      {hasMoney && <Note tone="warn">{texts.moneyLeft(format.money(wallet.balance))}</Note>}
      <ul className="what">
        <li>{texts.stops(format.number(keys))}</li>
        <li>{texts.forgets}</li>
        <li>{texts.stays}</li>
      </ul>
    </AskReason>
  );
}
