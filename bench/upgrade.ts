// Measures the upgrade of a large database to the current schema, while learners redeem.
import { upgradeFilledDatabase } from '../server/test/upgrade.ts';
import { showOne, table } from './format.ts';

const ROUNDS = 3;
const LIMIT_SECONDS = 60;

/** Runs the benchmark. Returns its chapter of bench/results.md, as Markdown. */
export async function reportUpgrade(): Promise<string> {
  const rows: string[][] = [];
  let longest = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { seconds, waits, calls } = await upgradeFilledDatabase();
    const sumOf = (values: Record<string, number>) =>
      Object.values(values).reduce((sum, each) => sum + each, 0);
    longest = Math.max(longest, sumOf(seconds));
    rows.push([
      showOne(sumOf(seconds), 1),
      showOne(Math.max(waits.claim, waits.list)),
      showOne(sumOf(calls)),
    ]);
  }
  return `300,000 people and 1,000,000 codes on PostgreSQL, from schema 10 to the newest. Meanwhile a learner after the other redeems and
lists products with the statements of the previous version. The limit is ${LIMIT_SECONDS} s; the slowest upgrade took
${showOne((longest / LIMIT_SECONDS) * 100)} % of it${longest > LIMIT_SECONDS ? ', so the limit is **not met**' : ''}.

${table(['upgrade, seconds', 'longest statement of a learner, ms', 'statements of learners'], rows)}`;
}
