// Counts what the forecast of each product's stock needs: the pace of hand-outs, the codes that expire before they are
// handed out, and the people who can still take a code (R-FUN-05, R-FUN-06).
import { createThrottle, type WorkTools } from '../../bulk/run-bulk.ts';
import type { Database } from '../../db/database.ts';
import type { JobTools } from '../../jobs/run-job.ts';
import * as sql from './forecast.sql.ts';

/** The pace is the mean of this number of full days. With fewer hand-outs in them, there is no forecast (R-FUN-05). */
const PACE_DAYS = 14;
const LEAST_HANDED_OUT = 10;

/** Number of people whom one statement reads: on the embedded engine, each statement blocks all other calls. */
const STEP_PEOPLE = 1_000;

/**
 * Counts for all products, if a count is due, and stores the counts at the end. A count that is interrupted begins again.
 * Pauses between its steps while the portal is busy. Returns 'released' if this process stops or has lost the job.
 */
export async function countForecasts(
  db: Database,
  tools: WorkTools,
  { renew }: Pick<JobTools, 'renew'>,
  { stepPeople = STEP_PEOPLE } = {},
): Promise<'released' | undefined> {
  const now = tools.now();
  const today = tools.dayOf(now);
  if (!(await sql.isForecastDue(db, { now, today }))) return;
  const throttle = createThrottle(tools);
  // A code that is assigned while the people are counted may reduce the number of people without a code twice. The next
  // count corrects it.
  const counters = await sql.listStockCounters(db, { now, today });
  const waiting = new Map<string, number>();
  for (let after: string | null = '0'; after !== null; ) {
    if (tools.isStopping() || !(await renew())) return 'released';
    const step = await sql.countWithoutCode(db, { after, limit: stepPeople, today });
    for (const [id, count] of Object.entries(step.without_code))
      waiting.set(id, (waiting.get(id) ?? 0) + count);
    after = step.last_id;
    await throttle();
  }
  const forecasts: sql.StockForecast[] = [];
  for (const { product_id, free, assigned, ...counted } of counters) {
    const handed_out = counted.is_known && counted.handed_out >= LEAST_HANDED_OUT ? counted.handed_out : null;
    // Codes with a later last day are all handed out before they expire.
    const within = handed_out === null ? 0 : Math.ceil((free * PACE_DAYS) / handed_out);
    const expiring = within === 0 ? [] : await sql.listExpiringCodes(db, { product_id, today, within });
    const without_code = waiting.get(product_id) ?? 0;
    forecasts.push({ product_id, without_code, assigned, handed_out, ...findExpiring(expiring, handed_out) });
    await throttle();
  }
  await sql.storeForecasts(db, forecasts, { now, today });
  return;
}

/**
 * Returns how many of the codes expire before they are handed out, and the first day on which some do. `handedOut` is
 * the number of codes in PACE_DAYS. `codes` are ordered by their last day, as claims take them. A code is not handed
 * out on its last day (N-201).
 */
export function findExpiring(
  codes: readonly sql.ExpiringCodes[],
  handedOut: number | null,
): Pick<sql.StockForecast, 'expiring_first' | 'expires_on'> {
  let expiring_first = 0;
  let expires_on: string | null = null;
  let sum = 0;
  for (const { use_by, days, codes: count } of codes) {
    sum += count;
    const handedOutBefore = Math.floor(((handedOut ?? 0) * days) / PACE_DAYS);
    if (sum - handedOutBefore <= expiring_first) continue;
    expiring_first = sum - handedOutBefore;
    expires_on ??= use_by;
  }
  return { expiring_first, expires_on };
}
