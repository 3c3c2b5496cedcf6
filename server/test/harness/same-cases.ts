/**
 * Property tests try the same cases in every run: a failure is then of the change that is tested, and not of the day. With
 * FUZZ_MINUTES set they try new ones; a failure prints the seed that repeats it.
 */
import fc from 'fast-check';

const SEED = 20_240_320;

if (!process.env['FUZZ_MINUTES']) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
