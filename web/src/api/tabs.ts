/** What the tabs of this browser tell each other about who is signed in. It is said and not kept, and no other site hears it. */
type News = 'signed-in' | 'signed-out';

const NAME = 'dargah.session';

export function tellTabs(news: News): void {
  const channel = new BroadcastChannel(NAME);
  channel.postMessage(news);
  channel.close();
}

/** Returns how to stop. */
export function hearTabs(listener: (news: News) => void): () => void {
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }: MessageEvent<News>) => listener(data);
  return () => channel.close();
}
