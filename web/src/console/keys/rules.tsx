/** One key: its gates in the order of checking, what each does as a sentence, and where a tested request stops. */
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { getOwnAccount } from '../../../../server/src/http/console/routes/account.ts';
import type {
  changeKey,
  endOverlap,
  getKeySpend,
  getPlayground,
  pauseKey,
  resumeKey,
  revokeKey,
  rotateKey,
  testKey,
} from '../../../../server/src/http/console/routes/keys.ts';
import type { listBases } from '../../../../server/src/http/console/routes/knowledge.ts';
import type { getUsageSeries, getWallet } from '../../../../server/src/http/console/routes/usage.ts';
import type { Result } from '../../api/call.ts';
import { forget, useChange, useRead } from '../../api/read.ts';
import { addDays, dayAt, startOf } from '../../calendar.ts';
import { useFormat } from '../../format.ts';
import { DateInput } from '../../parts/date-field.tsx';
import { Confirm, Dialog } from '../../parts/dialog.tsx';
import { CommitBar, NumberField, NumberInput } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ListInput } from '../../parts/list-input.tsx';
import { Id, Moment, Note } from '../../parts/small.tsx';
import { useToast } from '../../parts/toast.tsx';
import { usePreferences } from '../../preferences.tsx';
import { useRequestWords } from '../../words/request-words.ts';
import { useShared } from '../../words/shared.ts';
import { type Gate, Gates } from './gates.tsx';
import type { Key } from './page.tsx';
import { Secret } from './secret.tsx';
import { Tester } from './tester.tsx';
import { useWords } from './words.ts';

type Rules = Key['rules'];
export type Verdicts = Result<typeof testKey>['rules'];
const STALE = ['GET /api/console/keys', 'GET /api/console/keys/:id/spend'];

export function KeyRules({ value, mayWrite }: { value: Key; mayWrite: boolean }) {
  const words = useWords();
  const format = useFormat();
  const shared = useShared();
  const toast = useToast();
  const [draft, setDraft] = useState<Partial<Rules>>({});
  const [verdicts, setVerdicts] = useState<Verdicts>();
  const rules: Rules = { ...value.rules, ...draft, caps: { ...value.rules.caps, ...draft.caps } };
  const change = <F extends keyof Rules>(field: F, next: Rules[F]) =>
    setDraft((before) => ({ ...before, [field]: next }));
  const changed = Object.keys(draft).length;
  const save = useChange<typeof changeKey>('PATCH /api/console/keys/:id', {
    stale: STALE,
    done: () => toast({ text: shared.saved }),
  });
  const gates = useGates(value, rules, change, mayWrite && value.revoked_at === null);
  return (
    <section aria-label={words.rulesOf(value.name)}>
      <div className="page-head tight">
        <div>
          <h2>{words.rulesOf(value.name)}</h2>
          <p className="mid">{words.rulesLead}</p>
        </div>
        {mayWrite && value.revoked_at === null && <Actions value={value} />}
      </div>
      {value.overlap !== null && <Overlap value={value} />}
      <div className="aside">
        <div className="panel">
          <Gates gates={gates} verdicts={verdicts} />
          {changed > 0 && (
            <CommitBar
              busy={save.isPending}
              saveName={words.saveRules}
              onReset={() => setDraft({})}
              onSave={() => save.mutate({ params: { id: value.id }, body: { rules: draft } })}
            >
              {words.unsaved(format.number(changed))}
            </CommitBar>
          )}
        </div>
        <Tester keyId={value.id} onVerdicts={setVerdicts} />
      </div>
    </section>
  );
}

