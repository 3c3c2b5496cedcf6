/** One sentence at the bottom, with at most one action; gone after six seconds unless someone is on it. */
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { useShared } from '../texts/shared.ts';
import { Icon } from './icon.tsx';

export interface Toast {
  text: ReactNode;
  tone?: 'good' | 'bad';
  action?: { name: string; run(): void };
}

const ToastContext = createContext<(toast: Toast) => void>(() => undefined);

export function useToast(): (toast: Toast) => void {
  return useContext(ToastContext);
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<(Toast & { id: number })[]>([]);
  const next = useRef(0);
  const show = useCallback((toast: Toast) => {
    next.current += 1;
    const id = next.current;
    setShown((before) => [...before.slice(-2), { ...toast, id }]);
  }, []);
  const drop = useCallback((id: number) => setShown((before) => before.filter((toast) => toast.id !== id)), []);
  const value = useMemo(() => show, [show]);
  return (
    <ToastContext value={value}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {shown.map((toast) => (
          <OneToast key={toast.id} toast={toast} onGone={() => drop(toast.id)} />
        ))}
      </div>
    </ToastContext>
  );
}

function OneToast({ toast, onGone }: { toast: Toast; onGone(): void }) {
  const texts = useShared();
  const [held, setHeld] = useState(false);
  const gone = useRef(onGone);
  gone.current = onGone;
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => gone.current(), 6_000);
    return () => clearTimeout(timer);
  }, [held]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only keeps the message on the screen.
    <div
      className="toast"
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Icon name={toast.tone === 'bad' ? 'warn' : 'check'} />
      <span>{toast.text}</span>
      {toast.action !== undefined && (
        <button
          type="button"
          className="act"
          onClick={() => {
            toast.action?.run();
            onGone();
          }}
        >
          {toast.action.name}
        </button>
      )}
      <button type="button" className="act shut" aria-label={texts.close} onClick={onGone}>
        <Icon name="x" />
      </button>
    </div>
  );
}
