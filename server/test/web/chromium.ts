/** The system's own Chromium. */
import { existsSync } from 'node:fs';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Undefined where no browser is installed; the tests then say so and are skipped, except in CI. */
export const CHROMIUM = process.env['CHROMIUM_PATH'] ?? PLACES.find((path) => existsSync(path));
