// Tests that all numbers of codes agree after random actions on codes in every state.
import { expect, onTestFinished, test } from 'vitest';
import { createCodeActs } from '../../../test/code-acts.ts';
import { expectFiguresAgree } from '../../../test/code-figures.ts';
import { addCodeWorld } from '../../../test/code-world.ts';
import { addLearner, utcDayOf, utcToday } from '../../../test/factories.ts';
import { createActs } from '../../../test/lifecycle-acts.ts';
import { createWorld } from '../../../test/lifecycle-check.ts';
import { openTestApp } from '../../../test/open-test-app.ts';
import { createRandom } from '../../../test/random.ts';

const SEED = 2026;
const ACTS = 1_000;
const LEARNERS = 6;
const ACTS_BETWEEN = 200;

/** Adds the seed and the latest actions to the error of a failed comparison. */
async function atMoment(done: readonly string[], compare: () => Promise<unknown>): Promise<void> {
  await compare().catch((cause: unknown) => {
    const latest = done.slice(-5).join(', ');
    throw new Error(`seed ${SEED}, act ${done.length} (${latest}): ${String(cause)}`, { cause });
  });
}

test('R-DAY-20: all figures agree after 1,000 random acts on codes in every state', {
  timeout: 180_000,
}, async () => {
  const portal = await openTestApp();
  onTestFinished(() => portal.close());
  const token = await portal.signInAdmin();
  await addCodeWorld(portal, token);
  const learners: { email: string; token: string }[] = [];
  for (let learner = 0; learner < LEARNERS; learner += 1) {
    const { email } = await addLearner(portal.db, []);
    learners.push({ email, token: await portal.signIn(email) });
  }
  const acts = createCodeActs(portal, { token, learners, random: createRandom(SEED) });
  const done: string[] = [];
  const successes = new Map([...acts.names].map((name) => [name, 0]));
  for (let step = 1; step <= ACTS; step += 1) {
    const { name, status } = await acts.step();
    done.push(`${name} ${status}`);
    if (status === 200 || status === 201) successes.set(name, (successes.get(name) ?? 0) + 1);
    await atMoment(done, async () => {
      // Refused calls must change nothing. No other error is allowed.
      expect([null, 200, 201, 400, 403, 404, 409]).toContain(status);
      if (step % ACTS_BETWEEN === 0) await expectFiguresAgree({ ...portal, token, today: utcToday() });
    });
  }
  // Each kind of action must have changed something. Otherwise the test would compare too little.
  for (const [name, count] of successes) expect(count, `seed ${SEED}: ${name}`).toBeGreaterThan(0);
  await expectFiguresAgree({ ...portal, token, today: utcToday() });
});

test('R-DAY-20: all figures agree while days pass and codes expire', { timeout: 180_000 }, async () => {
  let clock = () => new Date();
  const portal = await openTestApp({ clock: () => clock() });
  onTestFinished(() => portal.close());
  const token = await portal.signInAdmin();
  const acts = createActs(await createWorld(portal.db, SEED));
  const done: string[] = [];
  for (let step = 1; step <= ACTS; step += 1) {
    done.push((await acts.step()).name);
    if (step % ACTS_BETWEEN > 0) continue;
    clock = acts.tools().now;
    await atMoment(done, () => expectFiguresAgree({ ...portal, token, today: utcDayOf(clock()) }));
  }
});
