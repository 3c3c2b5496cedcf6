/** Native dialogs: the browser keeps focus inside and gives Escape its meaning. */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useShared } from '../texts/shared.ts';
import { Icon } from './icon.tsx';

export function Dialog({
  title,
  onClose,
  children,
  footer,
  wide = false,
  closable = true,
  veiled = false,
}: {
  title: ReactNode;
  onClose(): void;
  children: ReactNode;
  footer?: ReactNode;
  wide?: boolean;
  /** A secret that is shown once must be dismissed with its own button. */
  closable?: boolean;
  /** What is behind it cannot be read meanwhile. */
  veiled?: boolean;
}) {
  const texts = useShared();
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // The browser would focus the close button; the focus belongs to the safe answer, or the first field.
    const first =
      dialog?.querySelector<HTMLElement>('[data-first]') ??
      dialog?.querySelector<HTMLElement>('.pad :is(input, textarea, select):not(:disabled)') ??
      dialog?.querySelector<HTMLElement>('footer button');
    first?.focus();
    return () => dialog?.close();
  }, []);
  const onEnter = (event: KeyboardEvent<HTMLDialogElement>) => {
    const field = event.target;
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || !(field instanceof HTMLInputElement)) return;
    // A form inside handles Enter itself.
    if (field.form === null) event.currentTarget.querySelector<HTMLButtonElement>('footer .btn.main:enabled')?.click();
  };
  return (
    <dialog
      ref={ref}
      className={`dialog${wide ? ' wide' : ''}${veiled ? ' veiled' : ''}`}
      // A second Escape closes a dialog whatever its listener says.
      {...(!closable && { closedby: 'none' })}
      aria-labelledby={id}
      onKeyDown={onEnter}
      onCancel={(event) => {
        event.preventDefault();
        if (closable) onClose();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        {closable && (
          <button type="button" className="btn icon small" aria-label={texts.close} onClick={onClose}>
            <Icon name="x" />
          </button>
        )}
      </header>
      <div className="pad">{children}</div>
      {footer !== undefined && <footer>{footer}</footer>}
    </dialog>
  );
}

/** The two answers to a dialog: leave it, or do what it is for. */
export function DialogActs({
  children,
  disabled,
  onAct,
  onClose,
}: {
  /** Names the act, never "yes". */
  children: ReactNode;
  disabled: boolean;
  onAct(): void;
  onClose(): void;
}) {
  const texts = useShared();
  return (
    <>
      <button type="button" className="btn" onClick={onClose}>
        {texts.cancel}
      </button>
      <button type="button" className="btn main" disabled={disabled} onClick={onAct}>
        {children}
      </button>
    </>
  );
}

/** A question that names what stops working. The safe button is focused; with `typed` the name must be written first. */
export function Confirm({
  title,
  children,
  act,
  keep,
  typed,
  busy = false,
  danger = true,
  onConfirm,
  onClose,
}: {
  title: ReactNode;
  children: ReactNode;
  /** Names the act, never "yes". */
  act: string;
  keep?: string;
  typed?: string;
  busy?: boolean;
  danger?: boolean;
  onConfirm(): void;
  onClose(): void;
}) {
  const texts = useShared();
  const [written, setWritten] = useState('');
  const id = useId();
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          {/* The safe answer has the focus, so that Enter does no harm. */}
          <button type="button" className="btn" data-first onClick={onClose}>
            {keep ?? texts.cancel}
          </button>
          <button
            type="button"
            className={danger ? 'btn stop' : 'btn main'}
            disabled={busy || (typed !== undefined && written.trim() !== typed)}
            onClick={onConfirm}
          >
            {act}
          </button>
        </>
      }
    >
      {children}
      {typed !== undefined && (
        <div className="field">
          <label htmlFor={id}>{texts.typeToConfirm(typed)}</label>
          <input
            id={id}
            className="input"
            dir="auto"
            value={written}
            onChange={(event) => setWritten(event.target.value)}
          />
        </div>
      )}
    </Dialog>
  );
}

/** A button for what cannot be undone: it asks first, in words that name what stops. */
export function AskingButton({
  children,
  title,
  text,
  danger = true,
  className = 'btn small',
  onConfirm,
}: {
  children: string;
  title: ReactNode;
  text: ReactNode;
  danger?: boolean;
  className?: string;
  onConfirm(): void;
}) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <button type="button" className={className} onClick={() => setAsking(true)}>
        {children}
      </button>
      {asking && (
        <Confirm
          title={title}
          act={children}
          danger={danger}
          onClose={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false);
            onConfirm();
          }}
        >
          <div>{text}</div>
        </Confirm>
      )}
    </>
  );
}
