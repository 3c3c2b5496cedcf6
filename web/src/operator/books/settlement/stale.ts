/** What is read again after anything of a settlement changed. */
export const STALE = [
  'GET /api/admin/settlements',
  'GET /api/admin/settlements/:id',
  'GET /api/admin/settlements/:id/lines',
  'GET /api/admin/open-items',
  'GET /api/admin/open-orders',
  'GET /api/admin/documents',
];
