/** Keys that work everywhere, unless someone is typing. */
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { Dialog } from '../parts/dialog.tsx';
import { useToast } from '../parts/toast.tsx';
import { useShared } from '../texts/shared.ts';
import { useShellTexts } from './texts.ts';

const PAGES: Record<Area, Record<string, string>> = {
  customer: { k: 'keys', r: 'requests', w: 'wallet', u: 'usage', p: 'playground', o: '' },
  operator: { a: 'accounts', r: 'requests', m: 'models', p: 'providers', l: 'ledger', t: 'tickets', o: '' },
};

type Area = 'customer' | 'operator';

export function useShortcuts(area: Area, home: string, openPalette: () => void, openHelp: () => void): void {
  const toast = useToast();
  const shared = useShared();
  const [, navigate] = useLocation();
  const afterG = useRef(0);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        openPalette();
        return;
      }
      if (isTyping(event.target) || event.metaKey || event.ctrlKey || event.altKey) return;
      // What stands behind an open question stays where it is.
      if (document.querySelector('dialog[open]') !== null) return;
      const pages = PAGES[area];
      if (event.key === '/') {
        event.preventDefault();
        const box = document.querySelector<HTMLInputElement>('main input[type="search"]');
        if (box === null) openPalette();
        else box.focus();
      } else if (event.key === '?') openHelp();
      else if (event.key === 'g') afterG.current = event.timeStamp;
      else if (event.timeStamp - afterG.current < 1_000 && event.key in pages) {
        afterG.current = 0;
        navigate(`${home}/${pages[event.key]}`.replace(/\/$/, ''));
      } else if (event.key === 'j' || event.key === 'k') walkRows(event.key === 'j' ? 1 : -1);
      else if (event.key === 'c') copyId(() => toast({ text: shared.copied }));
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [area, home, openPalette, openHelp, navigate, toast, shared]);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** To the next row of the table; where a receipt stands beside the list, it follows. */
function walkRows(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLTableRowElement>('main tr.opens')];
  if (rows.length === 0) return;
  const at = rows.findIndex(isChosen);
  const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))];
  next?.focus();
  if (document.body.classList.contains('split')) next?.click();
}

function isChosen(row: HTMLTableRowElement): boolean {
  return row === document.activeElement || row.getAttribute('aria-selected') === 'true';
}

/** The id of what is open in the drawer, or else of the row that the keyboard stands on. */
function copyId(done: () => void): void {
  const open = document.querySelector<HTMLButtonElement>('.drawer .id .copy');
  if (open !== null) {
    open.click();
    return;
  }
  const id = [...document.querySelectorAll<HTMLTableRowElement>('main tr.opens')].find(isChosen)?.dataset['id'];
  if (id !== undefined) void navigator.clipboard.writeText(id).then(done);
}

/** As the keyboard before the reader names it. */
export function paletteKeys(): string {
  return /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K';
}

export function ShortcutsDialog({ area, onClose }: { area: Area; onClose(): void }) {
  const texts = useShellTexts();
  const rows: [string, string][] = [
    [paletteKeys(), texts.shortcutPalette],
    ['/', texts.shortcutSearch],
    ['J  K', texts.shortcutRows],
    ['Enter', texts.shortcutOpen],
    ['C', texts.shortcutCopy],
    ['Esc', texts.shortcutClose],
    ...(area === 'customer'
      ? ([
          ['G  K R W', texts.shortcutPages],
          [`${paletteKeys().slice(0, -1)}Enter`, texts.shortcutSend],
        ] as [string, string][])
      : ([['G  A R L', texts.shortcutOperatorPages]] as [string, string][])),
    ['?', texts.shortcuts],
  ];
  return (
    <Dialog title={texts.shortcuts} onClose={onClose}>
      <dl className="facts">
        {rows.map(([keys, what]) => (
          <div className="wish-line" key={keys}>
            <dt>
              <kbd dir="ltr">{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
