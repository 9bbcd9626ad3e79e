// Simulates ten thousand learners who arrive within one minute. Each learner signs in by a mailed code, lists the
// products, opens a product and redeems this product.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Cohort, CohortResult } from './cohort-load.ts';
import { onPostgres } from './engines.ts';
import { percentile, showOne, table } from './format.ts';
import { prepareScene } from './scene.ts';
import { makeProduct } from './seed.ts';

const COHORT_LOAD = fileURLToPath(new URL('./cohort-load.ts', import.meta.url));
const LEARNERS = 10_000;
const SECONDS = 60;
const PRODUCTS = 12;

/** Runs the benchmark. Returns its chapter of bench/results.md, as Markdown. */
export async function reportCohort(): Promise<string> {
  const { milliseconds, errors, seconds, codes } = await onPostgres(async (place) => {
    let productId = '';
    const scene = await prepareScene(place, LEARNERS, async (db) => {
      for (let count = 0; count < PRODUCTS; count += 1) productId = await makeProduct(db, LEARNERS);
    });
    const child = spawn(process.execPath, [COHORT_LOAD], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = child.stdout;
    const [smtpUrl] = await once(lines, 'data');
    const portal = await scene.start({
      SMTP_URL: String(smtpUrl).trim(),
      MAIL_FROM: 'Academy <portal@example.org>',
    });
    const emails = scene.learners.map(({ identity }) => identity.email);
    child.stdin.end(
      JSON.stringify({ url: portal.url, productId, emails, seconds: SECONDS } satisfies Cohort),
    );
    const arrivals = (await json(lines)) as CohortResult;
    await portal.stop();
    return arrivals;
  });
  const rows = Object.entries(milliseconds).map(([step, values]) => [
    step,
    showOne(values.length),
    ...[0.5, 0.95, 0.99].map((share) => showOne(percentile(values, share))),
  ]);
  const errorLines = Object.entries(errors).map(([error, count]) => `${count} times ${error}`);
  return `${showOne(LEARNERS)} learners arrive evenly within ${SECONDS} seconds. Each learner has a connection and takes one step after the other. The portal is one
process on PostgreSQL; the mail server and the load generator run on the same machine. The figures are from one run. The last learner had a
code ${showOne(seconds)} seconds after the first learner arrived. Errors: ${errorLines.join(', ') || 'none'}. Different codes: ${showOne(codes)}.

${table(['step, in milliseconds', 'times', 'median', '95th percentile', '99th percentile'], rows)}`;
}
