/** The bank that an Iranian IBAN belongs to, by the three digits after its check digits. */
import type { Text } from '@dargah/core/text.ts';

const BANKS: Readonly<Record<string, readonly [fa: string, en: string]>> = {
  '010': ['بانک مرکزی', 'Central Bank of Iran'],
  '011': ['بانک صنعت و معدن', 'Bank of Industry and Mine'],
  '012': ['بانک ملت', 'Bank Mellat'],
  '013': ['بانک رفاه کارگران', 'Refah Bank'],
  '014': ['بانک مسکن', 'Bank Maskan'],
  '015': ['بانک سپه', 'Bank Sepah'],
  '016': ['بانک کشاورزی', 'Bank Keshavarzi'],
  '017': ['بانک ملی', 'Bank Melli'],
  '018': ['بانک تجارت', 'Tejarat Bank'],
  '019': ['بانک صادرات', 'Bank Saderat'],
  '020': ['بانک توسعه صادرات', 'Export Development Bank'],
  '021': ['پست بانک', 'Post Bank'],
  '022': ['بانک توسعه تعاون', 'Tosee Taavon Bank'],
  '053': ['بانک کارآفرین', 'Karafarin Bank'],
  '054': ['بانک پارسیان', 'Parsian Bank'],
  '055': ['بانک اقتصاد نوین', 'EN Bank'],
  '056': ['بانک سامان', 'Saman Bank'],
  '057': ['بانک پاسارگاد', 'Bank Pasargad'],
  '058': ['بانک سرمایه', 'Sarmayeh Bank'],
  '059': ['بانک سینا', 'Sina Bank'],
  '060': ['بانک قرض‌الحسنه مهر ایران', 'Mehr Iran Bank'],
  '061': ['بانک شهر', 'City Bank'],
  '062': ['بانک آینده', 'Ayandeh Bank'],
  '064': ['بانک گردشگری', 'Tourism Bank'],
  '066': ['بانک دی', 'Day Bank'],
  '069': ['بانک ایران‌زمین', 'Iran Zamin Bank'],
  '070': ['بانک قرض‌الحسنه رسالت', 'Resalat Bank'],
  '075': ['مؤسسه اعتباری ملل', 'Melal Credit Institution'],
  '078': ['بانک خاورمیانه', 'Middle East Bank'],
};

/** Null for a code that is not in the list. */
export function bankOfIban(iban: string): Text | null {
  const found = BANKS[iban.slice(4, 7)];
  return found ? { fa: found[0], en: found[1] } : null;
}
