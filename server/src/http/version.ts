/** The version of package.json, where the bundled server can read it; a test holds the two together. */
export const VERSION = '0.1.0';
