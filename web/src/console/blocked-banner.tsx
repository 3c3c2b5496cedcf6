/** On every page of a blocked account: that it is blocked, and where the reason stands. */
import { Link } from 'wouter';
import { Note } from '../parts/page-frame.tsx';
import { useConsoleTexts } from './texts.ts';

export function BlockedBanner() {
  const texts = useConsoleTexts();
  return (
    <Note tone="warn">
      {texts.blockedShort} <Link href="/console">{texts.blockedWhy}</Link>
    </Note>
  );
}
