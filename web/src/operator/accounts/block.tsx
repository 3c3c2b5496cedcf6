/** Blocking an account: what stops, what stays, the gentler way, and why. */
import type { blockAccount, getDesk, unblockAccount } from '@dargah/api/admin/desk.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { SelectField } from '../../parts/form.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useMe } from '../../session.tsx';
import { useAccountName } from './account-name.tsx';
import { AskReason } from './ask-reason.tsx';
import { useDeskTexts } from './desk-texts.ts';

type Desk = Result<typeof getDesk>;

export const DESK_STALE = [
  'GET /api/admin/accounts/:id/desk',
  'GET /api/admin/accounts/:id/history',
  'GET /api/admin/accounts/:id',
  'GET /api/admin/accounts',
];
const OPEN_END = 'open';

export function BlockDialog({ desk, onClose }: { desk: Desk; onClose(): void }) {
  const texts = useDeskTexts();
  const format = useFormat();
  const toast = useToast();
  const nameOf = useAccountName();
  const isOwner = useMe().staff?.role === 'owner';
  const [length, setLength] = useState('24');
  const block = useChange<typeof blockAccount>('POST /api/admin/accounts/:id/block', {
    quiet: true,
    stale: DESK_STALE,
    done() {
      toast({ text: texts.didBlock });
      onClose();
    },
  });
  const lengths = [
    ...Object.entries(texts.hours),
    ...(isOwner ? [...Object.entries(texts.days), [OPEN_END, texts.openEnd] as const] : []),
  ];
  return (
    <AskReason
      title={texts.blockTitle(nameOf(desk.account.name))}
      act={texts.block}
      label={texts.blockReason}
      danger
      busy={block.isPending}
      error={block.error?.message}
      onClose={onClose}
      onAct={(reason) =>
        block.mutate({
          params: { id: desk.account.id },
          body: { reason, hours: length === OPEN_END ? null : Number(length) },
        })
      }
    >
      <ul className="what">
        <li>
          {texts.stopKeys(format.number(desk.keys))} <Id value="403 account_blocked" />
        </li>
        <li>{texts.stopRunning(format.number(desk.running), format.number(desk.last_day.requests))}</li>
        <li>{texts.staysMoney(format.money(desk.wallet.balance))}</li>
        <li>{texts.seesReason}</li>
      </ul>
      <p className="mid">{texts.gentler}</p>
      <SelectField label={texts.howLong} value={length} onChange={setLength} options={lengths} />
    </AskReason>
  );
}

export function UnblockDialog({ desk, onClose }: { desk: Desk; onClose(): void }) {
  const texts = useDeskTexts();
  const toast = useToast();
  const nameOf = useAccountName();
  const unblock = useChange<typeof unblockAccount>('POST /api/admin/accounts/:id/unblock', {
    quiet: true,
    stale: DESK_STALE,
    done() {
      toast({ text: texts.didUnblock });
      onClose();
    },
  });
  return (
    <AskReason
      title={texts.unblockTitle(nameOf(desk.account.name))}
      act={texts.unblock}
      busy={unblock.isPending}
      error={unblock.error?.message}
      onClose={onClose}
      onAct={(reason) => unblock.mutate({ params: { id: desk.account.id }, body: { reason } })}
    >
      <p>{desk.block?.reason}</p>
    </AskReason>
  );
}
