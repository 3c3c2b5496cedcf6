/** The part of a receipt about routing that somebody demanded or switched on. */

import type { getReceipt } from '@dargah/api/console/own-requests.ts';
import { Fragment } from 'react';
import type { Result } from '../api/call.ts';
import { useFormat } from '../format.ts';
import { dictionary } from '../texts/dictionary.tsx';
import { Id } from './copyable.tsx';

type Routing = NonNullable<Result<typeof getReceipt>['routing']>;
type Demand = NonNullable<Routing['data']>['demanded'][number];
type Policy = NonNullable<NonNullable<Routing['data']>['stated']>;

const fa = {
  title: 'مسیر',
  auto: 'مسیریاب خودکار',
  prefer: { price: 'ارزان‌ترین مدل مناسب', quality: 'بهترین مدل مناسب', speed: 'سریع‌ترین مدل مناسب' },
  ownKey: 'کلید شخصی',
  fee: (percent: string) => `با کلید شخصی پاسخ داده شد؛ کارمزد ${percent}٪ قیمت معمول`,
  notByOwnKey: 'کلید شخصی پاسخ نداد',
  demanded: 'سیاست دادهٔ خواسته‌شده',
  stated: 'سیاست اعلام‌شدهٔ پاسخ‌دهنده',
  noTraining: 'بدون آموزش',
  training: 'آموزش با داده‌ها',
  kept: (days: string) => `نگهداری تا ${days} روز`,
  notKept: 'بدون نگهداری',
  regions: (list: string) => `منطقه: ${list}`,
  and: '، ',
};

const en: typeof fa = {
  title: 'Route',
  auto: 'Auto router',
  prefer: { price: 'The cheapest that fits', quality: 'The best that fits', speed: 'The fastest that fits' },
  ownKey: 'Own key',
  fee: (percent) => `Answered with the own key; fee ${percent}% of the usual price`,
  notByOwnKey: 'The own key did not answer',
  demanded: 'Data policy demanded',
  stated: 'Stated by whoever answered',
  noTraining: 'no training',
  training: 'trains with the data',
  kept: (days) => `kept up to ${days} days`,
  notKept: 'not kept',
  regions: (list) => `region: ${list}`,
  and: ', ',
};

const useOwnTexts = dictionary(fa, en);

export function ReceiptRouting({ routing }: { routing: Routing | null }) {
  const texts = useOwnTexts();
  if (routing === null) return null;
  return (
    <section>
      <h3>{texts.title}</h3>
      <dl className="facts">
        {routing.auto !== null && <AutoFacts auto={routing.auto} />}
        {routing.own_key !== null && <OwnKeyFacts ownKey={routing.own_key} />}
        {routing.data !== null && <DataFacts data={routing.data} />}
      </dl>
    </section>
  );
}

function AutoFacts({ auto }: { auto: NonNullable<Routing['auto']> }) {
  const texts = useOwnTexts();
  const format = useFormat();
  return (
    <>
      <dt>{texts.auto}</dt>
      <dd>{texts.prefer[auto.prefer]}</dd>
      {auto.candidates.map(({ model, text }) => (
        <Fragment key={model}>
          <dt>
            <Id value={model} />
          </dt>
          <dd>{text[format.language]}</dd>
        </Fragment>
      ))}
    </>
  );
}

function OwnKeyFacts({ ownKey }: { ownKey: NonNullable<Routing['own_key']> }) {
  const texts = useOwnTexts();
  const format = useFormat();
  return (
    <>
      <dt>{texts.ownKey}</dt>
      <dd>{ownKey.answered ? texts.fee(format.number(ownKey.fee_percent)) : texts.notByOwnKey}</dd>
    </>
  );
}

function DataFacts({ data }: { data: NonNullable<Routing['data']> }) {
  const texts = useOwnTexts();
  const format = useFormat();
  const kept = (days: number) => (days === 0 ? texts.notKept : texts.kept(format.number(days)));
  const wanted = ({ no_training, max_retention_days: days, regions }: Demand) => [
    ...(no_training ? [texts.noTraining] : []),
    ...(days === null ? [] : [kept(days)]),
    ...(regions === null ? [] : [texts.regions(`\u2066${regions.join(' ')}\u2069`)]),
  ];
  const stated = ({ training, retention_days: days, region }: Policy) => [
    ...(training === null ? [] : [training ? texts.training : texts.noTraining]),
    ...(days === null ? [] : [kept(days)]),
    ...(region === null ? [] : [texts.regions(`\u2066${region}\u2069`)]),
  ];
  const said = [...new Set(data.demanded.flatMap(wanted))].join(texts.and);
  return (
    <>
      <dt>{texts.demanded}</dt>
      <dd>{said}</dd>
      {data.stated !== null && (
        <>
          <dt>{texts.stated}</dt>
          <dd>{stated(data.stated).join(texts.and)}</dd>
        </>
      )}
    </>
  );
}
