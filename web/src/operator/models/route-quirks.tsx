/** How a route differs from its protocol: named choices, each of which may be left to the provider. */
import type { Field } from '@dargah/core/fields/field.ts';
import { QUIRK_FIELDS } from '@dargah/core/fields/quirks.ts';
import { useDeclared } from '../../parts/declared.ts';
import { SelectField } from '../../parts/form.tsx';
import { useRouteTexts } from './route-texts.ts';

export type RouteQuirkValues = Record<string, unknown>;

export function RouteQuirks({
  quirks,
  onChange,
}: {
  quirks: RouteQuirkValues;
  onChange(next: RouteQuirkValues): void;
}) {
  const texts = useRouteTexts();
  const declared = useDeclared();
  const said = Object.keys(QUIRK_FIELDS).some((name) => quirks[name] !== undefined);
  return (
    <details open={said}>
      <summary>{texts.quirks}</summary>
      <div className="columns">
        {Object.entries<Field>(QUIRK_FIELDS).map(([name, field]) => (
          <SelectField
            key={name}
            {...declared(field)}
            value={quirks[name] === undefined ? '' : String(quirks[name])}
            options={[
              ['', texts.asProvider],
              ...(field.kind === 'choice'
                ? field.values.map((value) => [value, value] as const)
                : ([
                    ['true', texts.yes],
                    ['false', texts.no],
                  ] as const)),
            ]}
            onChange={(next) => {
              const { [name]: _gone, ...others } = quirks;
              const value = field.kind === 'choice' ? next : next === 'true';
              onChange(next === '' ? others : { ...others, [name]: value });
            }}
          />
        ))}
      </div>
    </details>
  );
}
