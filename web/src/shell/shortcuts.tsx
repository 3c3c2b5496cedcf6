/** Keys that work everywhere, unless someone is typing. */
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

const PAGES: Record<string, string> = { k: 'keys', r: 'requests', w: 'wallet', u: 'usage', p: 'playground', o: '' };

export function useShortcuts(openPalette: () => void, home: string): void {
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
      if (event.key === '/') {
        event.preventDefault();
        const box = document.querySelector<HTMLInputElement>('main input[type="search"]');
        if (box === null) openPalette();
        else box.focus();
      } else if (event.key === 'g') afterG.current = event.timeStamp;
      else if (event.timeStamp - afterG.current < 1_000 && event.key in PAGES) {
        afterG.current = 0;
        navigate(`${home}/${PAGES[event.key]}`.replace(/\/$/, ''));
      } else if (event.key === 'j' || event.key === 'k') walkRows(event.key === 'j' ? 1 : -1);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [openPalette, navigate, home]);
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
  const at = rows.findIndex((row) => row === document.activeElement || row.getAttribute('aria-selected') === 'true');
  const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))];
  next?.focus();
  if (document.body.classList.contains('split')) next?.click();
}
