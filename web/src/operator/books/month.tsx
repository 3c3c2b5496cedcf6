/** The month: what an accountant looks at before it is closed, and the two people who close it. */

import type { askClosing, decideClosing, getPeriod, listPeriods } from '@dargah/api/admin/month-end.ts';
import { useState } from 'react';
import { Link } from 'wouter';
import { useAddress } from '../../address.ts';
import type { Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { AskingButton } from '../../parts/dialog.tsx';
import { Amount } from '../../parts/figures.tsx';
import { TextField } from '../../parts/form.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { Pill, type Tone } from '../../parts/pill.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useStaffMay } from '../may.ts';
import { CsvLink } from './csv-link.tsx';
import { BooksRuleForm } from './rule.tsx';
import { useSpanNames } from './spans.ts';
import { useAccountingTexts } from './texts.ts';

type Period = Result<typeof listPeriods>['data'][number];
type Detailed = Result<typeof getPeriod>;
type Check = Detailed['checks'][number];

const STALE = ['GET /api/admin/periods', 'GET /api/admin/periods/:id', 'GET /api/admin/books/rule'];
const TONES: Record<Period['state'], Tone> = { running: 'info', open: 'warn', asked: 'held', closed: 'ok' };

export function MonthPage() {
  const address = useAddress();
  const list = useRead<typeof listPeriods>('GET /api/admin/periods', { query: { limit: 24 } });
  if (list.error !== null && list.data === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  const months = list.data?.data;
  if (months === undefined) return <span className="skel block" />;
  const chosen = address.get('month') ?? (monthToLookAt(months)?.id || '');
  return (
    <div className="stack">
      {chosen !== '' && <OneMonth id={chosen} />}
      <Months months={months} onChoose={(id) => address.set({ month: id })} />
      <BooksRuleForm stale={STALE} />
    </div>
  );
}

/** The oldest that can be closed, or the one that runs. */
function monthToLookAt(months: readonly Period[]): Period | undefined {
  return months.findLast(({ state }) => state === 'open' || state === 'asked') ?? months[0];
}

function OneMonth({ id }: { id: string }) {
  const texts = useAccountingTexts();
  const names = useSpanNames();
  const [sentences, setSentences] = useState<Record<string, string>>({});
  const read = useRead<typeof getPeriod>('GET /api/admin/periods/:id', { params: { id } }, { keep: true });
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  const period = read.data;
  if (period === undefined) return <span className="skel block" />;
  const name = names.name(period);
  return (
    <section className="panel cut cut-2" aria-label={name}>
      <div>
        <div className="head ruled books-head">
          <h2>{period.state === 'closed' ? name : `${texts.before} · ${name}`}</h2>
          <div className="end">
            <CsvLink report="journal" query={{ month: id }} name={texts.tabs.journal} />
          </div>
        </div>
        {period.state === 'closed' ? (
          <Sentences period={period} />
        ) : (
          <ul className="month-checks">
            {period.checks.map((check) => (
              <CheckRow
                key={check.id}
                check={check}
                asks={period.state === 'open'}
                sentence={sentences[check.id] ?? period.sentences[check.id] ?? ''}
                onSentence={(text) => setSentences({ ...sentences, [check.id]: text })}
              />
            ))}
          </ul>
        )}
      </div>
      <Closing period={period} name={name} sentences={sentences} />
    </section>
  );
}

/** What was written about the month when it was closed. */
function Sentences({ period }: { period: Detailed }) {
  const texts = useAccountingTexts();
  const said = Object.entries(period.sentences);
  return (
    <ul className="month-checks">
      {said.length === 0 && <li className="mid">{texts.clear}</li>}
      {said.map(([id, sentence]) => (
        <li key={id}>
          <span className="dot warn" aria-hidden="true" />
          <div>
            <span className="strong">{texts.checks[id]?.[0] ?? id}</span>
            <bdi className="sub">{sentence}</bdi>
          </div>
        </li>
      ))}
    </ul>
  );
}

interface CheckRowProps {
  check: Check;
  asks: boolean;
  sentence: string;
  onSentence(text: string): void;
}

function CheckRow({ check, asks, sentence, onSentence }: CheckRowProps) {
  const texts = useAccountingTexts();
  const format = useFormat();
  const { id, level, count, amount, link } = check;
  const [open, fine] = texts.checks[id] ?? [id, id];
  const isOpen = count > 0;
  const tone = !isOpen ? 'ok' : level === 'red' ? 'bad' : 'warn';
  return (
    <li>
      <span className={`dot ${tone}`} aria-hidden="true" />
      <div>
        <span className={isOpen ? 'strong' : 'mid'}>{isOpen ? open : fine}</span>
        {isOpen && (
          <span className="row keep sub">
            <Pill tone={level === 'red' ? 'bad' : 'warn'}>{format.number(count)}</Pill>
            {amount !== null && amount !== '0' && <Amount value={amount} unit />}
            <Link href={link}>{texts.look}</Link>
          </span>
        )}
        {isOpen && level === 'amber' && asks && (
          <TextField
            label={<span className="vh">{texts.sentence}</span>}
            placeholder={texts.sentence}
            dir="auto"
            maxLength={500}
            value={sentence}
            onChange={onSentence}
          />
        )}
        {isOpen && level === 'amber' && !asks && sentence !== '' && <bdi className="sub">{sentence}</bdi>}
      </div>
    </li>
  );
}

interface ClosingProps {
  period: Detailed;
  name: string;
  sentences: Record<string, string>;
}

function Closing({ period, name, sentences }: ClosingProps) {
  const texts = useAccountingTexts();
  const format = useFormat();
  const names = useSpanNames();
  const may = useStaffMay<typeof askClosing>(['owner', 'finance']);
  const ask = useChange<typeof askClosing>('POST /api/admin/periods/:id/closing', { stale: STALE });
  const decide = useChange<typeof decideClosing>('POST /api/admin/periods/:id/closing/decision', { stale: STALE });
  const params = { id: period.id };
  const red = period.checks.filter(({ level, count }) => level === 'red' && count > 0);
  const amber = period.checks.filter(({ level, count }) => level === 'amber' && count > 0);
  const unsaid = amber.filter(({ id }) => (sentences[id] ?? '').trim().length < 3);
  if (period.state === 'closed')
    return (
      <div className="pad stack">
        <Pill tone="ok">{texts.states.closed}</Pill>
        {period.closed_at !== null && <p>{texts.isClosed(format.date(period.closed_at))}</p>}
        {period.asked_by_name !== null && <p className="mid">{texts.askedBy(period.asked_by_name)}</p>}
        {period.approved_by_name !== null && (
          <p className="mid">
            {texts.approvedBy(period.approved_by_name)}{' '}
            {period.alone && <span className="warn">{texts.closedAlone}</span>}
          </p>
        )}
        <p className="mid">{texts.forEver}</p>
      </div>
    );
  return (
    <div className="pad stack">
      <h2>{texts.closeOf(name)}</h2>
      <p className="mid">{texts.forEver}</p>
      <ol className="closing-steps">
        <li className={period.state === 'asked' ? 'mid' : 'strong'}>
          {period.asked_by_name === null ? texts.firstStep : texts.askedBy(period.asked_by_name)}
        </li>
        <li className={period.state === 'asked' ? 'strong' : 'mid'}>{texts.secondStep}</li>
      </ol>
      {period.state === 'running' && <p className="mid">{texts.runs}</p>}
      <p className="mid">{texts.closableFrom(names.day(period.closable_from))}</p>
      {red.length > 0 && <p className="bad">{texts.blockers(format.number(red.length))}</p>}
      {red.length === 0 && period.state === 'open' && unsaid.length > 0 && (
        <p className="warn">{texts.needSentence(format.number(unsaid.length))}</p>
      )}
      {may && period.state === 'open' && (
        <button
          type="button"
          className="btn main"
          disabled={red.length > 0 || unsaid.length > 0 || ask.isPending}
          onClick={() => ask.mutate({ params, body: { sentences } })}
        >
          {texts.ask}
        </button>
      )}
      {may && period.state === 'asked' && (
        <div className="row">
          <AskingButton
            title={texts.approveTitle}
            text={texts.approveText}
            onConfirm={() => decide.mutate({ params, body: { approve: true } })}
          >
            {texts.approve}
          </AskingButton>
          <AskingButton
            title={texts.refuseTitle}
            text={texts.refuseText}
            onConfirm={() => decide.mutate({ params, body: { approve: false } })}
          >
            {texts.refuse}
          </AskingButton>
        </div>
      )}
    </div>
  );
}

function Months({ months, onChoose }: { months: readonly Period[]; onChoose(id: string): void }) {
  const texts = useAccountingTexts();
  const format = useFormat();
  const names = useSpanNames();
  return (
    <Panel title={texts.former}>
      <ul className="month-list">
        {months.map((month) => (
          <li key={month.id}>
            <button type="button" className="plainlink" onClick={() => onChoose(month.id)}>
              {names.name(month)}
            </button>
            <span className="row keep xs mid">
              {month.closed_at !== null && format.date(month.closed_at)}
              {month.alone && <span className="warn">{texts.closedAlone}</span>}
              <Pill tone={TONES[month.state]}>{texts.states[month.state]}</Pill>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
