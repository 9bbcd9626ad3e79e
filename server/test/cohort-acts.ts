// Random acts of staff on the cohorts of the reference model (lifecycle-model.ts), in the database and in the model.
import type { Database } from '../src/db/database.ts';
import { findJobState } from '../src/stores/import-states.ts';
import { editCohort, setCohortDates } from '../src/usecases/change-cohorts.ts';
import { addMembers, moveMembers, removeMembers } from '../src/usecases/change-members.ts';
import { importCsv, type UploadTools } from '../src/usecases/import-csv.ts';
import { actOnMembers, actOnUsers } from '../src/usecases/start-people-act.ts';
import { type Learner, STAFF } from './lifecycle.ts';
import type { LifecycleModel, ModelCohort, ModelGrant } from './lifecycle-model.ts';

type Tools = {
  db: Database;
  model: LifecycleModel;
  random: (below: number) => number;
  cohort_ids: readonly string[];
  learners: readonly Learner[];
  pickPerson: () => Learner;
  someDay: () => string;
  uploadTools: () => UploadTools;
  outcomeOf: <T>(call: Promise<T>, describe?: (result: T) => unknown) => Promise<unknown>;
};

/** Each function returns the outcome in the database, and the outcome in the model. */
export function createCohortActs({ db, model, random, cohort_ids, learners, outcomeOf, ...tools }: Tools) {
  const actor = STAFF;
  const pickAt = () => random(cohort_ids.length);
  const at = (place: number) => ({
    cohort: model.cohorts[place] as ModelCohort,
    cohort_id: cohort_ids[place] as string,
  });
  const pickEmails = () => [
    ...new Set(Array.from({ length: 1 + random(3) }, () => tools.pickPerson().email)),
  ];
  const resultsOf = (job_id: Promise<string>) =>
    outcomeOf(
      job_id.then((id) => findJobState(db, id, 0)),
      (job) => job?.results,
    );
  const addAll = (cohort: ModelCohort, emails: readonly string[]) => {
    const added = emails.filter((email) => !cohort.members.has(email));
    for (const email of added) cohort.members.add(email);
    return added.length;
  };
  const removeAll = (cohort: ModelCohort, emails: readonly string[]) =>
    emails.filter((email) => cohort.members.delete(email)).length;
  const moveAll = (from: ModelCohort, to: ModelCohort, emails: readonly string[]) => {
    const moved = emails.filter((email) => from.members.delete(email));
    for (const email of moved) to.members.add(email);
    return moved.length;
  };

  return {
    join: async () => {
      const { cohort, cohort_id } = at(pickAt());
      const emails = pickEmails();
      const real = await outcomeOf(addMembers(db, { cohort_id, actor, emails }), (result) => result);
      const joined = addAll(cohort, emails);
      return [real, { joined, already: emails.length - joined, created: 0 }];
    },
    leave: async () => {
      const { cohort, cohort_id } = at(pickAt());
      const emails = pickEmails();
      const real = await outcomeOf(removeMembers(db, { cohort_id, actor, emails }), (result) => result);
      return [real, { removed: removeAll(cohort, emails), unknown: 0 }];
    },
    move: async () => {
      const [from, to] = [at(pickAt()), at(pickAt())];
      const emails = pickEmails();
      const order = { cohort_id: from.cohort_id, to: to.cohort_id, actor, emails };
      const real = await outcomeOf(moveMembers(db, order), ({ moved }) => ({ moved }));
      if (from === to || from.cohort === to.cohort) return [real, model.refuse('invalid_request')];
      return [real, { moved: moveAll(from.cohort, to.cohort, emails) }];
    },
    /** All members move or leave, in a job. */
    emptyCohort: async () => {
      const [from, to] = [at(0), at(1)];
      const members = [...from.cohort.members];
      const isMove = random(2) === 0;
      const expected = members.length - random(2);
      const order = { cohort_id: from.cohort_id, to: isMove ? to.cohort_id : null, actor, expected };
      const real = await resultsOf(actOnMembers(db, order, tools.uploadTools()));
      if (members.length > expected) return [real, model.refuse('count_changed')];
      const changed = isMove ? moveAll(from.cohort, to.cohort, members) : removeAll(from.cohort, members);
      return [real, { changed, total: changed }];
    },
    /** The members of one cohort join the other, in a job. */
    joinAll: async () => {
      const [from, to] = [at(1), at(0)];
      const filter = { cohort_id: from.cohort_id };
      const order = { filter, act: 'join' as const, cohort_id: to.cohort_id, expected: learners.length };
      const real = await resultsOf(actOnUsers(db, { actor, order }, tools.uploadTools()));
      const members = [...from.cohort.members];
      return [real, { changed: addAll(to.cohort, members), total: members.length }];
    },
    uploadMembers: async () => {
      const { cohort, cohort_id } = at(pickAt());
      const emails = pickEmails();
      const csvData = `email,name\n${emails.map((email) => `${email},Amara`).join('\n')}\n`;
      const upload = { kind: 'users' as const, csvData, product_ids: [], cohort_id, actor };
      const real = await outcomeOf(importCsv(db, upload, tools.uploadTools()), ({ results }) => ({
        joined: results?.joined,
        already: results?.already,
      }));
      const joined = addAll(cohort, emails);
      return [real, { joined, already: emails.length - joined }];
    },
    archiveCohort: async () => {
      const { cohort, cohort_id } = at(pickAt());
      const { rows } = await db.query<{ name: string; note: null; version: number }>(
        'select name, note, version from cohort where cohort_id = $1',
        [cohort_id],
      );
      const archived = random(3) === 0;
      const expected = cohort.members.size - random(2);
      const row = rows[0] as (typeof rows)[0];
      const edited = { ...row, archived, ...(expected >= 0 && { expected }) };
      const editing = editCohort(db, { cohort_id, actor, edited }, tools.uploadTools());
      const real = await outcomeOf(editing, (result) => result.archived);
      if (archived && !cohort.isArchived && expected >= 0 && cohort.members.size > expected)
        return [real, model.refuse('count_changed')];
      cohort.isArchived = archived;
      return [real, archived];
    },
    cohortDates: async () => {
      const { cohort, cohort_id } = at(pickAt());
      const [starts_on = '', last = ''] = [tools.someDay(), tools.someDay()].sort();
      const days = { starts_on, ends_on: random(2) ? last : null };
      const order = { cohort_id, actor, expected: undefined, ...days };
      const real = await outcomeOf(setCohortDates(db, order, tools.uploadTools()), (result) => result);
      const counting = model.grants.filter(
        (grant: ModelGrant) =>
          grant.who === cohort.name && grant.withdrawn_on === null && !model.isOver(grant),
      );
      for (const grant of counting) Object.assign(grant, days);
      return [real, { changed: counting.length }];
    },
  };
}
