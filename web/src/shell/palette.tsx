/** ⌘K: every page, key and request by its id, from one box. */

import { searchForm } from '@dargah/core/persian-text.ts';
import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { Icon, type IconName } from '../parts/icon.tsx';
import { useShared } from '../texts/shared.ts';
import type { NavLink } from './nav-link.ts';
import { useShellTexts } from './texts.ts';

const MAX_SHOWN = 40;

export interface PaletteEntry {
  to: string;
  icon: IconName;
  name: string;
  /** Ids are left to right in any sentence. */
  id?: string;
}

function nameOf({ to, name }: PaletteEntry): string {
  return to + name;
}

export function Palette({
  pages,
  find,
  onClose,
}: {
  pages: readonly NavLink[];
  find(typed: string): readonly PaletteEntry[];
  onClose(): void;
}) {
  const texts = useShellTexts();
  const shared = useShared();
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState('');
  /** By address: when more pages are found the list grows, and the selection stays. */
  const [chosen, setChosen] = useState<string>();
  const list = useRef<HTMLDivElement>(null);
  const wanted = plain(typed);
  const entries: PaletteEntry[] = [
    ...find(typed.trim()),
    ...pages.filter(({ name, to }) => wanted === '' || plain(name).includes(wanted) || to.includes(wanted)),
  ].slice(0, MAX_SHOWN);
  const current = Math.max(
    0,
    entries.findIndex((entry) => nameOf(entry) === chosen),
  );
  const go = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return;
    onClose();
    navigate(entry.to);
  };
  return (
    <dialog
      ref={(dialog) => {
        if (dialog !== null && !dialog.open) dialog.showModal();
      }}
      className="dialog palette"
      aria-label={texts.palette}
      onCancel={onClose}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
      onKeyDown={(event) => {
        if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
          event.preventDefault();
          const step = event.key === 'ArrowDown' ? 1 : -1;
          const next = (current + step + entries.length) % Math.max(1, entries.length);
          setChosen(entries[next] && nameOf(entries[next]));
          list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
        } else if (event.key === 'Enter') {
          event.preventDefault();
          go(entries[current]);
        } else if (event.key === 'Escape') onClose();
      }}
    >
      <div className="search">
        <Icon name="search" />
        <input
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={entries[current] === undefined ? undefined : `palette-${current}`}
          aria-label={texts.palette}
          dir="auto"
          placeholder={texts.search}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setChosen(undefined);
          }}
        />
        <button type="button" className="btn icon small" aria-label={shared.close} onClick={onClose}>
          <Icon name="x" />
        </button>
      </div>
      <div ref={list} id="palette-list" role="listbox" aria-label={texts.palette} tabIndex={-1}>
        {entries.map((entry, index) => (
          <button
            key={nameOf(entry)}
            id={`palette-${index}`}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            onMouseMove={() => setChosen(nameOf(entry))}
            onClick={() => go(entry)}
          >
            <Icon name={entry.icon} />
            <span className="grow">{entry.name}</span>
            {entry.id !== undefined && (
              <bdi className="id" dir="ltr">
                <span>{entry.id}</span>
              </bdi>
            )}
          </button>
        ))}
        {entries.length === 0 && <p className="dim">{texts.noneFound}</p>}
      </div>
    </dialog>
  );
}

/** Without blanks, so that a name is found with and without its half-space. */
function plain(text: string): string {
  return searchForm(text).replaceAll(' ', '');
}
