/** What the reader chose for this browser (language, theme) and for the account (calendar, time zone). */
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import type { Calendar } from './calendar.ts';
import { type Language, LanguageProvider } from './texts/dictionary.tsx';

export type Theme = 'light' | 'dark' | 'system';

export interface Preferences {
  language: Language;
  theme: Theme;
  calendar: Calendar;
  timeZone: string;
  setLanguage(language: Language): void;
  setTheme(theme: Theme): void;
  /** The account's calendar and zone, as soon as they are known; `undefined` gives the language's usual ones. */
  setAccountTime(time: { calendar: Calendar; timeZone: string } | undefined): void;
}

const PreferencesContext = createContext<Preferences | undefined>(undefined);

const root = document.documentElement;

export function PreferencesProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(root.lang === 'en' ? 'en' : 'fa');
  const [theme, setTheme] = useState<Theme>((root.dataset['theme'] as Theme | undefined) ?? 'system');
  const [time, setAccountTime] = useState<{ calendar: Calendar; timeZone: string }>();
  useEffect(() => {
    root.lang = language;
    root.dir = language === 'fa' ? 'rtl' : 'ltr';
  }, [language]);
  useEffect(() => {
    if (theme === 'system') delete root.dataset['theme'];
    else root.dataset['theme'] = theme;
  }, [theme]);
  const value = useMemo(
    () => ({
      language,
      theme,
      calendar: time?.calendar ?? (language === 'fa' ? ('jalali' as const) : ('gregorian' as const)),
      timeZone: time?.timeZone ?? 'Asia/Tehran',
      setLanguage(next: Language) {
        rememberChoice('dargah_lang', next);
        setLanguage(next);
      },
      setTheme(next: Theme) {
        rememberChoice('dargah_theme', next);
        setTheme(next);
      },
      setAccountTime,
    }),
    [language, theme, time],
  );
  return (
    <PreferencesContext value={value}>
      <LanguageProvider language={language}>{children}</LanguageProvider>
    </PreferencesContext>
  );
}

export function usePreferences(): Preferences {
  const found = useContext(PreferencesContext);
  if (found === undefined) throw new Error('usePreferences outside of PreferencesProvider');
  return found;
}

/** In a cookie and not in the browser's storage, so that the server's first answer already has the right direction and colour. */
export function rememberChoice(name: string, value: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every supported browser.
  document.cookie = `${name}=${value}; Path=/; Max-Age=31536000; SameSite=Lax${location.protocol === 'https:' ? '; Secure' : ''}`;
}
