/** The two languages of the service, and a text in both. */
export type Language = 'fa' | 'en';
export type Text = Record<Language, string>;
