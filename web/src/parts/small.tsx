/** The small words of every page: amounts, ids, states, moments. */
import { type CSSProperties, type ReactNode, useEffect, useRef } from 'react';
import { useFormat } from '../format.ts';
import { useShared } from '../words/shared.ts';
import { Icon } from './icon.tsx';
import { useToast } from './toast.tsx';

/** Exact toman: whole in ink, fraction small and dim, never cut. */
export function Amount({ value, unit = false, tone }: { value: string; unit?: boolean; tone?: string }) {
  const format = useFormat();
  const words = useShared();
  const { whole, fraction } = format.amount(value);
  return (
    <span className={tone} title={`${value} ${words.toman}`}>
      <bdi className="amt" dir="ltr">
        {whole}
        {fraction !== '' && <small>{fraction}</small>}
      </bdi>
      {unit && <span className="unit"> {words.toman}</span>}
    </span>
  );
}

/** An amount in a column of numbers: the fraction has a fixed room, so that points stand above each other. */
export function AmountCell({ value, tone }: { value: string; tone?: string }) {
  const format = useFormat();
  const words = useShared();
  const { whole, fraction } = format.amount(value);
  return (
    <span className={tone} title={`${value} ${words.toman}`}>
      <bdi className="amt" dir="ltr">
        {whole}
        <small>{fraction}</small>
      </bdi>
      <span className="cell-unit">
        {' '}
        <span className="unit">{words.toman}</span>
      </span>
    </span>
  );
}

/** A number in a column; where the row folds and the head is gone, its unit stands beside it. */
export function Counted({ children, unit }: { children: ReactNode; unit: string }) {
  return (
    <>
      {children}
      <span className="cell-unit">
        {' '}
        <span className="unit">{unit}</span>
      </span>
    </>
  );
}

/** So many requests, accounts or documents. */
export function CountOf({ count, of }: { count: number; of: 'request' | 'account' | 'document' }) {
  const format = useFormat();
  const { one, more } = useShared().counted[of];
  return <Counted unit={count === 1 ? one : more}>{format.number(count)}</Counted>;
}

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const words = useShared();
  const toast = useToast();
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    toast({ text: words.copied });
  };
  return (
    <button
      type="button"
      className="copy"
      aria-label={label ?? words.copy}
      title={label ?? words.copy}
      onClick={() => void copy()}
    >
      <Icon name="copy" />
    </button>
  );
}

/** A key tail, an id, a model name: left to right in any sentence. */
export function Id({ value, copy = false, boxed = false }: { value: string; copy?: boolean; boxed?: boolean }) {
  return (
    <bdi className={boxed ? 'id boxed' : 'id'} dir="ltr">
      <span title={value}>{value}</span>
      {copy && <CopyButton text={value} />}
    </bdi>
  );
}

/** `anthropic/claude` with the vendor dropped where there is little room. */
export function ModelName({ id }: { id: string }) {
  if (id === '') return <span className="dim">—</span>;
  const cut = id.indexOf('/') + 1;
  return (
    <bdi className="id" dir="ltr">
      <span title={id}>
        {cut > 0 && <span className="hs ws">{id.slice(0, cut)}</span>}
        {id.slice(cut)}
      </span>
    </bdi>
  );
}

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

/** A moment: relative under a day, exact on hover with the other calendar. */
export function Moment({ at, exact = false }: { at: string | number; exact?: boolean }) {
  const format = useFormat();
  return (
    <time dateTime={new Date(at).toISOString()} title={`${format.dateTime(at)} · ${format.elsewhere(at)}`}>
      {exact ? format.dateTime(at) : format.ago(at)}
    </time>
  );
}

/** Stands between an old value and the new one, in the direction of reading. */
export function Becomes() {
  const { language } = useFormat();
  return <span aria-hidden="true">{language === 'fa' ? '←' : '→'}</span>;
}

export function Live({ children }: { children: ReactNode }) {
  return <span className="live">{children}</span>;
}

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
      <div className="s">{children}</div>
    </div>
  );
}

export function Empty({
  title,
  text,
  children,
  page = false,
}: {
  title: string;
  text: string;
  children?: ReactNode;
  /** It is all there is on the page, so its title is the page's. */
  page?: boolean;
}) {
  const Title = page ? 'h1' : 'h2';
  return (
    <div className="empty">
      <Title>{title}</Title>
      <p>{text}</p>
      {children !== undefined && <div className="row">{children}</div>}
    </div>
  );
}

export function PageHead({ title, lead, children }: { title: ReactNode; lead?: ReactNode; children?: ReactNode }) {
  return (
    <div className="page-head">
      <div>
        <h1>{title}</h1>
        {lead !== undefined && <p>{lead}</p>}
      </div>
      {children !== undefined && <div className="row">{children}</div>}
    </div>
  );
}

export function Panel({
  title,
  aside,
  ruled = true,
  label,
  children,
}: {
  title?: ReactNode;
  aside?: ReactNode;
  ruled?: boolean;
  label?: string;
  children: ReactNode;
}) {
  return (
    <section className="panel" aria-label={label ?? (typeof title === 'string' ? title : undefined)}>
      {title !== undefined && (
        <div className={ruled ? 'head ruled' : 'head'}>
          <h2>{title}</h2>
          {aside !== undefined && <div className="end">{aside}</div>}
        </div>
      )}
      {children}
    </section>
  );
}

export function Note({ tone, children }: { tone: 'warn' | 'info'; children: ReactNode }) {
  return (
    <div className={`note is-${tone}`}>
      <Icon name={tone === 'warn' ? 'warn' : 'info'} />
      <div>{children}</div>
    </div>
  );
}

/** Code to copy: always left to right, in plain digits. */
export function Code({ text }: { text: string }) {
  return (
    <div className="code-box" dir="ltr">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reachable by keyboard. */}
      <pre className="code" tabIndex={0}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} />
    </div>
  );
}

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
