/** A filter as a chip whose value lives in the address. */
import { useState } from 'react';
import { useAddress } from '../address.ts';
import { dayOf } from '../calendar.ts';
import { plainNumber, useFormat } from '../format.ts';
import { useShared } from '../texts/shared.ts';
import { DateInput } from './date-field.tsx';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';

export function Filter({
  name,
  label,
  options,
  unset,
}: {
  name: string;
  label: string;
  options: readonly (readonly [string, string])[];
  /** What it means while nothing is chosen; without it `all`. */
  unset?: string;
}) {
  const address = useAddress();
  const shared = useShared();
  const value = address.get(name);
  const shown = options.find(([option]) => option === value)?.[1] ?? value ?? unset;
  return (
    <span className="filter">
      <Menu
        label={label}
        className={value === undefined ? 'chip' : 'chip on'}
        button={
          <>
            {label}
            {shown !== undefined && (
              <>
                : <b dir="auto">{shown}</b>
              </>
            )}
            <Icon name="down" />
          </>
        }
        items={[
          { name: unset ?? shared.all, current: value === undefined, run: () => address.set({ [name]: undefined }) },
          ...options.map(([option, text]) => ({
            name: <bdi>{text}</bdi>,
            current: option === value,
            run: () => address.set({ [name]: option }),
          })),
        ]}
      />
    </span>
  );
}

export function FilterNumber({ name, label, unit }: { name: string; label: string; unit: string }) {
  const address = useAddress();
  const format = useFormat();
  const value = address.get(name);
  const [typed, setTyped] = useState<string>();
  const keep = () => {
    if (typed === undefined) return;
    const plain = plainNumber(typed);
    address.set({ [name]: isNumber(plain) ? plain : undefined });
    setTyped(undefined);
  };
  return (
    <label className={value === undefined ? 'chip' : 'chip on'}>
      {label}
      <input
        className="chip-input"
        inputMode="decimal"
        aria-label={`${label} (${unit})`}
        value={typed ?? (value === undefined ? '' : isNumber(value) ? format.number(value) : value)}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={keep}
        onKeyDown={(event) => {
          if (event.key === 'Enter') keep();
        }}
      />
      <span className="unit">{unit}</span>
    </label>
  );
}

function isNumber(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text);
}

/** A day, in the account's calendar. */
export function FilterDay({ name, label }: { name: string; label: string }) {
  const address = useAddress();
  const value = dayOf(address.get(name));
  return (
    <DateInput
      chip
      label={label}
      empty={label}
      value={value ?? null}
      onChange={(day) => address.set({ [name]: day ?? undefined })}
    />
  );
}

export function FilterText({ name, label }: { name: string; label: string }) {
  const address = useAddress();
  const value = address.get(name) ?? '';
  const [typed, setTyped] = useState<string>();
  return (
    <label className="search">
      <Icon name="search" />
      <input
        type="search"
        dir="auto"
        aria-label={label}
        placeholder={label}
        value={typed ?? value}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') address.set({ [name]: typed ?? value });
        }}
        onBlur={() => {
          if (typed !== undefined) address.set({ [name]: typed });
          setTyped(undefined);
        }}
      />
    </label>
  );
}
