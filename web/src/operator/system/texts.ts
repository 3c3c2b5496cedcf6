/** What the page of the system says. */
import { dictionary } from '../../texts/dictionary.tsx';

const fa = {
  process: 'این نمونه',
  version: 'نسخه',
  schema: 'نسخهٔ اسکیمای پایگاه داده',
  now: 'درخواست در حال اجرا',
  busy: 'شلوغی',
  draining: 'در حال تخلیه',
  database: 'پایگاه داده',
  databases: { ok: 'برقرار', unreachable: 'در دسترس نیست' },
  databaseKind: 'نوع پایگاه داده',
  databaseKinds: { embedded: 'داخلی، برای یک نمونه', postgres: 'PostgreSQL' },
  backups: 'پشتیبان‌گیری',
  backupOf: {
    embedded:
      'سرویس را متوقف کنید، همهٔ پوشهٔ داده را کپی کنید و دوباره راهش بیندازید. کپی پوشه در حال کار، پشتیبان نیست.',
    postgres: 'در حال کار هم می‌شود: هر روز یک رونوشت کامل، و برای آنکه هیچ چیز از دست نرود بایگانی پیوستهٔ WAL.',
  },
  backupTogether:
    'سه چیز با هم است: پایگاه داده، ژورنال هر نمونه و کلید اصلی. Redis پشتیبان نمی‌خواهد. پس از بازگرداندن، دفترها را در «دفتر کل» بررسی کنید.',
  admission: 'شمارش سقف‌ها و کیف پول',
  modes: {
    memory: 'در همین نمونه؛ برای یک نمونه درست است',
    redis: 'مشترک بین نمونه‌ها با Redis',
    degraded: 'Redis پاسخ نمی‌دهد؛ هر نمونه از سهم کنارگذاشتهٔ خود خرج می‌کند',
  },
  records: 'ثبت هزینه‌ها در پایگاه داده',
  depth: 'در صف ثبت در دفتر',
  accepting: 'پذیرش درخواست جدید',
  onDisk: 'روی دیسک',
  segments: 'فایل‌های ژورنال',
  deadLetters: 'هزینهٔ ثبت‌نشده',
  deadLettersText:
    'پایگاه داده این هزینه‌ها را نپذیرفت. سطرهایشان در پوشهٔ ژورنال همین نمونه مانده است تا کسی به آن‌ها برسد.',
  deadLetteredAt: 'زمان کنارگذاشتن',
  deadLetterReason: 'پیام پایگاه داده',
  request: 'درخواست',
  posted: 'ثبت‌شده از زمان راه‌اندازی',
  failures: 'خطای پشت‌سرهم در ثبت',
  upstream: 'اتصال به ارائه‌دهنده‌ها',
  running: 'در جریان',
  connected: 'اتصال باز',
  queued: 'در صف',
  replicas: 'نمونه‌ها',
  noReplicas: 'بدون Redis هر نمونه جداگانه می‌شمارد.',
  replica: 'نمونه',
  living: 'زنده',
  dead: 'خاموش',
  holds: 'رزروشده (تومان)',
  forget: 'کنار گذاشتن',
  forgetText:
    'آنچه این نمونه رزرو کرده، یا حساب کرده و هنوز در دفتر ننوشته است، دیگر شمرده نمی‌شود. فقط وقتی این کار را بکنید که دیسکش از دست رفته باشد.',
  forgotten: 'این نمونه کنار گذاشته شد.',
  yes: 'بله',
  no: 'نه',
  again: 'خواندن دوباره',
};

const en: typeof fa = {
  process: 'This replica',
  version: 'Version',
  schema: 'Schema of the database',
  now: 'Requests running',
  busy: 'Overloaded',
  draining: 'Draining',
  database: 'Database',
  databases: { ok: 'Reachable', unreachable: 'Not reachable' },
  databaseKind: 'Kind of database',
  databaseKinds: { embedded: 'Embedded, for one replica', postgres: 'PostgreSQL' },
  backups: 'Backups',
  backupOf: {
    embedded:
      'Stop the service, copy the whole data directory, start it again. A copy of a running one is not a backup.',
    postgres:
      'While everything runs: a full dump every day, and continuous archiving of the WAL to lose nothing at all.',
  },
  backupTogether:
    'Three things belong together: the database, the journal of each replica and the master key. Redis needs no backup. After a restore, prove the books under “Ledger”.',
  admission: 'Counting of limits and wallets',
  modes: {
    memory: 'In this process; right for a single replica',
    redis: 'Shared by all replicas through Redis',
    degraded: 'Redis does not answer; each replica spends what it had set aside',
  },
  records: 'From charges to the database',
  depth: 'Waiting to be posted',
  accepting: 'New requests accepted',
  onDisk: 'On disk',
  segments: 'Segments of the journal',
  deadLetters: 'Charges not posted',
  deadLettersText:
    'The database refused these charges. Their lines stay in the journal folder of this replica until somebody deals with them.',
  deadLetteredAt: 'Set aside',
  deadLetterReason: 'What the database said',
  request: 'Request',
  posted: 'Posted since the start',
  failures: 'Failures to post in a row',
  upstream: 'Connections to providers',
  running: 'Running',
  connected: 'Open connections',
  queued: 'Queued',
  replicas: 'Replicas',
  noReplicas: 'Without Redis every replica counts alone.',
  replica: 'Replica',
  living: 'Alive',
  dead: 'Gone',
  holds: 'Holds (toman)',
  forget: 'Write off',
  forgetText:
    'What this replica holds, or charged and has not posted, is no longer counted. Do this only when its disk is lost.',
  forgotten: 'The replica was written off.',
  yes: 'Yes',
  no: 'No',
  again: 'Read again',
};

export const useSystemTexts = dictionary(fa, en);
