/** `/api/console/usage/export`: usage as a file, day by day, so that a long span is never in memory whole. */
import { exportUsage } from '@dargah/api/console/usage.ts';
import type { QueryOf } from '@dargah/api/describe-route.ts';
import type { Account } from '../../accounts/index.ts';
import type { Sink } from '../../core/answer.ts';
import { money, toTomanText } from '../../core/money.ts';
import { BYTE_ORDER_MARK, csvLine } from '../../core/write-csv.ts';
import { periodOf } from '../../keys/index.ts';
import { FOCUS_HEAD, focusLine, type UsageLine, type UsageLines } from '../../requestlog/index.ts';
import { RawAnswer } from '../routes/handler-result.ts';
import type { Register } from '../routes/register.ts';
import { intervalAt, spanOf, type TimeSpan } from './period.ts';
import type { UsageServices } from './usage.ts';

export interface UsageFileServices extends UsageServices {
  lines: UsageLines;
  /** What the operator's service is called. */
  serviceName(): string;
}

interface File {
  account: Account;
  span: TimeSpan;
  query: QueryOf<typeof exportUsage>;
}

const HEAD = [
  'day',
  'key_id',
  'key_name',
  'model',
  'endpoint',
  'tags',
  'requests',
  'errors',
  'input_tokens',
  'cached_tokens',
  'output_tokens',
  'cost_toman',
];

export function usageFileRoutes(register: Register, services: UsageFileServices): void {
  const { accounts, clock } = services;
  register(exportUsage, async ({ who, query }) => {
    const account = await accounts.get(who.accountId);
    const file = { account, span: spanOf(query, account.calendar, clock.now()), query };
    const name = query.format === 'focus' ? 'usage-focus' : 'usage';
    return new RawAnswer({
      kind: 'stream',
      contentType: 'text/csv; charset=utf-8',
      headers: { 'content-disposition': `attachment; filename="${name}.csv"` },
      run: (sink) => writeFile(services, file, sink),
    });
  });
}

async function writeFile(services: UsageFileServices, file: File, sink: Sink): Promise<void> {
  const { account, span, query } = file;
  const isFocus = query.format === 'focus';
  try {
    // No byte order mark: a program that reads FOCUS would take it for a part of the first column's name.
    await sink.write(isFocus ? FOCUS_HEAD : BYTE_ORDER_MARK + csvLine(HEAD));
    for (let at = span.from; at < span.to && !sink.gone; ) {
      const { start, end, label } = intervalAt(at, 'day', account.calendar);
      const day = { from: at, to: Math.min(end, span.to) };
      const lines = await services.lines.lines({ ...filterOf(file), ...day });
      if (lines === undefined) throw new Error('more lines than a file can have of one day');
      const names = await services.keys.namesOf(account.id, [...new Set(lines.map(({ keyId }) => keyId))]);
      const nameOf = ({ keyId }: UsageLine) => names.get(keyId) ?? '';
      const { startsAt, resetsAt } = periodOf('monthly', account.calendar, start);
      const facts = { service: services.serviceName(), account, day, month: { from: startsAt, to: resetsAt ?? end } };
      const texts = lines.map((line) =>
        isFocus ? focusLine(line, { ...facts, keyName: nameOf(line) }) : plainLine(label, line, nameOf(line)),
      );
      if (texts.length > 0) await sink.write(texts.join(''));
      at = end;
    }
    sink.end();
  } catch {
    // A file that broke off must not look complete.
    sink.cut();
  }
}

function filterOf({ account, query: { key_id: keyId, member, model, endpoint, user, tag } }: File) {
  return { accountId: account.id, keyId, member, model, endpoint, user, tag };
}

function plainLine(day: string, line: UsageLine, keyName: string): string {
  return csvLine([
    day,
    line.keyId,
    keyName,
    line.model,
    line.endpoint,
    line.tags.join(' '),
    line.requests,
    line.errors,
    line.inputTokens,
    line.cachedTokens,
    line.outputTokens,
    toTomanText(money(line.cost)),
  ]);
}
