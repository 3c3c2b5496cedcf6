/** A button with a list beneath: the browser's own popover, placed by the button's edge. Arrows walk, Escape closes. */
import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';
import { Icon, type IconName } from './icon.tsx';

export interface MenuItem {
  name: ReactNode;
  icon?: IconName;
  danger?: boolean;
  current?: boolean;
  run(): void;
}

export function Menu({
  label,
  className = 'btn icon small',
  button,
  items,
  header,
}: {
  label: string;
  className?: string;
  button?: ReactNode;
  items: readonly MenuItem[];
  header?: ReactNode;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const place = () => {
    if (opener.current !== null && list.current !== null) placeBeside(opener.current, list.current);
  };
  const walk = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const all = [...(list.current?.querySelectorAll('button') ?? [])];
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    all.at((at + (event.key === 'ArrowDown' ? 1 : -1)) % all.length)?.focus();
  };
  return (
    <>
      <button
        ref={opener}
        type="button"
        className={className}
        aria-label={className.includes('icon') ? label : undefined}
        title={label}
        popoverTarget={id}
        aria-haspopup="menu"
      >
        {button ?? <Icon name="dots" />}
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        className="menu-list"
        role="menu"
        tabIndex={-1}
        onBeforeToggle={place}
        onToggle={place}
        onKeyDown={walk}
      >
        {header}
        {items.map((item, index) => (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: items have no other name and do not move.
            key={index}
            type="button"
            role="menuitem"
            className={item.danger === true ? 'bad' : undefined}
            aria-current={item.current === true ? 'true' : undefined}
            onClick={() => {
              list.current?.hidePopover();
              item.run();
            }}
          >
            {item.icon !== undefined && <Icon name={item.icon} />}
            {item.name}
          </button>
        ))}
      </div>
    </>
  );
}

/** Under the opener, aligned to its inline end, and inside the window. */
export function placeBeside(opener: HTMLElement, list: HTMLElement): void {
  const box = opener.getBoundingClientRect();
  const width = list.offsetWidth || 200;
  const height = list.offsetHeight || 0;
  const rtl = document.documentElement.dir === 'rtl';
  const wanted = rtl ? box.left : box.right - width;
  const left = Math.max(8, Math.min(wanted, innerWidth - width - 8));
  const below = box.bottom + 4;
  const top = below + height > innerHeight - 8 && box.top - height - 4 > 8 ? box.top - height - 4 : below;
  list.style.setProperty('inset-inline-start', 'auto');
  list.style.setProperty('left', `${left}px`);
  list.style.setProperty('top', `${top}px`);
}
