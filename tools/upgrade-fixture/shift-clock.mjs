/**
 * For `node --import`: the process lives DARGAH_SHIFT_MS away from the real time. Fixtures are made once and read for years; to a
 * server that starts on them they are a minute old.
 */
const shiftMs = Number(process.env.DARGAH_SHIFT_MS ?? 0);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shiftMs);
    else super(...given);
  }

  static now() {
    return RealDate.now() + shiftMs;
  }
};
