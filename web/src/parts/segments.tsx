/** A choice of few, side by side. */
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { Link } from 'wouter';

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
  useChosenInSight(row, value);
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

/** Pages of one family side by side: each is a link, so that it opens in a tab of its own too. */
export function PageTabs<T extends string>({
  label,
  value,
  options,
}: {
  label: string;
  value: T;
  options: readonly (readonly [page: NoInfer<T>, name: string, href: string])[];
}) {
  const row = useRef<HTMLElement>(null);
  useChosenInSight(row, value);
  return (
    <nav className="seg" aria-label={label} ref={row}>
      {options.map(([page, name, href]) => (
        <Link key={page} href={href} aria-current={page === value ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  );
}

function useChosenInSight(row: RefObject<HTMLElement | null>, value: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice must be brought into sight too.
  useEffect(() => {
    const chosen = row.current?.querySelector<HTMLElement>('[aria-pressed="true"], [aria-current]');
    if (row.current !== null && row.current.scrollWidth > row.current.clientWidth)
      chosen?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [value]);
}
