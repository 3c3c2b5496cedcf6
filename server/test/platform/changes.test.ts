/** News of changes: whom they reach, when, and how many of them wait. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChangeMailbox, type LiveChange } from '../../src/http/live-answer.ts';
import { ChangeFeed, STAFF_ONLY, tellChange } from '../../src/platform/changes.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { onBothDatabases } from '../services/both-databases.ts';
import { eventually } from '../services/eventually.ts';

const everything = (mailbox: ChangeMailbox): LiveChange[] => mailbox.drain(() => true);

onBothDatabases((name, open) =>
  describe(`news of changes, ${name}`, () => {
    let db: Database;
    let close: () => Promise<void>;
    let feed: ChangeFeed;
    beforeAll(async () => {
      ({ db, close } = await open());
      feed = new ChangeFeed(db);
    }, 120_000);
    afterAll(() => close?.());

    const follow = () => {
      const boxes = { sara: new ChangeMailbox(), omid: new ChangeMailbox(), staff: new ChangeMailbox() };
      const ends = [
        feed.followAccount('sara', boxes.sara),
        feed.followAccount('omid', boxes.omid),
        feed.followAll(boxes.staff),
      ];
      return { ...boxes, end: () => ends.map((end) => end()) };
    };

    it('reach the account and staff, and no other account', async () => {
      const { sara, omid, staff, end } = follow();
      await tellChange(db, db, 'sara', { what: 'keys', id: 'key_1' });
      await db.publish(db, 'wallet', 'sara');
      await tellChange(db, db, STAFF_ONLY, { what: 'staff_notices', id: 'ntc_1' });
      await db.publish(db, 'catalog', 'a-supplier');
      await eventually(async () => expect(omid.holds('catalog')).toBe(true));
      const own = [
        { what: 'keys', id: 'key_1' },
        { what: 'wallet', id: 'sara' },
      ];
      const toAll = { what: 'catalog', id: null };
      expect(everything(sara)).toEqual([...own, toAll]);
      expect(everything(omid)).toEqual([toAll]);
      expect(everything(staff)).toEqual([...own, { what: 'staff_notices', id: 'ntc_1' }, toAll]);
      end();
      await tellChange(db, db, 'sara', { what: 'keys', id: 'key_2' });
      const later = follow();
      await tellChange(db, db, 'sara', { what: 'keys', id: 'key_3' });
      // Another kind of thing, told last: when it came, everything before it came.
      await tellChange(db, db, 'sara', { what: 'tickets', id: 'tkt_0' });
      await eventually(async () => expect(later.sara.holds('tickets')).toBe(true));
      expect(everything(sara), 'whoever left hears nothing').toEqual([]);
      later.end();
    });

    it('come with the commit, and never when there is none', async () => {
      const { sara, end } = follow();
      const undone = db.transaction(async (tx) => {
        await tellChange(db, tx, 'sara', { what: 'orders', id: 'ord_1' });
        throw new Error('no');
      });
      await expect(undone).rejects.toThrow('no');
      await db.transaction((tx) => tellChange(db, tx, 'sara', { what: 'orders', id: 'ord_2' }));
      await eventually(async () => expect(sara.holds('orders')).toBe(true));
      expect(everything(sara)).toEqual([{ what: 'orders', id: 'ord_2' }]);
      end();
    });

    it('that this version does not know are passed over', async () => {
      const { sara, end } = follow();
      await db.publish(db, 'changed', 'horoscopes sara hor_1');
      await db.publish(db, 'changed', 'keys');
      await tellChange(db, db, 'sara', { what: 'tickets', id: 'tkt_1' });
      await eventually(async () => expect(sara.holds('tickets')).toBe(true));
      expect(everything(sara)).toEqual([{ what: 'tickets', id: 'tkt_1' }]);
      end();
    });
  }),
);

describe('changes that wait for a page', () => {
  it('are told one by one while they are few, and as a whole when they are many', () => {
    const mailbox = new ChangeMailbox();
    for (let n = 0; n < 1_000; n++) mailbox.heard({ what: 'orders', id: `ord_${n}` });
    for (let n = 0; n < 3; n++) mailbox.heard({ what: 'keys', id: 'key_1' });
    expect(everything(mailbox)).toEqual([
      { what: 'orders', id: null },
      { what: 'keys', id: 'key_1' },
    ]);
    expect(everything(mailbox)).toEqual([]);
  });

  it('of which some were missed are all', () => {
    const mailbox = new ChangeMailbox();
    mailbox.heard({ what: 'orders', id: 'ord_1' });
    mailbox.missed();
    expect(everything(mailbox)).toEqual([{ what: 'everything', id: null }]);
    expect(everything(mailbox)).toEqual([]);
  });

  it('are not told to whoever may not read them', () => {
    const mailbox = new ChangeMailbox();
    mailbox.heard({ what: 'orders', id: 'ord_1' });
    mailbox.heard({ what: 'keys', id: 'key_1' });
    expect(mailbox.drain((what) => what === 'keys')).toEqual([{ what: 'keys', id: 'key_1' }]);
    expect(everything(mailbox), 'nor later').toEqual([]);
  });
});
