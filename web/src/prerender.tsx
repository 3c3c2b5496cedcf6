/** Run by the build alone: the console's frame as markup, in both languages. The server fills in the operator's mark and name. */
import { renderToStaticMarkup } from 'react-dom/server';
import { useConsoleLinks } from './console/nav.ts';
import { StillFrame } from './shell/still-frame.tsx';
import { type Language, LanguageProvider } from './texts/dictionary.tsx';

function Frame() {
  return <StillFrame home="/console" groups={useConsoleLinks()} brand="%BRAND%" />;
}

export function frameIn(language: Language): string {
  return renderToStaticMarkup(
    <LanguageProvider language={language}>
      <Frame />
    </LanguageProvider>,
  );
}
