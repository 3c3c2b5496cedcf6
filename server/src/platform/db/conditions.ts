/** Conditions of a statement, put together from filters that may be absent. */

export interface Conditions {
  /** SQL with `§` for each value, because regular expressions and JSON contain question marks of their own. */
  parts: string[];
  values: unknown[];
}

/** Adds `column = ?` unless the value is absent. */
export function adder(to: Conditions): (part: string, value: unknown) => void {
  return (part, value) => {
    if (value === undefined) return;
    to.parts.push(part.replace('?', '§'));
    to.values.push(value);
  };
}

/** `where …` with numbered parameters, or nothing. */
export function joined(conditions: readonly Conditions[]): { text: string; values: unknown[] } {
  let number = 0;
  const text = conditions
    .flatMap(({ parts }) => parts)
    .join(' and ')
    .replaceAll('§', () => `$${++number}`);
  return { text: text === '' ? '' : `where ${text}`, values: conditions.flatMap(({ values }) => values) };
}
