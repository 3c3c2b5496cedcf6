/** From nothing to the first answered call: the list ticks itself, and the call appears when it arrives. */

import type { listKeys } from '@dargah/api/console/keys.ts';
import type { getWallet } from '@dargah/api/console/own-money.ts';
import type { listRequests } from '@dargah/api/console/own-requests.ts';
import { OVERVIEW_REQUESTS } from '@dargah/core/first-reads.ts';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'wouter';
import type { Result } from '../../api/call.ts';
import { useLive, useLiveRequests } from '../../api/live.tsx';
import { useRead } from '../../api/read.ts';
import { roughly, useFormat } from '../../format.ts';
import { Code } from '../../parts/copyable.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Live } from '../../parts/pill.tsx';
import { useMayWrite, useOwnAccount } from '../../session.tsx';
import { useStateOf } from '../../texts/request-texts.ts';
import { curlSample } from '../samples.ts';
import { useTexts } from './texts.ts';

const NewKey = lazy(async () => ({ default: (await import('../pages.ts')).NewKey }));

export function FirstSteps({ wallet }: { wallet: Result<typeof getWallet> | undefined }) {
  const texts = useTexts();
  const format = useFormat();
  const mayWrite = useMayWrite();
  const mayPay = ['owner', 'admin', 'billing'].includes(useOwnAccount()?.role ?? '');
  const [making, setMaking] = useState(false);
  const { connected } = useLive();
  const keys = useRead<typeof listKeys>('GET /api/console/keys', { query: {} }, { enabled: mayWrite }).data?.data;
  const log = useRead<typeof listRequests>(
    'GET /api/console/requests',
    { query: { limit: OVERVIEW_REQUESTS } },
    { enabled: mayWrite },
  ).data?.data;
  const [first] = useLiveRequests(1);
  const stateOf = useStateOf();
  if (!mayWrite || keys === undefined || log === undefined || wallet === undefined) return null;
  const ownKeys = keys.filter((key) => !key.playground && key.revoked_at === null);
  const called = log.length > 0 || first !== undefined;
  const steps = [
    { id: 'key', name: texts.steps.key, done: ownKeys.length > 0, to: '/console/keys?new' },
    { id: 'call', name: texts.steps.call, done: called, to: '/console/playground' },
    // Developers cannot pay, and a step that they cannot take would stay open for ever.
    ...(mayPay
      ? [{ id: 'money', name: texts.steps.money, done: roughly(wallet.balance) > 0, to: '/console/wallet' }]
      : []),
    {
      id: 'cap',
      name: texts.steps.cap,
      done: ownKeys.some(({ rules }) => rules.caps?.daily != null),
      to: `/console/keys/${ownKeys[0]?.id ?? ''}`,
    },
  ];
  const done = steps.filter((step) => step.done).length;
  if (done === steps.length) return null;
  return (
    <section className="panel" aria-label={texts.steps.title}>
      <div className="steps">
        <span className="strong">{texts.steps.of(format.number(done), format.number(steps.length))}</span>
        <ol>
          {steps.map((step) => (
            <li key={step.id} className={step.done ? 'done' : undefined}>
              <span className={step.done ? 'tick' : 'tick todo'}>{step.done && <Icon name="check" />}</span>
              {step.done ? step.name : <Link href={step.to}>{step.name}</Link>}
            </li>
          ))}
        </ol>
      </div>
      {!called && (
        <div className="pad under stack gap-m">
          <p className="mid">{texts.steps.lead}</p>
          {ownKeys.length === 0 ? (
            <div className="row">
              <button type="button" className="btn main" onClick={() => setMaking(true)}>
                {texts.steps.make}
              </button>
              <Link href="/console/playground">{texts.steps.tryBrowser}</Link>
            </div>
          ) : (
            <>
              <p>{texts.steps.run}</p>
              <Code text={curlSample('sandbox/hello')} />
              <div className="row between">
                {connected && <Live>{texts.steps.watching}</Live>}
                <Link href="/console/playground">{texts.steps.tryBrowser}</Link>
              </div>
            </>
          )}
        </div>
      )}
      {first !== undefined && log.length === 0 && (
        <p className={first.state === 'completed' ? 'pad under good' : 'pad under bad'}>
          {first.state === 'completed' ? texts.steps.arrived : `${texts.steps.refused} ${stateOf(first).word}.`}{' '}
          <Link href={`/console/requests/${first.id}`}>{texts.latest}</Link>
        </p>
      )}
      {making && (
        <Suspense>
          <NewKey onClose={() => setMaking(false)} />
        </Suspense>
      )}
    </section>
  );
}
