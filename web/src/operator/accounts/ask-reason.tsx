/** An act of support: what it does, and why, before it is done. */
import { type ReactNode, useState } from 'react';
import { Dialog } from '../../parts/dialog.tsx';
import { AreaField } from '../../parts/form.tsx';
import { useShared } from '../../texts/shared.ts';
import { useDeskTexts } from './desk-texts.ts';

export function AskReason({
  title,
  act,
  children,
  danger = false,
  label,
  busy,
  error,
  onAct,
  onClose,
}: {
  title: ReactNode;
  /** Names the act. */
  act: string;
  children: ReactNode;
  danger?: boolean;
  /** What the field is called where it is more than a reason. */
  label?: string;
  busy: boolean;
  error?: string | undefined;
  onAct(reason: string): void;
  onClose(): void;
}) {
  const texts = useDeskTexts();
  const shared = useShared();
  const [reason, setReason] = useState('');
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            {shared.cancel}
          </button>
          <button
            type="button"
            className={danger ? 'btn stop' : 'btn main'}
            disabled={reason.trim().length < 3 || busy}
            onClick={() => onAct(reason.trim())}
          >
            {act}
          </button>
        </>
      }
    >
      <div className="stack gap-m">
        {children}
        <AreaField
          label={label ?? texts.reason}
          hint={texts.reasonHint}
          name="reason"
          rows={2}
          maxLength={500}
          value={reason}
          onChange={setReason}
          error={error}
        />
      </div>
    </Dialog>
  );
}
