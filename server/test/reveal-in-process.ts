// A program that shows codes. Tests start it several times, so that several processes show codes at the same moment:
// `node reveal-in-process.ts <database url> <e-mail> <code id> <count>`. It prints 'ready', waits for a line on stdin,
// and asks for the code `count` times at once. It then prints how many calls succeeded, and ends.
import { once } from 'node:events';
import { AppError } from '../src/app-error.ts';
import { openPostgres } from '../src/db/open-postgres.ts';
import { findUser } from '../src/stores/users.ts';
import { revealCoupon } from '../src/usecases/reveal-coupon.ts';

const [url = '', email = '', id = '', count = ''] = process.argv.slice(2);
const db = await openPostgres({ url, maxConnections: 8, connectTimeoutMs: 30_000 });
const user_id = (await findUser(db, email))?.id ?? '';
const caller = { email, user_id, team_role: 'support' as const };
const reveal = async (): Promise<number> => {
  try {
    await revealCoupon(db, { id, caller }, { now: () => new Date() });
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
const shown = await Promise.all(Array.from({ length: Number(count) }, reveal));
console.log(shown.reduce((sum, one) => sum + one, 0));
process.stdin.destroy();
await db.close();
