/** The operator's name and picture, which the server wrote into the page. */
import { Mark } from './parts/icon.tsx';
import { useLanguage } from './texts/dictionary.tsx';

const given = document.getElementById('root')?.dataset ?? {};

export function useBrandName(): string {
  const language = useLanguage();
  return given[language] ?? '';
}

export function BrandMark() {
  const logo = given['logo'] ?? '';
  return logo === '' ? <Mark /> : <img className="mark" src={logo} alt="" />;
}