function useGates(
  value: Key,
  rules: Rules,
  change: <F extends keyof Rules>(field: F, next: Rules[F]) => void,
  editable: boolean,
): Gate[] {
  const words = useWords();
  const shared = useShared();
  const { timeZone } = usePreferences();
  const format = useFormat();
  const names = useRequestWords();
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
    label: string,
    suggestions: string[] = [],
  ) =>
    editable ? (
      <ListInput
        label={label}
        placeholder={words.everything}
        values={(rules[field] as string[] | null | undefined) ?? null}
        onChange={(next) => change(field, next as never)}
        suggestions={suggestions}
      />
    ) : null;
  const limit = (field: 'rpm' | 'tpm', label: string) => (
    <NumberInput
      aria-label={label}
      disabled={!editable}
      value={rules[field] == null ? null : String(rules[field])}
      onChange={(next) => change(field, next === null ? null : Math.round(Number(next)))}
      unit={words.perMinute}
      placeholder={shared.unlimited}
    />
  );
  const count = (items: readonly unknown[] | null | undefined) => format.number(items?.length ?? 0);
  const cap = (period: 'daily' | 'monthly' | 'total'): Gate => {
    const state = spend?.find((entry) => entry.period === period);
    const amount = rules.caps?.[period] as string | null | undefined;
    const resets =
      state?.resets_at == null ? words.say.neverResets : words.say.resets(format.dateTime(state.resets_at));
    return {
      id: period,
      name: words.gates[period],
      sentence: amount == null ? words.say.noCap : `${words.say.cap(format.money(String(amount)))} ${resets}`,
      control: (
        <NumberInput
          aria-label={words.gates[period]}
          disabled={!editable}
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
      matches: /cap|spend|budget/,
      period,
    };
  };
  const accountRpm = account?.rules.rpm;
  const rpmSentence =
    rules.rpm == null
      ? words.say.noRpm
      : rules.rpm === 0
        ? words.say.rpmNone
        : `${words.say.rpm(format.number(rules.rpm))}${accountRpm != null && accountRpm < rules.rpm ? ` ${words.say.accountBinds(format.number(accountRpm))}` : ''}`;
  return [
    {
      id: 'paused',
      name: words.gates.paused,
      sentence: rules.paused === true ? words.say.isPaused : words.say.works,
      matches: /paus|known|key$/,
    },
    {
      id: 'expires',
      name: words.gates.expires,
      sentence:
        rules.expires_at == null
          ? words.say.noExpiry
          : new Date(rules.expires_at).getTime() < Date.now()
            ? words.say.wasUntil(format.dateTime(rules.expires_at))
            : words.say.until(format.dateTime(rules.expires_at)),
      control: editable && (
        <DateInput
          label={words.gates.expires}
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
      matches: /expir/,
    },
    {
      id: 'ips',
      name: words.gates.ips,
      sentence: rules.ips == null ? words.say.anyIp : words.say.ips(count(rules.ips)),
      control: list('ips', words.gates.ips),
      matches: /ip|address/,
    },
    {
      id: 'referrers',
      name: words.gates.referrers,
      sentence: rules.referrers == null ? words.say.anyReferrer : words.say.referrers(count(rules.referrers)),
      control: list('referrers', words.gates.referrers),
      matches: /referr/,
    },
    {
      id: 'endpoints',
      name: words.gates.endpoints,
      sentence: rules.endpoints == null ? words.say.anyEndpoint : words.say.endpoints(count(rules.endpoints)),
      control: list('endpoints', words.gates.endpoints, Object.keys(names.endpoints)),
      matches: /endpoint/,
    },
    {
      id: 'models',
      name: words.gates.models,
      sentence: rules.models == null ? words.say.anyModel : words.say.models(count(rules.models)),
      control: list('models', words.gates.models, modelIds),
      matches: /model/,
    },
    {
      id: 'rpm',
      name: words.gates.rpm,
      sentence: rpmSentence,
      control: limit('rpm', words.gates.rpm),
      matches: /rpm|rate/,
    },
    cap('daily'),
    cap('monthly'),
    cap('total'),
    {
      id: 'wallet',
      name: words.gates.wallet,
      sentence: words.say.wallet,
      note: wallet === undefined ? undefined : words.say.available(format.money(wallet.available)),
      matches: /wallet|balance/,
    },
    {
      id: 'tpm',
      name: words.gates.tpm,
      sentence: rules.tpm == null ? words.say.noTpm : words.say.tpm(format.number(rules.tpm)),
      control: limit('tpm', words.gates.tpm),
      matches: /tpm|token/,
    },
    {
      id: 'knowledge',
      name: words.gates.knowledge,
      sentence:
        rules.knowledge_bases == null ? words.say.anyKnowledge : words.say.knowledge(count(rules.knowledge_bases)),
      control: list(
        'knowledge_bases',
        words.gates.knowledge,
        bases.map(({ id }) => id),
      ),
      matches: /knowledge/,
    },
  ];
}

function Overlap({ value }: { value: Key }) {
  const words = useWords();
  const end = useChange<typeof endOverlap>('POST /api/console/keys/:id/end-overlap', { stale: STALE });
  if (value.overlap === null) return null;
  return (
    <div className="panel spaced">
      <Note tone="info">
        {words.overlap(`\u2066…${value.overlap.last4}\u2069`)} <Moment at={value.overlap.until} exact />.{' '}
        <button
          type="button"
          className="link"
          disabled={end.isPending}
          onClick={() => end.mutate({ params: { id: value.id } })}
        >
          {words.endOverlap}
        </button>
      </Note>
    </div>
  );
}

function Actions({ value }: { value: Key }) {
  const words = useWords();
  const shared = useShared();
  const toast = useToast();
  const [asking, setAsking] = useState<'rotate' | 'revoke'>();
  const input = { params: { id: value.id } };
  const resume = useChange<typeof resumeKey>('POST /api/console/keys/:id/resume', {
    stale: STALE,
    done: () => toast({ text: words.wasResumed(value.name) }),
  });
  const pause = useChange<typeof pauseKey>('POST /api/console/keys/:id/pause', {
    stale: STALE,
    done: () =>
      toast({ text: words.wasPaused(value.name), action: { name: shared.undo, run: () => resume.mutate(input) } }),
  });
  const paused = value.rules.paused === true;
  return (
    <div className="row">
      <button
        type="button"
        className="btn"
        disabled={pause.isPending || resume.isPending}
        onClick={() => (paused ? resume : pause).mutate(input)}
      >
        <Icon name={paused ? 'play' : 'pause'} />
        {paused ? words.resume : words.pause}
      </button>
      {!value.playground && (
        <button type="button" className="btn" onClick={() => setAsking('rotate')}>
          <Icon name="again" />
          {words.rotate}
        </button>
      )}
      <button type="button" className="btn danger" onClick={() => setAsking('revoke')}>
        {words.revoke}
      </button>
      {asking === 'rotate' && <Rotate value={value} onClose={() => setAsking(undefined)} />}
      {asking === 'revoke' && <Revoke value={value} onClose={() => setAsking(undefined)} />}
    </div>
  );
}

function Rotate({ value, onClose }: { value: Key; onClose(): void }) {
  const words = useWords();
  const shared = useShared();
  const [hours, setHours] = useState<string | null>('24');
  const rotate = useChange<typeof rotateKey>('POST /api/console/keys/:id/rotate');
  const client = useQueryClient();
  if (rotate.data !== undefined) {
    return (
      <Secret
        text={rotate.data.key}
        keyId={value.id}
        onClose={() => {
          // Read again only now: the list would replace this page, and with it the text that is shown once.
          forget(client, STALE);
          onClose();
        }}
      />
    );
  }
  return (
    <Dialog
      title={words.rotateAsk.title(value.name)}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            {shared.cancel}
          </button>
          <button
            type="button"
            className="btn main"
            disabled={rotate.isPending}
            onClick={() =>
              rotate.mutate({ params: { id: value.id }, body: { overlap_hours: Math.round(Number(hours ?? '0')) } })
            }
          >
            {words.rotateAsk.act}
          </button>
        </>
      }
    >
      <p>{words.rotateAsk.text}</p>
      <NumberField
        label={words.rotateAsk.hours}
        hint={words.rotateAsk.zero}
        value={hours}
        onChange={setHours}
        unit={words.rotateAsk.unit}
      />
    </Dialog>
  );
}

