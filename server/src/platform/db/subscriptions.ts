/** The subscribers of each topic. A subscriber that throws must not silence the others. */
import type { Log } from '../log.ts';

interface Subscriber {
  topic: string;
  onChange: (id: string) => void;
  lost: () => void;
}

export interface Subscriptions {
  add(topic: string, onChange: (id: string) => void, lost: () => void): () => void;
  deliver(topic: string, id: string): void;
  lost(): void;
}

export function createSubscriptions(log: Log): Subscriptions {
  const subscribers = new Set<Subscriber>();

  function call(action: () => void, topic: string): void {
    try {
      action();
    } catch (err) {
      log.error({ err, topic }, 'a subscriber to database changes failed');
    }
  }

  return {
    add(topic, onChange, lost) {
      const subscriber = { topic, onChange, lost };
      subscribers.add(subscriber);
      return () => subscribers.delete(subscriber);
    },
    deliver(topic, id) {
      for (const subscriber of subscribers) {
        if (subscriber.topic === topic) call(() => subscriber.onChange(id), topic);
      }
    },
    lost() {
      for (const subscriber of subscribers) call(subscriber.lost, subscriber.topic);
    },
  };
}
