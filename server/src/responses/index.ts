export { createResponseStore, type ResponseStore, type ResponseStoreBounds } from './store.ts';
export { outputOf, type StoredResponse } from './stored-response.ts';
