// A program that shows or issues codes. Tests start it several times, so that several processes read codes at the same
// moment: `node reveal-in-process.ts <database url> <e-mail> show|issue <count> <code id> <learner's e-mail> <product>`.
// It prints 'ready', waits for a line on stdin, and makes `count` calls at once. It then prints how many calls succeeded,
// and ends.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { AppError } from '../src/app-error.ts';
import { openPostgres } from '../src/db/open-postgres.ts';
import { regenerateCoupon } from '../src/features/codes/issue.ts';
import { revealCoupon } from '../src/features/codes/reveal.ts';
import { findUser } from '../src/features/people/people.sql.ts';
import { utcDayOf } from './factories.ts';

const [url = '', email = '', act = '', count = '', id = '', learner = '', productId = ''] =
  process.argv.slice(2);
const now = () => new Date();
const tools = { now, dayOf: utcDayOf, randomBytes };
const db = await openPostgres({ url, maxConnections: 8, connectTimeoutMs: 30_000 });
const user_id = (await findUser(db, email))?.id ?? '';
const caller = { email, user_id, team_role: 'support' as const };
const calls: Record<string, () => Promise<unknown>> = {
  show: () => revealCoupon(db, { id, caller }, { now }),
  issue: () => regenerateCoupon(db, { actor: email, reader: caller, email: learner, productId }, tools),
};
const read = async (): Promise<number> => {
  try {
    await calls[act]?.();
    return 1;
  } catch (error) {
    if (error instanceof AppError && error.code === 'too_many_requests') return 0;
    throw error;
  }
};
// Opens the connections before the start.
await Promise.all(Array.from({ length: 8 }, () => db.query('select pg_sleep(0.05)')));
console.log('ready');
await once(process.stdin, 'data');
const shown = await Promise.all(Array.from({ length: Number(count) }, read));
console.log(shown.reduce((sum, one) => sum + one, 0));
process.stdin.destroy();
await db.close();
