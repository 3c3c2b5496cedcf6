import { useMemo } from 'react';
import { CAP_FIELDS, KEY_RULE_FIELDS } from '../../../../server/src/core/fields/key-rules.ts';
import type { getOwnAccount } from '../../../../server/src/http/console/routes/account.ts';
import type { getKeySpend } from '../../../../server/src/http/console/routes/keys.ts';
import type { listBases } from '../../../../server/src/http/console/routes/knowledge.ts';
import type { getPlayground } from '../../../../server/src/http/console/routes/playground.ts';
import type { testKey } from '../../../../server/src/http/console/routes/test-key.ts';
import type { getWallet } from '../../../../server/src/http/console/routes/usage.ts';
import type { Result } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import { addDays, dayAt, startOf } from '../../calendar.ts';
import { useFormat } from '../../format.ts';
import { DateInput } from '../../parts/date-field.tsx';
import { useDeclared } from '../../parts/declared.ts';
import { NumberInput } from '../../parts/form.tsx';
import { ListInput } from '../../parts/list-input.tsx';
import { usePreferences } from '../../preferences.tsx';
import { useShared } from '../../words/shared.ts';
import type { Gate } from './gates.tsx';
import type { Key } from './page.tsx';
import { useWords } from './words.ts';

export type Rules = Key['rules'];

type Period = 'daily' | 'monthly' | 'total';

/** What the reader may change: the caps of the playground's key are changed apart from its other gates. */
export interface Editable {
  rules: boolean;
  caps: readonly Period[];
}

export type Verdicts = Result<typeof testKey>['rules'];

