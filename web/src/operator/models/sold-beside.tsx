/** What a model costs beside its tokens at their normal price: tools that the provider runs, and its service tiers. */
import { SERVICE_TIERS } from '@dargah/core/catalog-terms.ts';
import { useFormat } from '../../format.ts';
import { usePriceName } from '../../parts/declared.ts';
import { NumberField } from '../../parts/form.tsx';
import { useShared } from '../../texts/shared.ts';
import { useModelTexts } from './texts.ts';

const TOOLS = ['web_search', 'web_fetch', 'file_search', 'code_session', 'image_tool_input', 'image_tool_output'];

type Given = Record<string, string | null>;

interface Terms {
  service_tiers?: Record<string, string>;
  image_grid?: { size?: string; quality?: string; price: string }[];
}

export function tiersOfService(price: Terms | undefined): Record<string, string> {
  return { ...price?.service_tiers };
}

/** Null removes all of them. */
export function givenTiers(tiers: Given): Record<string, string> | null {
  const given = Object.entries(tiers).filter((entry): entry is [string, string] => entry[1] !== null);
  return given.length === 0 ? null : Object.fromEntries(given);
}

/** Folded at first, because most models sell neither. What a model sells already is listed with its other prices. */
export function SoldBeside({
  known,
  values,
  onPrice,
  tiers,
  onTier,
}: {
  known: Record<string, string>;
  values: Given;
  onPrice(field: string, next: string | null): void;
  tiers: Given;
  onTier(tier: string, next: string | null): void;
}) {
  const texts = useModelTexts();
  const shared = useShared();
  const nameOf = usePriceName();
  return (
    <details>
      <summary>{texts.soldBeside}</summary>
      <p className="xs dim">{texts.soldBesideHint}</p>
      <div className="columns">
        {TOOLS.filter((field) => known[field] === undefined).map((field) => (
          <NumberField
            key={field}
            label={nameOf(field)}
            unit={shared.toman}
            value={values[field] ?? null}
            onChange={(next) => onPrice(field, next)}
          />
        ))}
        {SERVICE_TIERS.map((tier) => (
          <NumberField
            key={tier}
            label={texts.serviceTier(tier)}
            unit={texts.timesPrice}
            value={tiers[tier] ?? null}
            onChange={(next) => onTier(tier, next)}
          />
        ))}
      </div>
    </details>
  );
}

export function TermsOfPrice({ price }: { price: Terms }) {
  const texts = useModelTexts();
  const format = useFormat();
  const tiers = Object.entries(price.service_tiers ?? {});
  const grid = price.image_grid ?? [];
  return (
    <>
      {tiers.length > 0 && (
        <span className="dim">
          {tiers.map(([tier, factor]) => texts.tierFactor(tier, format.number(Number(factor)))).join(' · ')}
        </span>
      )}
      {grid.map(({ size = '', quality = '', price: each }) => (
        <span key={`${size} ${quality}`} className="dim">
          <bdi dir="ltr">{`${size} ${quality}`.trim()}</bdi>: {format.money(each)}
        </span>
      ))}
    </>
  );
}
