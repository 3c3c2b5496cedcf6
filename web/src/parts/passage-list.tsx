/** The passages that a prompt was given, by the numbers they are cited by: which document, and where in it. */
import { Link } from 'wouter';
import { useFormat } from '../format.ts';
import { pageText, usePassageTexts } from '../texts/passage-texts.ts';

interface Passage {
  index: number;
  title: string;
  place: number;
  page: number | null;
  heading: string | null;
  tokens: number;
  still_there?: boolean;
}

export function PassageList<P extends Passage>({
  passages,
  addressOf,
}: {
  passages: readonly P[];
  /** Where its words can be read, for whoever may read them. */
  addressOf?: (passage: P) => string;
}) {
  const texts = usePassageTexts();
  const format = useFormat();
  return (
    <ol className="used-passages">
      {passages.map((passage) => {
        const { index, title, place, page, heading, tokens, still_there: there } = passage;
        return (
          <li key={index}>
            <span className="number tnum">{format.number(index)}</span>
            <div>
              {addressOf === undefined || there === false ? (
                <bdi className="wraps">{title}</bdi>
              ) : (
                <Link className="link wraps" href={addressOf(passage)}>
                  <bdi>{title}</bdi>
                </Link>
              )}
              <div className="xs dim">
                {heading !== null && (
                  <>
                    <bdi className="wraps">{heading}</bdi>
                    {' · '}
                  </>
                )}
                {page !== null && `${pageText(texts, title, format.number(page))} · `}
                {texts.passage(format.number(place))}
                {' · '}
                {texts.tokens(format.number(tokens))}
              </div>
              {there === false && <div className="xs dim">{texts.gone}</div>}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
