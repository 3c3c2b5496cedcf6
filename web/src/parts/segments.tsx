/** A choice of few, side by side. */
import { type ReactNode, useEffect, useRef } from 'react';

export function Segments<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: T;
  options: readonly (readonly [NoInfer<T>, ReactNode])[];
  onChange(next: NoInfer<T>): void;
}) {
  const row = useRef<HTMLFieldSetElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice must be brought into sight too.
  useEffect(() => {
    const chosen = row.current?.querySelector<HTMLElement>('[aria-pressed="true"]');
    if (row.current !== null && row.current.scrollWidth > row.current.clientWidth)
      chosen?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [value]);
  return (
    <fieldset className="seg" aria-label={label} ref={row}>
      {options.map(([option, name]) => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => onChange(option)}>
          {name}
        </button>
      ))}
    </fieldset>
  );
}
