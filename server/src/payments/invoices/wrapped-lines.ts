/**
 * Wraps a label and a value into lines that fit. The value keeps its own direction in every line, as it would have had
 * in one.
 */

/** Letters of scripts that run from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const LETTER = /\p{L}/u;

/** The direction follows the first letter; a value without letters runs as numbers do. */
function isolatedAs(value: string): (part: string) => string {
  const first = [...value].find((character) => LETTER.test(character)) ?? 'a';
  const opening = RIGHT_TO_LEFT.test(first) ? '\u2067' : '\u2066';
  return (part) => `${opening}${part}\u2069`;
}

/** `fits` says whether a line fits. A word longer than a line is cut. */
export function wrappedLines(lead: string, value: string, fits: (line: string) => boolean): string[] {
  const isolated = isolatedAs(value);
  const lines: string[] = [];
  let line = '';
  const whole = (text: string) => (lines.length === 0 ? lead : '') + isolated(text);
  const end = () => {
    lines.push(whole(line));
    line = '';
  };
  for (let word of value.split(' ')) {
    if (line !== '' && !fits(whole(`${line} ${word}`))) end();
    if (line !== '') {
      line = `${line} ${word}`;
      continue;
    }
    while (!fits(whole(word)) && word.length > 1) {
      let length = 1;
      while (length < word.length - 1 && fits(whole(word.slice(0, length + 1)))) length++;
      line = word.slice(0, length);
      word = word.slice(length);
      end();
    }
    line = word;
  }
  end();
  return lines;
}
