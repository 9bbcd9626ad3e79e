// Registers the routes of the dashboard: its data, and hiding the card 'Set up your portal'.
import { getStats as getStatsCall, hideSetup as hideSetupCall, type Stats } from '@portal/contract';
import type { Clock } from '../../day.ts';
import type { Database } from '../../db/database.ts';
import type { Handle } from '../../http/handle.ts';
import { hideSetup, readSetup } from './setup.sql.ts';
import { getStats } from './tally.sql.ts';

/** `outbox` is null if SMTP is configured. */
type Tools = { db: Database; outbox: unknown } & Clock;

export function handleStats(handle: Handle, { db, now, dayOf, outbox }: Tools): void {
  handle(getStatsCall, async ({ caller: { user_id } }): Promise<Stats> => {
    const at = now();
    const stats = await getStats(db, { now: at, today: dayOf(at) });
    const { products, coupons } = stats;
    const setup = {
      product: products > 0,
      codes: coupons.total > 0,
      mail: outbox === null,
      ...(await readSetup(db, user_id)),
    };
    return { ...stats, setup };
  });

  handle(hideSetupCall, async ({ caller: { user_id } }) => {
    await hideSetup(db, { user_id, now: now() });
    return { hidden: true as const };
  });
}
