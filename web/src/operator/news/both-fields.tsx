/** What customers read in their own language, written in both. */
import { AreaField, TextField } from '../../parts/form.tsx';
import { useNewsTexts } from './texts.ts';

interface Texts {
  textFa: string;
  textEn: string;
}
interface Words extends Texts {
  titleFa: string;
  titleEn: string;
}
export const NOTHING: Words = { titleFa: '', titleEn: '', textFa: '', textEn: '' };

export function BothFields({ value, onChange }: { value: Words; onChange(next: Words): void }) {
  const own = useNewsTexts();
  return (
    <div className="columns two">
      <TextField
        label={own.titleFa}
        value={value.titleFa}
        onChange={(titleFa) => onChange({ ...value, titleFa })}
        dir="rtl"
      />
      <TextField
        label={own.titleEn}
        value={value.titleEn}
        onChange={(titleEn) => onChange({ ...value, titleEn })}
        dir="auto"
      />
      <TextFields value={value} onChange={(texts) => onChange({ ...value, ...texts })} />
    </div>
  );
}

/** The texts alone, for what already has a title; `hint` says what an empty one means. */
export function BothTexts({ value, hint, onChange }: { value: Texts; hint: string; onChange(next: Texts): void }) {
  return (
    <div className="columns two">
      <TextFields value={value} hint={hint} onChange={onChange} />
    </div>
  );
}

function TextFields({ value, hint, onChange }: { value: Texts; hint?: string; onChange(next: Texts): void }) {
  const own = useNewsTexts();
  return (
    <>
      <AreaField
        label={own.textFa}
        hint={hint}
        value={value.textFa}
        onChange={(textFa) => onChange({ ...value, textFa })}
        dir="rtl"
        rows={2}
      />
      <AreaField
        label={own.textEn}
        hint={hint}
        value={value.textEn}
        onChange={(textEn) => onChange({ ...value, textEn })}
        rows={2}
      />
    </>
  );
}

export const complete = (value: Words) => Object.values(value).every((text: string) => text.trim() !== '');
export const bodyOf = (value: Words) => ({
  title: { fa: value.titleFa.trim(), en: value.titleEn.trim() },
  text: { fa: value.textFa.trim(), en: value.textEn.trim() },
});
