/** The rule `data_policy`: what a key demands of providers about data. */
import { MAX_REGIONS, MAX_RETENTION_DAYS } from '../data-policy.ts';
import { fieldTable } from './field.ts';

export const DATA_POLICY_FIELDS = fieldTable({
  no_training: {
    kind: 'flag',
    label: { fa: 'بدون آموزش مدل با داده‌ها', en: 'No training with the data' },
    help: {
      fa: 'فقط مسیرهایی که اعلام کرده‌اند با داده‌ها مدل آموزش نمی‌دهند.',
      en: 'Only routes that state that no model is trained with the data.',
    },
    gate: {
      verdicts: ['data'],
      open: { fa: 'سیاست آموزش مسیر مهم نیست.', en: 'Whether a route trains with the data does not matter.' },
      set: {
        fa: 'فقط مسیرهایی که با داده‌ها مدل آموزش نمی‌دهند.',
        en: 'Only routes that do not train with the data.',
      },
    },
  },
  max_retention_days: {
    kind: 'whole',
    min: 0,
    max: MAX_RETENTION_DAYS,
    unit: 'days',
    nullable: true,
    label: { fa: 'حداکثر مدت نگهداری', en: 'Longest retention' },
    help: {
      fa: 'فقط مسیرهایی که داده‌ها را بیش از این تعداد روز نگه نمی‌دارند؛ ۰ یعنی هیچ.',
      en: 'Only routes that keep the data for at most so many days; 0: not at all.',
    },
    gate: {
      verdicts: ['data'],
      open: { fa: 'مدت نگهداری داده‌ها محدود نیست.', en: 'The data may be kept for any time.' },
      set: { fa: 'نگهداری حداکثر {} روز.', en: 'Kept for at most {} days.' },
      unit: { fa: 'روز', en: 'days' },
    },
  },
  regions: {
    kind: 'list',
    entry: 'region',
    maxItems: MAX_REGIONS,
    maxLength: 2,
    nullable: true,
    label: { fa: 'منطقه‌های مجاز', en: 'Regions allowed' },
    help: {
      fa: 'فقط مسیرهایی که داده‌ها را در این کشورها پردازش می‌کنند: دو حرف مانند «de»، یا «eu» برای همهٔ اتحادیهٔ اروپا.',
      en: 'Only routes that process the data in these countries: two letters such as `de`, or `eu` for all of the European Union.',
    },
    gate: {
      verdicts: ['data'],
      open: { fa: 'منطقهٔ پردازش مهم نیست.', en: 'Processed in any region.' },
      set: { fa: 'فقط در {} منطقه پردازش می‌شود.', en: 'Processed in {} regions only.' },
    },
  },
});
