/**
 * The gates of a key: one for each declared rule that has one (packages/core/src/fields/key-rules.ts), in the order of
 * checking.
 */

import type { getOwnAccount } from '@dargah/api/console/account.ts';
import type { getKeySpend } from '@dargah/api/console/keys.ts';
import type { listBases } from '@dargah/api/console/knowledge.ts';
import type { getWallet } from '@dargah/api/console/own-money.ts';
import { CAP_FIELDS, MAX_PRICE_FIELDS } from '@dargah/core/fields/account-rules.ts';
import { DATA_POLICY_FIELDS } from '@dargah/core/fields/data-rules.ts';
import type { Field, FieldTable } from '@dargah/core/fields/field.ts';
import { KEY_RULE_FIELDS } from '@dargah/core/fields/key-rules.ts';
import { useMemo } from 'react';
import { useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { useDeclared } from '../../parts/declared.ts';
import type { Gate } from '../../parts/gates.tsx';
import { RuleControl, useSentence } from '../../parts/rule-control.tsx';
import { useModels } from '../use-models.ts';
import type { Key } from './own-key.ts';
import { useTexts } from './texts.ts';

export type Rules = Key['rules'];

/** Initial suggestions for a list of regions. */
const REGIONS = ['eu', 'us', 'gb', 'de', 'fr', 'nl', 'tr', 'ae', 'jp', 'cn'];

type Period = keyof typeof CAP_FIELDS;

/** Which rules the reader may change: the caps of the playground's key are changed apart from its other gates. */
export interface Editable {
  rules: boolean;
  caps: readonly Period[];
}

export function useGates(
  value: Key,
  rules: Rules,
  change: <F extends keyof Rules>(field: F, next: Rules[F]) => void,
  editable: Editable,
): Gate[] {
  const texts = useTexts();
  const format = useFormat();
  const declared = useDeclared();
  const sentenceOf = useSentence();
  const suggestionsFor = useSuggestions();
  const models = useModels();
  const account = useRead<typeof getOwnAccount>('GET /api/console/account', {}).data;
  const spend = useRead<typeof getKeySpend>('GET /api/console/keys/:id/spend', { params: { id: value.id } }).data
    ?.spend;
  const wallet = useRead<typeof getWallet>('GET /api/console/wallet', {}).data;

  const gateOf = (name: string, field: Field): Gate => ({
    id: name,
    name: declared(field).label,
    sentence: sentenceOf(field, rules[name as keyof Rules]),
    control: (
      <RuleControl
        field={field}
        value={rules[name as keyof Rules]}
        onChange={(next) => change(name as keyof Rules, next as never)}
        disabled={!editable.rules}
        suggestions={suggestionsFor(field)}
        models={models}
      />
    ),
    judged: field.gate?.verdicts ?? [],
  });
  const capGate = (period: Period): Gate => {
    const field = CAP_FIELDS[period];
    const state = spend?.find((entry) => entry.period === period);
    const amount = rules.caps?.[period];
    const resets =
      state?.resets_at == null ? texts.say.neverResets : texts.say.resets(format.dateTime(state.resets_at));
    return {
      ...gateOf(period, field),
      sentence: amount == null ? sentenceOf(field, null) : `${sentenceOf(field, amount)} ${resets}`,
      control: (
        <RuleControl
          field={field}
          value={amount}
          onChange={(next) => change('caps', { ...rules.caps, [period]: next } as Rules['caps'])}
          disabled={!editable.caps.includes(period)}
          suggestions={[]}
          models={undefined}
        />
      ),
      note:
        state === undefined
          ? undefined
          : state.remaining === null
            ? texts.say.spent(format.money(state.spent))
            : texts.say.left(format.money(state.remaining)),
      period,
    };
  };
  /** One gate for each field of a rule that has several. */
  const gatesOfGroup = <G extends 'max_price' | 'data_policy'>(group: G, fields: FieldTable): Gate[] =>
    Object.entries(fields).map(([name, field]) => {
      const value = (rules[group] as Record<string, unknown> | null | undefined)?.[name];
      return {
        ...gateOf(`${group}_${name}`, field),
        sentence: sentenceOf(field, value),
        control: (
          <RuleControl
            field={field}
            value={value}
            onChange={(next) => change(group, { ...rules[group], [name]: next } as Rules[G])}
            disabled={!editable.rules}
            suggestions={field.kind === 'list' ? REGIONS : []}
            models={undefined}
          />
        ),
      };
    });
  const walletGate: Gate = {
    id: 'wallet',
    name: texts.gates.wallet,
    sentence: texts.say.wallet,
    note: wallet === undefined ? undefined : texts.say.available(format.money(wallet.available)),
    judged: ['wallet'],
  };
  /** Gates that say more than their declaration does. */
  const special: { [F in keyof Rules]?: (gate: Gate) => Gate[] } = {
    // Changed by the button above.
    paused: (gate) => [{ ...gate, name: texts.gates.paused, control: undefined }],
    expires_at: (gate) =>
      rules.expires_at != null && new Date(rules.expires_at).getTime() < Date.now()
        ? [{ ...gate, sentence: texts.say.wasUntil(format.dateTime(rules.expires_at)) }]
        : [gate],
    rpm: (gate) => [{ ...gate, sentence: sentenceOfRpm(gate.sentence, rules.rpm, account?.rules.rpm, texts, format) }],
    max_price: () => gatesOfGroup('max_price', MAX_PRICE_FIELDS),
    data_policy: () => gatesOfGroup('data_policy', DATA_POLICY_FIELDS),
    caps: () => [...(Object.keys(CAP_FIELDS) as Period[]).map(capGate), walletGate],
  };
  return Object.entries(KEY_RULE_FIELDS as FieldTable).flatMap(([name, field]) => {
    const own = special[name as keyof Rules];
    if (own) return own(gateOf(name, field));
    return field.gate ? [gateOf(name, field)] : [];
  });
}

/** Suggestions for a list, by the kind of its entries. */
function useSuggestions(): (field: Field) => readonly string[] {
  const bases = useRead<typeof listBases>('GET /api/console/knowledge-bases', { query: {} }).data?.data;
  return useMemo(() => {
    const known: Readonly<Record<string, readonly string[]>> = {
      'knowledge-base': (bases ?? []).map(({ id }) => id),
    };
    return (field) => (field.kind === 'list' ? (known[field.entry] ?? []) : []);
  }, [bases]);
}

/** The account's own limit is shown where it is lower. */
function sentenceOfRpm(
  sentence: string,
  rpm: number | null | undefined,
  ofAccount: number | null | undefined,
  { say }: ReturnType<typeof useTexts>,
  format: ReturnType<typeof useFormat>,
): string {
  if (rpm == null) return sentence;
  if (rpm === 0) return say.rpmNone;
  return ofAccount != null && ofAccount < rpm ? `${sentence} ${say.accountBinds(format.number(ofAccount))}` : sentence;
}
