/** How column values become JavaScript values. Defaults of the driver except where they would lose digits. */
import pg from 'pg';

const INT8 = 20;
const INT8_ARRAY = 1016;
const TEXT_ARRAY = 1009;

type Parser = (text: string) => unknown;

// The driver's list of known types leaves arrays out; its parsers do not.
const parseTextArray = pg.types.getTypeParser(TEXT_ARRAY as never, 'text') as (text: string) => (string | null)[];

const parsers = new Map<number, Parser>([
  // The driver's default is text; money arithmetic on text would concatenate.
  [INT8, (text) => BigInt(text)],
  [INT8_ARRAY, (text) => parseTextArray(text).map((item) => (item === null ? null : BigInt(item)))],
]);

export const valueTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    (format !== 'binary' && parsers.get(oid)) || pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};
