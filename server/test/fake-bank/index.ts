export type { BankFault } from './fake-bank.ts';
export { FakeStripe } from './fake-stripe.ts';
export { FakeZarinpal } from './fake-zarinpal.ts';
export { FakeZibal } from './fake-zibal.ts';
