/** The facts about one kind of data that is kept: what, where, how long, who reads it, and where that is decided. */
import { persianDigits } from '@dargah/core/persian-text.ts';
import type { Text } from '@dargah/core/text.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';

/**
 * How long it is kept. `if-asked` is shown to readers without an account: nothing is kept unless an account asks for
 * it.
 */
export type Until =
  | { by: 'age' | 'last-use' | 'if-asked'; ms: number }
  | { by: 'nothing' | 'request' | 'deletion' | 'no-end' };

export interface KeptThing {
  id: string;
  title: Text;
  what: Text;
  until: Until;
  where: 'database' | 'encrypted' | 'disk' | 'memory' | 'nowhere';
  /** Who can see it in the pages. */
  readers: Text;
  /** What happens to it when the account is closed. */
  atClosing: 'deleted' | 'kept' | 'nothing-left';
  /** Who decides, and the page where they do, or where the data can be seen and deleted. */
  decides: 'account' | 'service' | 'caller' | 'nobody';
  path: string | null;
  /** The database tables that hold it. */
  tables: readonly string[];
}

const SPANS = [
  [DAY_MS, 'روز', 'day'],
  [HOUR_MS, 'ساعت', 'hour'],
  [MINUTE_MS, 'دقیقه', 'minute'],
  [1_000, 'ثانیه', 'second'],
] as const;

/** In the largest unit that is exact. */
function spanText(ms: number): Text {
  const [unitMs, fa, en] = SPANS.find(([unit]) => ms % unit === 0 && ms >= unit) ?? SPANS[3];
  const count = ms / unitMs;
  return { fa: `${persianDigits(String(count))} ${fa}`, en: `${count} ${en}${count === 1 ? '' : 's'}` };
}

const ENDS = {
  nothing: { fa: 'نگه داشته نمی‌شود', en: 'Not kept' },
  request: { fa: 'تا پایان همان درخواست', en: 'Until the request ends' },
  deletion: { fa: 'تا وقتی حذفش کنید', en: 'Until you delete it' },
  'no-end': { fa: 'بدون پایان', en: 'Without an end' },
} satisfies Record<string, Text>;

/** The sentence that pages, the API and the public page show. */
export function untilText(until: Until): Text {
  if (!('ms' in until)) return ENDS[until.by];
  const span = spanText(until.ms);
  if (until.by === 'last-use') return { fa: `${span.fa} از آخرین استفاده`, en: `${span.en} after its last use` };
  if (until.by === 'if-asked')
    return {
      fa: `فقط اگر حساب بخواهد، حداکثر ${span.fa}`,
      en: `Only if the account asks for it, ${span.en} at most`,
    };
  return span;
}
