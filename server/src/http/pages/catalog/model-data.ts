/** What happens to the data of a model's requests: the texts, and the values that the catalog filters by. */
import { type DataDemand, type DataPolicy, unmetData } from '@dargah/core/data-policy.ts';
import type { Language, Text } from '@dargah/core/text.ts';
import { type Model, policiesOf } from '../../../catalog/index.ts';
import { count } from '../figures.ts';
import { html, type Markup } from '../markup.ts';

const ANY: DataDemand = { noTraining: false, maxRetentionDays: null, regions: null };
const CHOICES: Record<string, { label: Text; demand: DataDemand }> = {
  no_training: { label: { fa: 'بدون آموزش', en: 'no training' }, demand: { ...ANY, noTraining: true } },
  kept_30: {
    label: { fa: 'نگهداری تا ۳۰ روز', en: 'kept for 30 days at most' },
    demand: { ...ANY, maxRetentionDays: 30 },
  },
  not_kept: { label: { fa: 'بدون نگهداری', en: 'not kept' }, demand: { ...ANY, maxRetentionDays: 0 } },
  in_eu: { label: { fa: 'پردازش در اتحادیهٔ اروپا', en: 'processed in the EU' }, demand: { ...ANY, regions: ['eu'] } },
};
export const DATA_CHOICES: readonly string[] = Object.keys(CHOICES);
export const DATA_LABELS: Record<string, Text> = Object.fromEntries(
  Object.entries(CHOICES).map(([name, { label }]) => [name, label]),
);

/** One route must meet all demands: half of two routes helps nobody. */
export function meetsChoices(model: Pick<Model, 'routes'>, chosen: readonly string[]): boolean {
  if (chosen.length === 0) return true;
  return policiesOf(model).some((policy) =>
    chosen.every((name) => {
      const demand = CHOICES[name]?.demand;
      return demand !== undefined && unmetData(demand, policy) === undefined;
    }),
  );
}

const TEXTS = {
  title: { fa: 'داده‌ها', en: 'Data' },
  unstated: { fa: 'اعلام نشده', en: 'not stated' },
  trains: { fa: 'آموزش با داده‌ها', en: 'trains with it' },
  noTraining: { fa: 'بدون آموزش', en: 'no training' },
  trainingUnstated: { fa: 'آموزش: اعلام نشده', en: 'training: not stated' },
  notKept: { fa: 'بدون نگهداری', en: 'not kept' },
  keptUnstated: { fa: 'نگهداری: اعلام نشده', en: 'retention: not stated' },
  or: { fa: 'یا', en: 'or' },
} satisfies Record<string, Text>;

function policyText({ training, retention_days: days, region }: DataPolicy, language: Language): string {
  const say = (text: Text) => text[language];
  if (training === null && days === null && region === null) return say(TEXTS.unstated);
  const parts = [
    say(training === null ? TEXTS.trainingUnstated : training ? TEXTS.trains : TEXTS.noTraining),
    days === null ? say(TEXTS.keptUnstated) : days === 0 ? say(TEXTS.notKept) : keptText(days, language),
  ];
  if (region !== null) parts.push(regionName(region, language));
  return parts.join(language === 'fa' ? '، ' : ', ');
}

function keptText(days: number, language: Language): string {
  const shown = count(days, language);
  return language === 'fa' ? `نگهداری تا ${shown} روز` : `kept up to ${shown} ${days === 1 ? 'day' : 'days'}`;
}

function regionName(region: string, language: Language): string {
  if (region === 'eu') return language === 'fa' ? 'اتحادیهٔ اروپا' : 'European Union';
  return new Intl.DisplayNames([language], { type: 'region' }).of(region.toUpperCase()) ?? region;
}

/** A line per policy: the route is chosen for each request, unless the request demands one of them. */
export function dataFacts(model: Pick<Model, 'routes'>, language: Language): Markup {
  const lines = policiesOf(model).map((policy) => html`<div>${policyText(policy, language)}</div>`);
  return html`<dt>${TEXTS.title[language]}</dt><dd>${lines}</dd>`;
}
