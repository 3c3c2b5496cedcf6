/** The address of what a person knows of themselves; read again after every change here. */
export const ME = 'GET /api/console/me';
