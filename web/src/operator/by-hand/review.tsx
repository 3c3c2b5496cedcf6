/** An act that waits for a second person: what it is, and the decision. */

import type { decideApproval, listApprovals } from '@dargah/api/admin/by-hand.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Amount } from '../../parts/figures.tsx';
import { AreaField } from '../../parts/form.tsx';
import { Note } from '../../parts/page-frame.tsx';
import { useMe } from '../../session.tsx';
import { useShared } from '../../texts/shared.ts';
import { AccountLink } from '../account-link.tsx';
import { useHandTexts } from './texts.ts';

export type Approval = Result<typeof listApprovals>['data'][number];
export const APPROVAL_STALE = ['GET /api/admin/approvals', 'GET /api/admin/credit/entries', 'GET /api/admin/transfers'];

export function Review({ approval, onClose }: { approval: Approval; onClose(): void }) {
  const texts = useHandTexts();
  const shared = useShared();
  const isOwn = approval.asked_by === `staff:${useMe().person.id}`;
  const [note, setNote] = useState('');
  const decide = useChange<typeof decideApproval>('POST /api/admin/approvals/:id/decision', {
    quiet: true,
    stale: APPROVAL_STALE,
    done: onClose,
  });
  const send = (approve: boolean) =>
    decide.mutate({
      params: { id: approval.id },
      body: { approve, ...(note.trim() === '' ? {} : { note: note.trim() }) },
    });
  return (
    <Dialog
      title={texts.decideTitle}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            {shared.cancel}
          </button>
          <button type="button" className="btn stop" disabled={decide.isPending} onClick={() => send(false)}>
            {texts.refuse}
          </button>
          <button type="button" className="btn main" disabled={decide.isPending} onClick={() => send(true)}>
            {texts.approve}
          </button>
        </>
      }
    >
      <div className="stack gap-m">
        {isOwn && <Note tone="warn">{texts.own}</Note>}
        <Facts approval={approval} />
        <AreaField
          label={texts.decisionNote}
          name="note"
          dir="auto"
          value={note}
          onChange={setNote}
          error={decide.error?.message}
        />
      </div>
    </Dialog>
  );
}

function Facts({ approval }: { approval: Approval }) {
  const texts = useHandTexts();
  const { number, note, public_note: publicNote } = approval;
  return (
    <dl className="facts">
      <dt>{texts.what}</dt>
      <dd>{texts.kinds[approval.kind]}</dd>
      <dt>{texts.account}</dt>
      <dd>
        <AccountLink id={approval.account_id} />
      </dd>
      <dt>{texts.amount}</dt>
      <dd>
        <Amount value={approval.amount} unit />
      </dd>
      <dt>{texts.balanceBefore}</dt>
      <dd>
        <Amount value={approval.balance_before} unit />
      </dd>
      {approval.kind === 'receipt' && number !== null && (
        <>
          <dt>{texts.number}</dt>
          <dd>
            <bdi>{number}</bdi>
          </dd>
        </>
      )}
      <dt>{texts.why}</dt>
      <dd>
        <bdi>{approval.reason}</bdi>
      </dd>
      {note !== null && (
        <>
          <dt>{texts.note}</dt>
          <dd>
            <bdi>{note}</bdi>
          </dd>
        </>
      )}
      {publicNote !== null && (
        <>
          <dt>{texts.publicNote}</dt>
          <dd>
            <bdi>{publicNote}</bdi>
          </dd>
        </>
      )}
    </dl>
  );
}
