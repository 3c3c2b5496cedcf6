import { fromMicros, micros, roughly, useFormat } from '../format.ts';
import { labelOf } from '../texts/dictionary.tsx';
import { useTexts } from '../texts/receipt-texts.ts';
import { useRequestTexts } from '../texts/request-texts.ts';
import { Id } from './copyable.tsx';
import { Amount, AmountCell, Moment } from './figures.tsx';
import { vars } from './meter.tsx';
import { Pill, type Tone } from './pill.tsx';

interface Charged {
  cost: string;
  formula: string;
  usage: { service_tier?: string } | null;
  price: { lines: readonly { bucket: string; units: number; toman_per_million: string; amount: string }[] };
}

/** How it ended, when it came, and what it cost: the first lines of every receipt. */
export function ReceiptHead({ tone, word, at, cost }: { tone: Tone; word: string; at: string; cost: string }) {
  return (
    <>
      <div className="row between">
        <Pill tone={tone}>{word}</Pill>
        <span className="xs dim">
          <Moment at={at} exact />
        </span>
      </div>
      <div className="hero">
        <Amount value={cost} unit />
      </div>
    </>
  );
}

export function Formula({ receipt }: { receipt: Charged }) {
  const texts = useTexts();
  const names = useRequestTexts();
  const format = useFormat();
  const { lines } = receipt.price;
  if (lines.length === 0) {
    return (
      <section>
        <h3>{texts.formula}</h3>
        <p className="mid">{texts.free}</p>
      </section>
    );
  }
  return (
    <section>
      <h3>{texts.formula}</h3>
      <table className="calc">
        <thead>
          <tr>
            <th scope="col">{texts.share}</th>
            <th scope="col" className="number">
              {texts.units}
            </th>
            <th scope="col" className="number">
              {texts.perMillion}
            </th>
            <th scope="col" className="number">
              {texts.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={line.bucket}>
              <td>{labelOf(names.buckets, line.bucket) ?? <bdi>{line.bucket}</bdi>}</td>
              <td className="number">{format.number(line.units)}</td>
              <td className="number mid">
                <span className="op">×</span> {format.money(line.toman_per_million)}
              </td>
              <td className="number">
                <AmountCell value={line.amount} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <td colSpan={3}>{texts.sum}</td>
            <td className="number">
              <AmountCell value={receipt.cost} />
            </td>
          </tr>
        </tfoot>
      </table>
      {receipt.usage?.service_tier !== undefined && (
        <p className="xs dim">{texts.atTier(receipt.usage.service_tier)}</p>
      )}
      <p className="xs dim formula">
        <Id value={receipt.formula} copy />
      </p>
    </section>
  );
}

export function Settlement({ receipt }: { receipt: { held: string; cost: string } }) {
  const texts = useTexts();
  const format = useFormat();
  const held = roughly(receipt.held);
  if (held <= 0) return null;
  const share = Math.min(1, roughly(receipt.cost) / held);
  const released = fromMicros(
    micros(receipt.held) - micros(receipt.cost) < 0n ? 0n : micros(receipt.held) - micros(receipt.cost),
  );
  return (
    <section>
      <h3>{texts.money}</h3>
      <div
        className="settle"
        role="img"
        aria-label={texts.settleName(format.percent(share))}
        style={vars({ '--p': `${share * 100}%` })}
      >
        <i />
      </div>
      <dl className="trio">
        <div>
          <dt>
            <span className="swatch hatched" />
            {texts.held}
          </dt>
          <dd>
            <Amount value={receipt.held} />
          </dd>
        </div>
        <div>
          <dt>
            <span className="swatch" />
            {texts.taken}
          </dt>
          <dd>
            <Amount value={receipt.cost} />
          </dd>
        </div>
        <div>
          <dt>{texts.released}</dt>
          <dd>
            <Amount value={released} />
          </dd>
        </div>
      </dl>
    </section>
  );
}
