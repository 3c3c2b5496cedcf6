/** Which months are those of the books, and how long the tax office waits. */

import type { changeBooksRule, getBooksRule } from '@dargah/api/admin/month-end.ts';
import { type FormEvent, useState } from 'react';
import type { Result } from '../../api/call.ts';
import { errorAt, useChange, useRead } from '../../api/read.ts';
import { plainNumber, useFormat } from '../../format.ts';
import { SelectField, TextField } from '../../parts/form.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { useStaffMay } from '../may.ts';
import { useAccountingTexts } from './texts.ts';

type Rule = Result<typeof getBooksRule>;

export function BooksRuleForm({ stale }: { stale: readonly string[] }) {
  const read = useRead<typeof getBooksRule>('GET /api/admin/books/rule', {});
  return read.data === undefined ? null : <RuleForm rule={read.data} stale={stale} />;
}

function RuleForm({ rule, stale }: { rule: Rule; stale: readonly string[] }) {
  const texts = useAccountingTexts();
  const format = useFormat();
  const may = useStaffMay<typeof changeBooksRule>(['owner', 'finance']);
  const [calendar, setCalendar] = useState(rule.calendar);
  const [days, setDays] = useState(format.plain(rule.tax_send_days));
  const [service, setService] = useState(rule.tax_service_id);
  const change = useChange<typeof changeBooksRule>('PATCH /api/admin/books/rule', { stale, quiet: true });
  const save = (event: FormEvent) => {
    event.preventDefault();
    const sendDays = Number(plainNumber(days));
    const body = { tax_send_days: sendDays, tax_service_id: plainNumber(service) };
    change.mutate({ body: calendar === rule.calendar ? body : { ...body, calendar } });
  };
  return (
    <Panel title={texts.rule}>
      <form className="pad rule-form" aria-label={texts.rule} onSubmit={save}>
        <SelectField
          label={texts.calendar}
          hint={rule.calendar_fixed ? texts.calendarFixed : undefined}
          error={errorAt(change.error, 'calendar')}
          value={calendar}
          options={(['jalali', 'gregorian'] as const)
            .filter((one) => !rule.calendar_fixed || one === rule.calendar)
            .map((one) => [one, texts.calendars[one]] as const)}
          onChange={(next) => setCalendar(next as Rule['calendar'])}
        />
        <TextField
          label={`${texts.sendDays} (${texts.days})`}
          hint={texts.sendDaysHint}
          error={errorAt(change.error, 'tax_send_days')}
          name="tax_send_days"
          inputMode="numeric"
          value={days}
          onChange={setDays}
        />
        <TextField
          label={texts.serviceId}
          error={errorAt(change.error, 'tax_service_id')}
          name="tax_service_id"
          dir="ltr"
          inputMode="numeric"
          maxLength={32}
          value={service}
          onChange={setService}
        />
        {may && (
          <div className="row">
            <button type="submit" className="btn main" disabled={change.isPending}>
              {texts.save}
            </button>
          </div>
        )}
      </form>
    </Panel>
  );
}
