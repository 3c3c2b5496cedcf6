/** One provider: its keys and its way out. */
import { dictionary } from '../../texts/dictionary.tsx';

const fa = {
  rotation:
    'درخواست‌ها بین کلیدها پخش می‌شوند. برای تعویض، کلید جدید را اضافه کنید، امتحان کنید و سپس کلید قبلی را حذف کنید.',
  label: 'نام کلید',
  labelHint: 'برای خودتان؛ مانند «حساب دوم».',
  removeAsk: (name: string) => `«${name}» از کلیدها حذف شود؟`,
  removeAct: 'حذف کلید',
  removeText: 'درخواست‌ها از همین لحظه با کلیدهای دیگر فرستاده می‌شوند. این کلید برنمی‌گردد.',
  removeLast: 'این تنها کلید است: مدل‌هایی که فقط از این راه می‌آیند از همین لحظه پاسخ نمی‌دهند.',
  wayOut: 'آدرس و پراکسی',
  ways: 'پراکسی‌ها به ترتیب',
  waysHint:
    'مانند \u2066socks5h://user:password@host:port\u2069 یا \u2066direct\u2069؛ خالی یعنی همان‌طور که محیط برنامه می‌گوید.',
  mostHint: 'بیش از این هم‌زمان به این ارائه‌دهنده فرستاده نمی‌شود؛ خالی یعنی نامحدود.',
  unnamed: 'بدون نام',
  compatible: 'سرور سازگار (آدرس خودتان)',
  responsesHint: 'فقط مدل‌هایی که تنها با پروتکل Responses پاسخ می‌دهند (مثل pro و codex)؛ با همان کلید اوپن‌ای‌آی.',
  place: { resource: 'نام منبع (resource)', project: 'پروژه', region: 'منطقه (region)' },
  placeHints: {
    azure: { resource: 'همان نامی که در آدرس \u2066NAME.openai.azure.com\u2069 است.', project: '', region: '' },
    google: {
      resource: '',
      project: 'خالی یعنی پروژهٔ داخل فایل کلید.',
      region: 'مانند \u2066europe-west4\u2069؛ خالی یعنی \u2066global\u2069.',
    },
    amazon: { resource: '', project: '', region: 'مانند \u2066eu-central-1\u2069.' },
  },
  cloudKey: 'کلید یا اعتبارنامه',
  cloudKeyHints: {
    azure:
      'کلید API، یا JSON با \u2066tenant_id\u2069 و \u2066client_id\u2069 و \u2066client_secret\u2069. دیگر هیچ‌جا نشان داده نمی‌شود.',
    google: 'متن فایل JSON کلید \u2066service account\u2069. دیگر هیچ‌جا نشان داده نمی‌شود.',
    amazon: 'کلید API با \u2066ABSK…\u2069، یا \u2066AKIA…:SECRET\u2069. دیگر هیچ‌جا نشان داده نمی‌شود.',
  },
  cloudUrlHint: 'خالی یعنی آدرسی که از فیلدهای بالا ساخته می‌شود.',
  asEnvironment: 'همان‌طور که محیط برنامه می‌گوید',
  notYours: 'این ارائه‌دهنده از فایل تنظیمات یا محیط برنامه آمده است و همان‌جا تغییر می‌کند.',
};

const en: typeof fa = {
  rotation: 'Requests are spread over the keys. To rotate, add the new key, try it, then remove the old one.',
  label: 'Name of the key',
  labelHint: 'For yourselves, such as “second account”.',
  removeAsk: (name) => `Remove the key “${name}”?`,
  removeAct: 'Remove the key',
  removeText: 'From now on requests go out with the other keys. This key does not come back.',
  removeLast: 'It is the only key: models that come only this way stop answering at once.',
  wayOut: 'Address and proxies',
  ways: 'Proxies, in order',
  waysHint: 'Such as socks5h://user:password@host:port or direct; empty means as the process’s environment says.',
  mostHint: 'No more than this at once are sent to this provider; empty means no limit.',
  unnamed: 'unnamed',
  compatible: 'Compatible server (your own address)',
  responsesHint:
    'Only models that answer in the Responses protocol alone (such as pro and codex), with the key of OpenAI.',
  place: { resource: 'Resource', project: 'Project', region: 'Region' },
  placeHints: {
    azure: { resource: 'The name in the address NAME.openai.azure.com.', project: '', region: '' },
    google: {
      resource: '',
      project: 'Empty means the project that the key file names.',
      region: 'Such as europe-west4; empty means global.',
    },
    amazon: { resource: '', project: '', region: 'Such as eu-central-1.' },
  },
  cloudKey: 'Key or credential',
  cloudKeyHints: {
    azure: 'The API key, or JSON with tenant_id, client_id and client_secret. It is shown nowhere again.',
    google: 'The text of the JSON key file of a service account. It is shown nowhere again.',
    amazon: 'An API key (ABSK…), or AKIA…:SECRET. It is shown nowhere again.',
  },
  cloudUrlHint: 'Empty means the address that the fields above make.',
  asEnvironment: 'As the process’s environment says',
  notYours: 'This provider comes from the configuration file or the environment and changes only there.',
};

export const useProviderTexts = dictionary(fa, en);
