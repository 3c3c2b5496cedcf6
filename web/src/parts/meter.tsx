/** How much of something is used, with the mark at which somebody is told. */
import type { CSSProperties, ReactNode } from 'react';
import { useFormat } from '../format.ts';

/** CSS custom properties on an element; React writes them through the style object, which the content policy allows. */
export function vars(values: Record<`--${string}`, string>): CSSProperties {
  return values as CSSProperties;
}

export function Meter({
  name,
  share,
  children,
  alertAt = 0.8,
}: {
  name: ReactNode;
  share: number;
  children: ReactNode;
  alertAt?: number;
}) {
  const format = useFormat();
  const tone = share >= 1 ? 'bad' : share >= alertAt ? 'warn' : '';
  const colour = tone === '' ? 'var(--accent)' : `var(--${tone})`;
  return (
    <div className="meter">
      <div className="row between keep">
        <span className="strong">{name}</span>
        <span className={`${tone} strong`}>{format.percent(share)}</span>
      </div>
      <div className="track" style={vars({ '--p': `${Math.min(100, share * 100)}%`, '--c': colour })}>
        <i />
        <em style={vars({ '--at': `${alertAt * 100}%` })} />
      </div>
      <div className="stat-note">{children}</div>
    </div>
  );
}
