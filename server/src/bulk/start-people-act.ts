// Starts an act on many people for an administrator: they join or leave a cohort, move to another, or get products.
import type { UserAct } from '@portal/contract';
import type { Database, Db } from '../db/database.ts';
import { requireProducts } from '../features/access/require-products.ts';
import { resolveDays } from '../features/access/resolve-days.ts';
import { countChanged, requireCohort, requireTarget } from '../features/cohorts/find-cohort.ts';
import { enqueueRunningJob } from '../jobs/jobs.sql.ts';
import { countWhom, requireFilter } from './count-people.ts';
import type { UploadTools } from './import-csv.ts';
import { createPeopleAct, findNewestPerson, type PeopleActDetail } from './people-acts.sql.ts';

// If an act concerns at most this number of people, the response is sent after the act is done. Else the response is sent
// at once.
const AT_ONCE = 5_000;

type Order = { actor: string; expected: number };

/**
 * Starts an act on all users of a filter, or on those with the addresses (R-IMP-31). Returns the id of the job.
 * @throws AppError cohort_not_found, product_not_found; invalid_request if the last day is before the first;
 * count_changed if there are more users than `expected`.
 */
export function actOnUsers(
  db: Database,
  { actor, order }: { actor: string; order: UserAct },
  tools: UploadTools,
): Promise<string> {
  const { act, expected, filter, emails, product_ids = [], ...rest } = order;
  return start(
    db,
    { actor, expected },
    async (tx) => {
      const isGrant = act === 'grant';
      const days = isGrant ? resolveDays(rest, tools.dayOf(tools.now())) : NO_DAYS;
      return {
        ...days,
        act,
        to: null,
        cohort_id: isGrant ? null : (await requireCohort(tx, rest.cohort_id ?? '')).cohort_id,
        product_ids: isGrant ? await requireProducts(tx, product_ids) : [],
        filter: filter === undefined ? null : await requireFilter(tx, filter),
        emails: emails === undefined ? null : [...new Set(emails)],
      };
    },
    tools,
  );
}

/**
 * Starts an act on all members of a cohort, or on those whom the search `q` finds: they leave it, or move to the cohort
 * `to` (R-COHORT-13). Returns the id of the job.
 * @throws AppError cohort_not_found; invalid_request if both cohorts are the same; count_changed.
 */
export function actOnMembers(
  db: Database,
  {
    cohort_id: id,
    to,
    q,
    ...order
  }: Order & { cohort_id: string; to: string | null; q?: string | undefined },
  tools: UploadTools,
): Promise<string> {
  return start(
    db,
    order,
    async (tx) => {
      const { cohort_id } = await requireCohort(tx, id);
      const target = to === null ? null : await requireTarget(tx, cohort_id, to);
      const act = target === null ? 'leave' : 'move';
      const whom = { filter: { cohort_id, ...(q && { q }) }, emails: null, product_ids: [] };
      return { ...NO_DAYS, ...whom, act, cohort_id, to: target?.cohort_id ?? null };
    },
    tools,
  );
}

const NO_DAYS = { starts_on: null, ends_on: null };

type Planned = Pick<PeopleActDetail, 'act' | 'filter' | 'emails' | 'to'> &
  Omit<Parameters<typeof createPeopleAct>[1], 'id' | 'created_by' | 'rows_total' | 'detail'>;

/**
 * Stores the act that `plan` returns, and its job. If the act concerns few people, waits until the job ends. Returns the
 * id of the job.
 */
async function start(
  db: Database,
  { actor: created_by, expected }: Order,
  plan: (tx: Db) => Promise<Planned>,
  { now, randomUuid, runJob }: UploadTools,
): Promise<string> {
  const id = randomUuid();
  const { job, rows_total } = await db.transaction(async (tx) => {
    const { act, filter, emails, to, ...columns } = await plan(tx);
    const newest = await findNewestPerson(tx);
    const count = await countWhom(tx, { filter, emails });
    if (count > expected) throw countChanged(count);
    const detail = { act, filter, emails, to, expected, newest, after: null, audited: 0, full: 0 };
    await createPeopleAct(tx, { ...columns, id, created_by, rows_total: count, detail });
    const order = { kind: 'import', key: id, data: {} } as const;
    return { job: await enqueueRunningJob(tx, order, now()), rows_total: count };
  });
  // An error of the job is not an error of this call. The job stays in the queue, and its state shows how many people are
  // done.
  const work = job === null ? null : runJob(job).catch(() => undefined);
  if (rows_total <= AT_ONCE) await work;
  return id;
}
