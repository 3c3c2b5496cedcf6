/** The head of an account's page: state, money, use, and what is wrong now. */
import type { blockAccount, getDesk } from '@dargah/api/admin/desk.ts';
import { Link } from 'wouter';
import type { Result } from '../../api/call.ts';
import { useFormat } from '../../format.ts';
import { Amount, Moment } from '../../parts/figures.tsx';
import { Icon } from '../../parts/icon.tsx';
import { vars } from '../../parts/meter.tsx';
import { Pill } from '../../parts/pill.tsx';
import { useMe } from '../../session.tsx';
import { useStaffMay } from '../may.ts';
import { useDeskTexts } from './desk-texts.ts';
import { PinnedNotes } from './notes.tsx';

type Desk = Result<typeof getDesk>;

export function AccountState({ desk }: { desk: Desk }) {
  const texts = useDeskTexts();
  if (desk.closed_at !== null) return <Pill tone="off">{texts.closed}</Pill>;
  if (desk.block !== null) return <Pill tone="bad">{texts.blocked}</Pill>;
  if (desk.account.rules.paused === true) return <Pill tone="warn">{texts.paused}</Pill>;
  return <Pill tone="ok">{texts.active}</Pill>;
}

export function DeskHead({ desk, onUnblock }: { desk: Desk; onUnblock(): void }) {
  const texts = useDeskTexts();
  const format = useFormat();
  const { wallet, last_day: day, account } = desk;
  return (
    <section className="panel" aria-label={texts.state}>
      <div className="strip facts-strip">
        <Stat name={texts.available} value={<Amount value={wallet.available} unit />}>
          {texts.held} <Amount value={wallet.held} />
        </Stat>
        <Stat name={texts.today} value={<Amount value={spentOf(desk, 'daily')} unit />}>
          <CapShare desk={desk} period="daily" />
        </Stat>
        <Stat name={texts.month} value={<Amount value={desk.spent_30_days} unit />}>
          <CapShare desk={desk} period="monthly" />
        </Stat>
        <Stat
          name={texts.failed}
          bad={day.failed > 0}
          value={
            <>
              {format.number(day.failed)} <span className="unit">{texts.failedOf(format.number(day.requests))}</span>
            </>
          }
        >
          {texts.refused(format.number(day.refused))}
        </Stat>
        <Stat name={texts.lastUse} value={desk.last_used_at === null ? texts.never : <Moment at={desk.last_used_at} />}>
          {account.margin === null ? texts.usualMargin : texts.margin(format.percent(Number(account.margin), 2))}
        </Stat>
      </div>
      {desk.block !== null && <Blocked desk={desk} block={desk.block} onUnblock={onUnblock} />}
      <PinnedNotes id={account.id} />
      {desk.outages.map((outage) => (
        <p key={outage.id} className="note is-bad under">
          <Icon name="warn" />
          <span>
            {outage.text[format.language]} <Link href={outage.link}>{texts.seeFailed}</Link> ·{' '}
            <Link href="/operator/outages">{texts.seeOutages}</Link>
          </span>
        </p>
      ))}
      {desk.incidents.map((incident) => (
        <p key={incident.id} className="note is-bad under">
          <Icon name="warn" />
          <span>
            {texts.incident} <bdi>{incident.title[format.language]}</bdi>، <Moment at={incident.started_at} />.{' '}
            <Link href="/operator/news">{texts.seeIncidents}</Link>
          </span>
        </p>
      ))}
    </section>
  );
}

function Stat({
  name,
  value,
  bad = false,
  children,
}: {
  name: string;
  value: React.ReactNode;
  bad?: boolean;
  children: React.ReactNode;
}) {
  return (
    <div className="stat">
      <div className="stat-name">{name}</div>
      <div className={bad ? 'stat-value bad' : 'stat-value'}>{value}</div>
      <div className="stat-note">{children}</div>
    </div>
  );
}

type Period = 'daily' | 'monthly';

function spentOf({ spend }: Desk, period: Period): string {
  return spend.find((one) => one.period === period)?.spent ?? '0';
}

/** How much of the cap is used, in the calendar day or month by which requests are refused. */
function CapShare({ desk, period }: { desk: Desk; period: Period }) {
  const texts = useDeskTexts();
  const format = useFormat();
  const cap = desk.spend.find((one) => one.period === period);
  if (cap === undefined || cap.limit === null) return texts.noCap;
  const share = Number(cap.limit) === 0 ? 1 : Number(cap.spent) / Number(cap.limit);
  const tone = share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : '';
  const colour = tone === '' ? 'var(--accent)' : `var(--${tone})`;
  const said = format.percent(share);
  return (
    <>
      <span className="minibar" style={vars({ '--p': `${Math.min(100, share * 100)}%`, '--c': colour })} />{' '}
      <span className={tone}>{period === 'daily' ? texts.ofDaily(said) : texts.ofMonthly(said)}</span>
    </>
  );
}

function Blocked({ block, onUnblock }: { desk: Desk; block: NonNullable<Desk['block']>; onUnblock(): void }) {
  const texts = useDeskTexts();
  const format = useFormat();
  const mayBlock = useStaffMay<typeof blockAccount>(['owner', 'support']);
  const isOwner = useMe().staff?.role === 'owner';
  return (
    <div className="note is-bad under">
      <Icon name="warn" />
      <div className="row between grow">
        <span>
          {texts.blockedSince(format.dateTime(block.at))}{' '}
          {block.until !== null && texts.blockedUntil(format.dateTime(block.until))} <bdi>{block.reason}</bdi>
        </span>
        {mayBlock && (!block.by_owner || isOwner) && (
          <button type="button" className="btn small" onClick={onUnblock}>
            {texts.unblock}
          </button>
        )}
        {mayBlock && block.by_owner && !isOwner && <span className="xs dim">{texts.ownersBlock}</span>}
      </div>
    </div>
  );
}
