import { fromMicros, micros, roughly, useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Amount, AmountCell, Moment } from '../../parts/figures.tsx';
import { vars } from '../../parts/meter.tsx';
import { Pill, type Tone } from '../../parts/pill.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useRequestTexts } from '../../texts/request-texts.ts';
import type { Receipt } from './receipt.tsx';
import { useTexts } from './texts.ts';

interface PriceLine {
  bucket: string;
  units: number;
  toman_per_million: string;
  amount: string;
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

export function Formula({ receipt }: { receipt: Pick<Receipt, 'price' | 'cost' | 'formula'> }) {
  const texts = useTexts();
  const names = useRequestTexts();
  const format = useFormat();
  const lines = (receipt.price as { lines?: PriceLine[] } | null)?.lines ?? [];
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
            <th scope="col" className="n">
              {texts.units}
            </th>
            <th scope="col" className="n">
              {texts.perMillion}
            </th>
            <th scope="col" className="n">
              {texts.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={line.bucket}>
              <td>{labelOf(names.buckets, line.bucket) ?? <bdi>{line.bucket}</bdi>}</td>
              <td className="n">{format.number(line.units)}</td>
              <td className="n mid">
                <span className="op">×</span> {format.money(line.toman_per_million)}
              </td>
              <td className="n">
                <AmountCell value={line.amount} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <td colSpan={3}>{texts.sum}</td>
            <td className="n">
              <AmountCell value={receipt.cost} />
            </td>
          </tr>
        </tfoot>
      </table>
      <p className="xs dim formula">
        <Id value={receipt.formula} copy />
      </p>
    </section>
  );
}

export function Settlement({ receipt }: { receipt: Pick<Receipt, 'held' | 'cost'> }) {
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
            <span className="swatch h" />
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