function Revoke({ value, onClose }: { value: Key; onClose(): void }) {
  const words = useWords();
  const format = useFormat();
  const toast = useToast();
  const since = useMemo(() => new Date(Date.now() - 86_400_000).toISOString(), []);
  const used = useRead<typeof getUsageSeries>('GET /api/console/usage/series', {
    query: { key_id: value.id, from: since, interval: 'hour' },
  }).data?.total.requests;
  const revoke = useChange<typeof revokeKey>('POST /api/console/keys/:id/revoke', {
    stale: STALE,
    done() {
      onClose();
      toast({ text: words.revokeAsk.done(value.name) });
    },
  });
  return (
    <Confirm
      title={words.revokeAsk.title(value.name)}
      act={words.revokeAsk.act}
      keep={words.revokeAsk.keep}
      typed={value.name}
      busy={revoke.isPending}
      onConfirm={() => revoke.mutate({ params: { id: value.id } })}
      onClose={onClose}
    >
      <p>{words.revokeAsk.text}</p>
      <ul className="what">
        {used !== undefined && <li>{used > 0 ? words.revokeAsk.used(format.number(used)) : words.revokeAsk.unused}</li>}
        <li>{words.revokeAsk.running}</li>
      </ul>
      <p>{words.revokeAsk.gentler}</p>
      <p>
        <Id value={`dg-…${value.last4}`} boxed />
      </p>
    </Confirm>
  );
}
