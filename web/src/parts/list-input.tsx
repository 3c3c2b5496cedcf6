/** A list of ids or addresses: each a chip, written with Enter or a comma, chosen from suggestions where there are some. */
import { useId, useState } from 'react';
import { useShared } from '../texts/shared.ts';
import { Icon } from './icon.tsx';

export function ListInput({
  values,
  onChange,
  label,
  placeholder,
  suggestions = [],
  bounds,
}: {
  /** Null when everything is allowed. */
  values: readonly string[] | null;
  onChange(next: string[] | null): void;
  label: string;
  placeholder: string;
  suggestions?: readonly string[];
  /** The limits of the server: entries beyond them are not added. */
  bounds?: { maxItems: number; maxLength: number };
}) {
  const shared = useShared();
  const id = useId();
  const [typed, setTyped] = useState('');
  const add = (text: string) => {
    const found = text
      .split(/[,\s،]+/)
      .map((part) => part.trim())
      .filter((part) => part !== '' && !(values ?? []).includes(part));
    setTyped('');
    if (found.length > 0) onChange([...(values ?? []), ...found].slice(0, bounds?.maxItems));
  };
  const drop = (value: string) => {
    const rest = (values ?? []).filter((other) => other !== value);
    onChange(rest.length === 0 ? null : rest);
  };
  return (
    <div className="list-input">
      {(values ?? []).map((value) => (
        <span key={value} className="id boxed" dir="ltr">
          <span>{value}</span>
          <button type="button" aria-label={`${shared.close} ${value}`} onClick={() => drop(value)}>
            <Icon name="x" />
          </button>
        </span>
      ))}
      <input
        className="input"
        // While it is empty it shows words of the page, not an address.
        dir={typed === '' ? undefined : 'ltr'}
        maxLength={bounds?.maxLength}
        aria-label={label}
        list={suggestions.length > 0 ? id : undefined}
        placeholder={values === null ? placeholder : ''}
        value={typed}
        onChange={(event) => {
          const text = event.target.value;
          if (suggestions.includes(text) || /[,،]$/.test(text)) add(text);
          else setTyped(text);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add(typed);
        }}
        onBlur={() => add(typed)}
      />
      {suggestions.length > 0 && (
        <datalist id={id}>
          {suggestions.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </div>
  );
}
