/** Renders a part as a page would: in a language, with the calendar of its reader. No browser is needed. */
import { cleanup, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach } from 'vitest';
import { PreferencesProvider } from '../../src/preferences.tsx';
import type { Language } from '../../src/texts/dictionary.tsx';

afterEach(cleanup);

export function show(part: ReactNode, language: Language = 'en') {
  // As the server's page says it.
  document.documentElement.lang = language;
  const shown = render(<PreferencesProvider>{part}</PreferencesProvider>);
  return { ...shown, again: (next: ReactNode) => shown.rerender(<PreferencesProvider>{next}</PreferencesProvider>) };
}
