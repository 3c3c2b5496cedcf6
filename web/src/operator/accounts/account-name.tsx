/** What an account is called. Who gave no name is known by a number, which is no title. */
import { useFormat } from '../../format.ts';
import { useDeskTexts } from './desk-texts.ts';

const NUMBER = /^\+?[\d•\s-]{8,20}$/;

export function AccountName({ name }: { name: string }) {
  const texts = useDeskTexts();
  if (!NUMBER.test(name)) return <bdi>{name}</bdi>;
  return (
    <>
      {texts.accountOf} <bdi dir="ltr">{name}</bdi>
    </>
  );
}

/** The name for use inside a sentence. */
export function useAccountName(): (name: string) => string {
  const texts = useDeskTexts();
  const { language } = useFormat();
  const mark = language === 'fa' ? '\u2066' : '';
  return (name) => (NUMBER.test(name) ? `${texts.accountOf} ${mark}${name}${mark === '' ? '' : '\u2069'}` : name);
}
