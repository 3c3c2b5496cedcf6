/** States: a word with the colour of how good it is. */
import type { ReactNode } from 'react';

export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'held' | 'off';
const TONES: Record<Tone, string> = {
  ok: 'pill ok',
  warn: 'pill is-warn',
  bad: 'pill is-bad',
  info: 'pill is-info',
  held: 'pill is-held',
  off: 'pill off',
};

export function Pill({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={TONES[tone]}>{children}</span>;
}

export function Live({ children }: { children: ReactNode }) {
  return <span className="live">{children}</span>;
}
