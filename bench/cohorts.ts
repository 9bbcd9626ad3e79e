// Measures how fast staff read cohorts with very many people: pages of the members, and why a person may redeem a product
// or not.
import { ENGINES, type OnEngine } from './engines.ts';
import { percentile, showOne, table } from './format.ts';
import { prepareScene } from './scene.ts';
import { makeCohorts, makePeople, makeProduct } from './seed.ts';

const SIZES: Record<string, number> = { embedded: 30_000, PostgreSQL: 300_000 };
const COHORTS = 1_000;
const COHORTS_OF_PERSON = 5;
const FEW_MEMBERS = 1_000;
const PRODUCTS = 18;
const ROUNDS = 40;
const WARM_UP_ROUNDS = 5;

/** Runs the benchmark. Returns its chapter of bench/results.md, as Markdown. */
export async function reportCohorts(): Promise<string> {
  const rows: string[][] = [];
  for (const [name, onEngine] of ENGINES) {
    const people = SIZES[name] ?? 0;
    const figures = await measureReads(onEngine, people);
    rows.push([
      name,
      showOne(people),
      ...figures.map((milliseconds) => showOne(percentile(milliseconds, 0.95), 1)),
    ]);
  }
  return `There are ${showOne(COHORTS)} cohorts, and everybody is in ${COHORTS_OF_PERSON} of them. Two more cohorts are measured: one with ${showOne(FEW_MEMBERS)} members, and one with all people.
The figures are the 95th percentile of ${ROUNDS} rounds over HTTP, in milliseconds.

- *pages*: 20 members, from the beginning and from the middle of a measured cohort
- *searches*: the same pages of a search for a name that few, many or all people have
- *why*: the explanation whether a person can redeem a product, for known people and an unknown one
- *dates*: a change of the days of all grants of the largest cohort

${table(
  [
    'engine',
    'people',
    `pages, ${showOne(FEW_MEMBERS)} members`,
    'pages, all people',
    `searches, ${showOne(FEW_MEMBERS)} members`,
    'searches, all people',
    'why',
    'dates',
  ],
  rows,
)}`;
}

/** Returns the duration of each request in milliseconds: one list for each column of the table. */
async function measureReads(onEngine: OnEngine, people: number): Promise<number[][]> {
  return onEngine(async (place) => {
    const products: string[] = [];
    let cohorts: { few: string; everybody: string; middle: string } | undefined;
    const scene = await prepareScene(place, 1, async (db) => {
      while (products.length < PRODUCTS) products.push(await makeProduct(db, 10));
      await makePeople(db, people);
      await makeCohorts(db, { count: COHORTS, each: COHORTS_OF_PERSON, products });
      await db.execute(`
        insert into cohort (name, created_by) values ('Few', 'bench'), ('Everybody', 'bench');
        insert into cohort_member (cohort_id, user_id, joined_by)
          select c.cohort_id, u.id, 'bench' from cohort c, app_user u
          where c.name = 'Everybody' or c.name = 'Few' and u.id % ${people / FEW_MEMBERS} = 0;
        insert into access_grant (cohort_id, product_id, starts_on, granted_by)
          select c.cohort_id, p.product_id, '2000-01-01', 'bench' from cohort c, product p where c.name = 'Everybody';`);
      await db.execute('vacuum analyze');
      const { rows } = await db.query<NonNullable<typeof cohorts>>(
        `select (select cohort_id from cohort where name = 'Few') as few,
           (select cohort_id from cohort where name = 'Everybody') as everybody,
           (select (min(id) + max(id)) / 2 from app_user) as middle`,
      );
      cohorts = rows[0];
    });
    if (cohorts === undefined) throw new Error('There are no cohorts.');
    const { few, everybody, middle } = cohorts;
    const portal = await scene.start();
    const headers = { authorization: `Bearer ${scene.adminToken}` };
    const read = (path: string) => fetch(portal.url + path, { headers });
    const measure = async (paths: readonly string[], call = read) => {
      const milliseconds: number[] = [];
      for (let round = 0; round < ROUNDS + WARM_UP_ROUNDS; round += 1) {
        for (const path of paths) {
          const startedMs = performance.now();
          const answer = await call(path);
          await answer.json();
          if (!answer.ok) throw new Error(`${answer.status} for ${path}`);
          if (round >= WARM_UP_ROUNDS) milliseconds.push(performance.now() - startedMs);
        }
      }
      return milliseconds;
    };
    const pages = (cohort: string) => [
      `/api/users?limit=20&cohort_id=${cohort}`,
      `/api/users?limit=20&cohort_id=${cohort}&cursor=${middle}`,
    ];
    const searches = (cohort: string) =>
      ['first7+last12', 'first1', 'last'].flatMap((q) => pages(cohort).map((path) => `${path}&q=${q}`));
    try {
      const known = [7, people / 2, people].map((number) => `person-${number}@example.org`);
      const why = (email: string) =>
        products.slice(0, 3).map((product) => `/api/admin/user-access/${email}/why/${product}`);
      let days = 0;
      const setDates = () => {
        days += 1;
        const starts_on = new Date(Date.UTC(2020, 0, days)).toISOString().slice(0, 10);
        const body = JSON.stringify({ starts_on, ends_on: null, expected: 10_000_000 });
        return fetch(`${portal.url}/api/admin/cohorts/${everybody}/dates`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body,
        });
      };
      return [
        await measure(pages(few)),
        await measure(pages(everybody)),
        await measure(searches(few)),
        await measure(searches(everybody)),
        await measure([...known, 'person-7@example.com'].flatMap(why)),
        await measure(['dates'], setDates),
      ];
    } finally {
      await portal.stop();
    }
  });
}
