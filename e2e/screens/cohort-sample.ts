// Adds cohorts to the demo for the screenshots.
import {
  addMembers,
  type BodyOf,
  type Cohort,
  createCohort,
  createGrants,
  editCohort,
  type Product,
} from '@portal/contract';
import { callApi, type Session } from '../harness/api.ts';
import type { Demo } from '../harness/demo.ts';
import { dayIn } from '../harness/states.ts';

export const AUTUMN = 'Autumn 2026';

/** The paths of a current and of an archived cohort. */
export type CohortSample = { autumn: string; archived: string };

/** `members` are people of the demo. */
export async function addCohortSample(
  demo: Demo,
  { access_token: token }: Session,
  { products, members }: { products: readonly Product[]; members: readonly string[] },
): Promise<CohortSample> {
  const idsOf = (from: number, to: number) =>
    products.slice(from, to).map(({ product_id }) => product_id ?? '');
  const create = (body: BodyOf<typeof createCohort>): Promise<Cohort> =>
    callApi(demo.url, createCohort, { token, body });
  const join = (id: string, emails: string[]) =>
    callApi(demo.url, addMembers, { token, params: { id }, body: { emails } });
  const made = (name: string, count: number, starts: number, ends: number | null) =>
    create({
      name,
      note: null,
      product_ids: idsOf(0, count),
      starts_on: dayIn(starts),
      ends_on: ends === null ? null : dayIn(ends),
    });
  const lecturers = await made('Partner trainers and guest lecturers of the spring term', 5, 0, null);
  await join(lecturers.cohort_id, members.slice(20, 32));
  const alumni = await made('Alumni', 1, 0, null);
  await join(alumni.cohort_id, members.slice(2, 48));
  const old = await made('Summer 2025', 4, -500, -400);
  await join(old.cohort_id, members.slice(10, 30));
  const studio = await made('Campaign Studio', 2, 40, null);
  await join(studio.cohort_id, members.slice(0, 31));
  const autumn = await made(AUTUMN, 4, -85, 95);
  await grant(idsOf(4, 5), dayIn(6), dayIn(95));
  await grant(idsOf(5, 6), dayIn(-85), dayIn(-25));
  await join(autumn.cohort_id, members.slice(0, 45));
  const spring = await made('Spring 2027', 5, 95, 278);
  await join(spring.cohort_id, members.slice(30, 42));
  const { name, note, version } = old;
  const archive = { name, note, version, archived: true, expected: 1000 };
  await callApi(demo.url, editCohort, { token, params: { id: old.cohort_id }, body: archive });
  const pathOf = ({ cohort_id }: Cohort) => `/admin/users/cohorts/${cohort_id}`;
  return { autumn: pathOf(autumn), archived: pathOf(old) };

  function grant(product_ids: string[], starts_on: string, ends_on: string) {
    const body = { cohort_id: autumn.cohort_id, product_ids, starts_on, ends_on };
    return callApi(demo.url, createGrants, { token, body });
  }
}
