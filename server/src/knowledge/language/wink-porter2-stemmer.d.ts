/** The package has no types of its own. */
declare module 'wink-porter2-stemmer' {
  /** The Porter2 ("English" of Snowball) stem of a word in lower case. */
  export default function stem(word: string): string;
}
