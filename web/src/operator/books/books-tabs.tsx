/** The pages of reconciliation as one family: each is a link, so that the address says where one is. */
import { Link } from 'wouter';
import { useSettlementTexts } from './settlement/texts.ts';

type BooksPage = 'settlement' | 'bills' | 'documents';

export function BooksTabs({ page }: { page: BooksPage }) {
  const texts = useSettlementTexts();
  return (
    <nav className="row" aria-label={texts.pages}>
      {(Object.keys(texts.pageNames) as BooksPage[]).map((one) => (
        <Link
          key={one}
          href={`/operator/books/${one}`}
          className={one === page ? 'chip on' : 'chip'}
          aria-current={one === page ? 'page' : undefined}
        >
          {texts.pageNames[one]}
        </Link>
      ))}
    </nav>
  );
}
