/** How many sockets there may be, and how long each: with a clock that the test moves. */
import { describe, expect, it } from 'vitest';
import {
  type KeptSocket,
  OpenSockets,
  SOCKET_IDLE_MS,
  SOCKET_LIFETIME_MS,
  SOCKET_PING_MS,
} from '../../src/http/sockets/open-sockets.ts';

function surroundings(perProcess = 10, perKey = 10) {
  let now = 0;
  const sockets = new OpenSockets({ perProcess, perKey }, () => now);
  const open = (keyId = 'a', owner = `of ${keyId}`) => {
    const told: string[] = [];
    const socket: KeptSocket & { busy: boolean; alive: boolean; told: string[] } = {
      keyId,
      owner,
      busy: false,
      alive: true,
      told,
      ping: () => void told.push('ping'),
      end: (why) => void told.push(why),
      cut: () => void told.push('cut'),
    };
    sockets.add(socket);
    return socket;
  };
  const later = (ms: number) => {
    now += ms;
    sockets.sweep();
  };
  return { sockets, open, later };
}

const ends = (told: string[]) => told.filter((word) => word !== 'ping');

describe('open sockets', () => {
  it('are bounded for a key and for the process, and closed ones make room', () => {
    const { sockets, open } = surroundings(3, 2);
    const first = open('a');
    open('a');
    expect(() => sockets.checkRoom({ keyId: 'a', owner: 'of a' })).toThrow(
      expect.objectContaining({ code: 'rate_limited' }),
    );
    sockets.checkRoom({ keyId: 'b', owner: 'of b' });
    open('b');
    expect(() => sockets.checkRoom({ keyId: 'c', owner: 'of c' })).toThrow(
      expect.objectContaining({ code: 'overloaded' }),
    );
    sockets.remove(first);
    sockets.checkRoom({ keyId: 'a', owner: 'of a' });
  });

  it('of one account are a quarter of the process, whatever keys it makes', () => {
    const { sockets, open } = surroundings(16, 2);
    const [first] = ['a', 'a', 'b', 'b'].map((key) => open(key, 'acme'));
    const more = () => sockets.checkRoom({ keyId: 'c', owner: 'acme' });
    expect(more).toThrow(expect.objectContaining({ code: 'rate_limited' }));
    sockets.checkRoom({ keyId: 'd', owner: 'other' });
    if (first) sockets.remove(first);
    expect(more).not.toThrow();
  });

  it('end when nobody uses them, once, and not while an answer is made', () => {
    const { sockets, open, later } = surroundings();
    const [idle, used, busy] = [open(), open(), open()];
    busy.busy = true;
    later(SOCKET_IDLE_MS - 1);
    sockets.used(used);
    later(1);
    later(1);
    expect([idle, used, busy].map(({ told }) => ends(told))).toEqual([['idle'], [], []]);
  });

  it('end at their longest time, after the answer that is being made', () => {
    const { sockets, open, later } = surroundings();
    const busy = open();
    busy.busy = true;
    later(SOCKET_LIFETIME_MS);
    expect(ends(busy.told)).toEqual([]);
    busy.busy = false;
    sockets.used(busy);
    expect(ends(busy.told)).toEqual(['lifetime']);
  });

  it('are asked whether somebody is there, and cut when nobody answers', () => {
    const { open, later } = surroundings();
    const socket = open();
    later(SOCKET_PING_MS);
    expect(socket.told).toEqual(['ping']);
    socket.alive = false;
    later(SOCKET_PING_MS);
    expect(socket.told).toEqual(['ping', 'cut']);
  });

  it('let nobody in and go when the process does', () => {
    const { sockets, open } = surroundings();
    const [idle, busy] = [open(), open()];
    busy.busy = true;
    sockets.leave();
    expect(() => sockets.checkRoom({ keyId: 'a', owner: 'of a' })).toThrow(
      expect.objectContaining({ code: 'overloaded' }),
    );
    expect([idle.told, busy.told]).toEqual([['leaving'], []]);
    busy.busy = false;
    sockets.used(busy);
    expect(busy.told).toEqual(['leaving']);
  });
});
