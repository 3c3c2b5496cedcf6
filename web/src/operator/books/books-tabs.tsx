/** The pages of accounting as one family, from the month to the papers. */
import { PageHead } from '../../parts/page-frame.tsx';
import { PageTabs } from '../../parts/segments.tsx';
import { useAccountingTexts } from './texts.ts';

type BooksPage = keyof ReturnType<typeof useAccountingTexts>['tabs'];

export function BooksHead({ page, lead }: { page: BooksPage; lead?: string }) {
  const texts = useAccountingTexts();
  return (
    <>
      <PageHead title={texts.title} lead={lead} />
      <BooksTabs page={page} />
    </>
  );
}

export function BooksTabs({ page }: { page: BooksPage }) {
  const texts = useAccountingTexts();
  const pages = Object.keys(texts.tabs) as BooksPage[];
  return (
    <div className="filters">
      <PageTabs
        label={texts.title}
        value={page}
        options={pages.map(
          (one) => [one, texts.tabs[one], `/operator/books${one === 'month' ? '' : `/${one}`}`] as const,
        )}
      />
    </div>
  );
}
