/** How much a test tries: a sample in `npm test` and in CI, the whole with `npm run test:long`. */
export const LONG = process.env['DARGAH_LONG'] === '1';

export function amount(usual: number, long: number): number {
  return LONG ? long : usual;
}
