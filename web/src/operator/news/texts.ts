/** Announcements and incidents. */
import { dictionary } from '../../texts/dictionary.tsx';

const fa = {
  announcements: 'اعلان‌ها',
  removeTitle: (title: string) => `اعلان «\u2068${title}\u2069» برداشته شود؟`,
  removeText: 'از پیشخوان همهٔ مشتری‌ها برداشته می‌شود.',
  incidents: 'رخدادها',
  titleFa: 'عنوان فارسی',
  titleEn: 'عنوان انگلیسی',
  textFa: 'متن فارسی',
  textEn: 'متن انگلیسی',
  announce: 'اعلان',
  openIncident: 'ثبت رخداد',
  impact: 'اثر',
  vendors: 'سازنده‌ها',
  vendorsHint: 'شناسهٔ سازنده‌هایی که کُند یا قطع‌اند، مانند google؛ خالی یعنی همهٔ سرویس.',
  impacts: { minor: 'کم', major: 'زیاد', maintenance: 'تعمیر' },
  incidentStates: {
    investigating: 'در حال بررسی',
    identified: 'علت پیدا شد',
    monitoring: 'زیر نظر',
    resolved: 'برطرف شد',
  },
  newState: 'ثبت خبر تازه با این وضعیت',
  emptyUpdate: 'خالی بماند، نام وضعیت نوشته می‌شود.',
  noNews: 'چیزی اعلام نشده است',
  noNewsText: 'اعلان‌ها در پیشخوان مشتری و رخدادها در صفحهٔ وضعیت دیده می‌شوند.',
};

const en: typeof fa = {
  announcements: 'Announcements',
  removeTitle: (title) => `Remove the announcement “${title}”?`,
  removeText: 'It goes from the console of every customer.',
  incidents: 'Incidents',
  titleFa: 'Title in Persian',
  titleEn: 'Title in English',
  textFa: 'Text in Persian',
  textEn: 'Text in English',
  announce: 'Announce',
  openIncident: 'Record incident',
  impact: 'Impact',
  vendors: 'Vendors',
  vendorsHint: 'Ids of the vendors concerned, such as google; empty means the whole service.',
  impacts: { minor: 'Minor', major: 'Major', maintenance: 'Maintenance' },
  incidentStates: {
    investigating: 'Investigating',
    identified: 'Identified',
    monitoring: 'Monitoring',
    resolved: 'Resolved',
  },
  newState: 'Record the update with this state',
  emptyUpdate: 'Left empty, the name of the state is written.',
  noNews: 'Nothing is announced',
  noNewsText: 'Announcements show in the console, incidents on the status page.',
};

/** In both languages at once, for what every customer reads in their own. */
export const INCIDENT_STATES = { fa: fa.incidentStates, en: en.incidentStates };
export const useNewsTexts = dictionary(fa, en);
