/** Pictures that were drawn and are given by address, for a while (ADR 0075). */
export { createPictures, forgetPictures, type KeptPicture, PICTURE_LIFETIME_MS, type Pictures } from './pictures.ts';
