export { createSetup, type Setup } from './setup.ts';
