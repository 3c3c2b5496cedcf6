/**
 * Texts in two languages. Each page keeps its own: the Persian object is the type, and English must have the same fields, so
 * a missing text does not compile. A text with a value in it is a function.
 */
import { createContext, type ReactNode, useContext } from 'react';

export type Language = 'fa' | 'en';

const LanguageContext = createContext<Language>('fa');

export function LanguageProvider({ language, children }: { language: Language; children: ReactNode }) {
  return <LanguageContext value={language}>{children}</LanguageContext>;
}

export function useLanguage(): Language {
  return useContext(LanguageContext);
}

/** Makes the hook that gives a page its texts: `const useTexts = dictionary(fa, en)`. */
export function dictionary<W>(fa: W, en: NoInfer<W>): () => W {
  // biome-ignore lint/correctness/noComponentHookFactories: called once per module, never while rendering.
  return function useTexts() {
    return useLanguage() === 'fa' ? fa : en;
  };
}

/** The word for a value that the server sends as plain text; undefined for a value this page has no word for. */
export function labelOf(texts: Readonly<Record<string, string>>, value: string): string | undefined {
  return Object.hasOwn(texts, value) ? texts[value] : undefined;
}