export function useGates(
  value: Key,
  rules: Rules,
  change: <F extends keyof Rules>(field: F, next: Rules[F]) => void,
  editable: Editable,
): Gate[] {
  const words = useWords();
  const shared = useShared();
  const declared = useDeclared();
  const nameOf = (field: keyof typeof KEY_RULE_FIELDS) => declared(KEY_RULE_FIELDS[field]).label;
  const { timeZone } = usePreferences();
  const format = useFormat();
  const account = useRead<typeof getOwnAccount>('GET /api/console/account', {}).data;
  const spend = useRead<typeof getKeySpend>('GET /api/console/keys/:id/spend', { params: { id: value.id } }).data
    ?.spend;
  const wallet = useRead<typeof getWallet>('GET /api/console/wallet', {}).data;
  const models = useRead<typeof getPlayground>('GET /api/console/playground', {}).data?.models as
    | { id: string }[]
    | undefined;
  const bases = useRead<typeof listBases>('GET /api/console/knowledge-bases', { query: {} }).data?.data ?? [];
  const modelIds = useMemo(() => (models ?? []).map(({ id }) => id), [models]);
  const list = (
    field: 'ips' | 'referrers' | 'endpoints' | 'models' | 'knowledge_bases',
    suggestions: readonly string[] = [],
  ) =>
    editable.rules ? (
      <ListInput
        label={nameOf(field)}
        bounds={KEY_RULE_FIELDS[field]}
        placeholder={words.everything}
        values={(rules[field] as string[] | null | undefined) ?? null}
        onChange={(next) => change(field, next as never)}
        suggestions={suggestions}
      />
    ) : null;
  const limit = (field: 'rpm' | 'tpm') => (
    <NumberInput
      aria-label={nameOf(field)}
      bounds={KEY_RULE_FIELDS[field]}
      disabled={!editable.rules}
      value={rules[field] == null ? null : String(rules[field])}
      onChange={(next) => change(field, next === null ? null : Math.round(Number(next)))}
      unit={words.perMinute}
      placeholder={shared.unlimited}
    />
  );
  const count = (items: readonly unknown[] | null | undefined) => format.number(items?.length ?? 0);
  const cap = (period: Period): Gate => {
    const state = spend?.find((entry) => entry.period === period);
    const amount = rules.caps?.[period] as string | null | undefined;
    const resets =
      state?.resets_at == null ? words.say.neverResets : words.say.resets(format.dateTime(state.resets_at));
    return {
      id: period,
      name: declared(CAP_FIELDS[period]).label,
      sentence: amount == null ? words.say.noCap : `${words.say.cap(format.money(String(amount)))} ${resets}`,
      control: (
        <NumberInput
          aria-label={declared(CAP_FIELDS[period]).label}
          disabled={!editable.caps.includes(period)}
          value={amount == null ? null : String(amount)}
          onChange={(next) => change('caps', { ...rules.caps, [period]: next } as Rules['caps'])}
          unit={shared.toman}
          placeholder={shared.unlimited}
        />
      ),
      note:
        state === undefined
          ? undefined
          : state.remaining === null
            ? words.say.spent(format.money(state.spent))
            : words.say.left(format.money(state.remaining)),
      judged: ['cap'],
      period,
    };
  };
  return [
    {
      id: 'paused',
      name: words.gates.paused,
      sentence: rules.paused === true ? words.say.isPaused : words.say.works,
      judged: ['paused'],
    },
    {
      id: 'expires',
      name: nameOf('expires_at'),
      sentence:
        rules.expires_at == null
          ? words.say.noExpiry
          : new Date(rules.expires_at).getTime() < Date.now()
            ? words.say.wasUntil(format.dateTime(rules.expires_at))
            : words.say.until(format.dateTime(rules.expires_at)),
      control: editable.rules && (
        <DateInput
          label={nameOf('expires_at')}
          empty={words.say.noExpiry}
          earliest={dayAt(Date.now(), timeZone)}
          value={rules.expires_at == null ? null : dayAt(rules.expires_at, timeZone)}
          // To the end of that day.
          onChange={(day) =>
            change(
              'expires_at',
              day === null ? null : new Date(startOf(addDays(day, 1), timeZone).getTime() - 1_000).toISOString(),
            )
          }
        />
      ),
      judged: ['expired'],
    },
    {
      id: 'ips',
      name: nameOf('ips'),
      sentence: rules.ips == null ? words.say.anyIp : words.say.ips(count(rules.ips)),
      control: list('ips'),
      judged: ['ip'],
    },
    {
      id: 'referrers',
      name: nameOf('referrers'),
      sentence: rules.referrers == null ? words.say.anyReferrer : words.say.referrers(count(rules.referrers)),
      control: list('referrers'),
      judged: ['referrer'],
    },
    {
      id: 'endpoints',
      name: nameOf('endpoints'),
      sentence: rules.endpoints == null ? words.say.anyEndpoint : words.say.endpoints(count(rules.endpoints)),
      control: list('endpoints', KEY_RULE_FIELDS.endpoints.values),
      judged: ['endpoint'],
    },
    {
      id: 'models',
      name: nameOf('models'),
      sentence: rules.models == null ? words.say.anyModel : words.say.models(count(rules.models)),
      control: list('models', modelIds),
      judged: ['model', 'capability'],
    },
    {
      id: 'rpm',
      name: nameOf('rpm'),
      sentence: sentenceOfRpm(rules.rpm ?? null, account?.rules.rpm ?? null, words, format),
      control: limit('rpm'),
      judged: ['requests_of_key', 'requests_of_account'],
    },
    cap('daily'),
    cap('monthly'),
    cap('total'),
    {
      id: 'wallet',
      name: words.gates.wallet,
      sentence: words.say.wallet,
      note: wallet === undefined ? undefined : words.say.available(format.money(wallet.available)),
      judged: ['wallet'],
    },
    {
      id: 'tpm',
      name: nameOf('tpm'),
      sentence: rules.tpm == null ? words.say.noTpm : words.say.tpm(format.number(rules.tpm)),
      control: limit('tpm'),
      judged: ['tokens_of_key'],
    },
    {
      id: 'knowledge',
      name: nameOf('knowledge_bases'),
      sentence:
        rules.knowledge_bases == null ? words.say.anyKnowledge : words.say.knowledge(count(rules.knowledge_bases)),
      control: list(
        'knowledge_bases',
        bases.map(({ id }) => id),
      ),
      judged: [],
    },
  ];
}

/** The account's own limit is named where it is the lower one. */
function sentenceOfRpm(
  rpm: number | null,
  ofAccount: number | null,
  { say }: ReturnType<typeof useWords>,
  format: ReturnType<typeof useFormat>,
): string {
  if (rpm === null) return say.noRpm;
  if (rpm === 0) return say.rpmNone;
  const own = say.rpm(format.number(rpm));
  return ofAccount !== null && ofAccount < rpm ? `${own} ${say.accountBinds(format.number(ofAccount))}` : own;
}
