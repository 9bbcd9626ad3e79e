// Deletes expired rows of the sign-in service.
import { type AuthContext, DAY_SECONDS, findSessionEnds, moveTime } from './context.ts';
import { PROVIDER_FLOW_SECONDS } from './provider-sign-in.ts';
import {
  deleteExpiredTokens,
  deleteMailWindows,
  deleteWrongCodes,
  limitTimesAhead,
} from './purge-expired.sql.ts';
import { deleteRateCounts } from './rate-counts.sql.ts';
import { deleteEndedSessions } from './sessions.sql.ts';
import { deleteSigningKeys } from './signing-keys.sql.ts';

// A retired key is deleted this time after its last token has expired. After a rotation, another process may sign
// tokens with the old key for up to one second, until this process has reloaded the keys.
const KEY_MARGIN_SECONDS = 3600;

/** The longest period of all limits that are counted in the table auth_rate. */
const RATE_SECONDS = 3600;

/**
 * Deletes expired rows. Also corrects times in the future, which a clock that was ahead has written (see
 * `limitTimesAhead`). Several processes may run this function at the same time.
 */
export async function purgeExpired(context: AuthContext): Promise<void> {
  const { db, settings } = context;
  const now = context.now();
  const { linkSeconds } = settings;
  const lifetimes = { linkSeconds, flowSeconds: PROVIDER_FLOW_SECONDS, rateSeconds: RATE_SECONDS };
  await limitTimesAhead(db, lifetimes, now);
  await deleteExpiredTokens(db, now);
  await deleteEndedSessions(db, findSessionEnds(settings, now));
  await deleteMailWindows(db, moveTime(now, -Math.max(DAY_SECONDS, settings.mailIntervalSeconds)));
  await deleteRateCounts(db, now);
  await deleteWrongCodes(db, moveTime(now, -DAY_SECONDS));
  await deleteSigningKeys(db, moveTime(now, -settings.tokenSeconds - KEY_MARGIN_SECONDS));
}
