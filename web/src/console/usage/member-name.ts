/** Whom a request counts for, as people call them: the maker of its key. */
import { labelOf } from '../../texts/dictionary.tsx';
import { useTexts } from './texts.ts';

export function useMemberName(): (value: string, name: string | null) => string {
  const texts = useTexts();
  return (value, name) => {
    if (name === null) return labelOf(texts.makers, value) ?? value;
    return value.startsWith('management-key:') ? texts.program(name) : name;
  };
}
