/** The frame of pages before the console: the brand above, one card in the middle. */
import type { ReactNode } from 'react';
import { BrandMark, useBrandName } from '../brand.tsx';
import { LanguageButton, ThemeMenu } from '../shell/shell.tsx';

export function SignInFrame({ title, children }: { title: string; children: ReactNode }) {
  const brand = useBrandName();
  return (
    <div className="gate-page">
      <header className="bar">
        <a className="brand shown" href="/">
          <BrandMark />
          {brand}
        </a>
        <div className="end">
          <ThemeMenu />
          <LanguageButton />
        </div>
      </header>
      <main id="main">
        <div className="panel gate-card">
          <h1>{title}</h1>
          {children}
        </div>
      </main>
    </div>
  );
}
