/** A panel of its own address: beside the list on a wide screen, the whole screen on a phone. Escape closes it. */
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useShared } from '../texts/shared.ts';
import { Icon } from './icon.tsx';

export function Drawer({
  title,
  bar,
  onClose,
  children,
  footer,
}: {
  title: ReactNode;
  bar?: ReactNode;
  onClose(): void;
  children: ReactNode;
  footer?: ReactNode;
}) {
  const texts = useShared();
  const id = useId();
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    document.body.classList.add('split');
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !document.querySelector('dialog[open], :popover-open')) close.current();
    };
    addEventListener('keydown', onKey);
    return () => {
      document.body.classList.remove('split');
      removeEventListener('keydown', onKey);
    };
  }, []);
  return (
    <aside className="drawer" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {bar}
        <span className="grow" />
        <button type="button" className="btn icon" aria-label={texts.close} onClick={onClose}>
          <Icon name="x" />
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <div className="body" tabIndex={0}>
        {children}
      </div>
      {footer !== undefined && <footer>{footer}</footer>}
    </aside>
  );
}
