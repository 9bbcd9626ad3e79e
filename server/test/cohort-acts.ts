// Random actions of staff on cohorts, in the database and in the reference model (lifecycle-model.ts).

import { findJobState } from '../src/bulk/bulk-jobs.sql.ts';
import { actOnMembers, actOnUsers } from '../src/bulk/people-acts.ts';
import type { UploadTools } from '../src/bulk/run-bulk.ts';
import { undoImport } from '../src/bulk/undo.ts';
import { importCsv } from '../src/bulk/uploads.ts';
import type { Database } from '../src/db/database.ts';
import { editCohort, setCohortDates } from '../src/features/cohorts/cohorts.ts';
import { addMembers, moveMembers, removeMembers } from '../src/features/cohorts/members.ts';
import { type Learner, STAFF } from './lifecycle.ts';
import type { Giver, LifecycleModel, ModelCohort, ModelGrant } from './lifecycle-model.ts';
import { addGiver, type createStaffModel } from './lifecycle-model-staff.ts';

type Tools = {
  db: Database;
  model: LifecycleModel;
  staff: ReturnType<typeof createStaffModel>;
  random: (below: number) => number;
  product_ids: readonly string[];
  cohort_ids: readonly string[];
  learners: readonly Learner[];
  pickPerson: () => Learner;
  pickProducts: () => number[];
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
  const giveAgain = ({ again }: ModelCohort, email: string, giver: Giver) => {
    const givers = again.get(email) ?? [];
    addGiver(givers, giver);
    again.set(email, givers);
  };
  const addAll = (cohort: ModelCohort, emails: readonly string[], upload?: number) => {
    const added = emails.filter((email) => !cohort.members.has(email));
    for (const email of added) {
      cohort.members.add(email);
      if (upload !== undefined) cohort.joinedBy.set(email, upload);
    }
    for (const email of emails) if (!added.includes(email)) giveAgain(cohort, email, upload ?? null);
    return added.length;
  };
  const remove = (cohort: ModelCohort, email: string) => {
    cohort.joinedBy.delete(email);
    cohort.again.delete(email);
    return cohort.members.delete(email);
  };
  const removeAll = (cohort: ModelCohort, emails: readonly string[]) =>
    emails.filter((email) => remove(cohort, email)).length;
  const moveAll = (from: ModelCohort, to: ModelCohort, emails: readonly string[]) => {
    const moved = emails.filter((email) => remove(from, email));
    for (const email of moved)
      if (to.members.has(email)) giveAgain(to, email, null);
      else to.members.add(email);
    return moved.length;
  };
  /** The uploads of people, in their order; `undone` is the result of the job that undid the upload. */
  const uploads: { id: string; undone?: unknown }[] = [];

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
      return [real, { changed, total: changed, full: 0, staff: 0 }];
    },
    /** The members of one cohort join the other, in a job. */
    joinAll: async () => {
      const [from, to] = [at(1), at(0)];
      const filter = { cohort_id: from.cohort_id };
      const order = { filter, act: 'join' as const, cohort_id: to.cohort_id, expected: learners.length };
      const real = await resultsOf(actOnUsers(db, { actor, order, language: 'en' }, tools.uploadTools()));
      const members = [...from.cohort.members];
      return [real, { changed: addAll(to.cohort, members), total: members.length, full: 0, staff: 0 }];
    },
    /** An upload of people, who join a cohort, get products, or both. */
    uploadPeople: async () => {
      const place = random(3) ? pickAt() : null;
      const emails = pickEmails();
      const given = tools.pickProducts();
      const product_ids = given.map((product) => tools.product_ids[product] as string);
      if (place === null && given.length === 0) return null;
      const { cohort, cohort_id } = place === null ? {} : at(place);
      const [starts_on = '', last = ''] = [tools.someDay(), tools.someDay()].sort();
      const days = { starts_on, ends_on: random(2) ? last : null };
      const csvData = `email,name\n${emails.map((email) => `${email},Amara`).join('\n')}\n`;
      const upload = { kind: 'users' as const, csvData, product_ids, cohort_id, actor, ...days };
      const number = uploads.length;
      const real = await outcomeOf(importCsv(db, upload, tools.uploadTools()), ({ id, results }) => {
        uploads.push({ id });
        const { productAccess, joined = 0, already = 0 } = results ?? {};
        return { productAccess, joined, already };
      });
      let productAccess = 0;
      for (const email of emails) {
        const granted = tools.staff.grant(email, given, days, number);
        if ('refused' in granted) return [real, granted];
        productAccess += granted.new;
      }
      if (cohort === undefined) return [real, { productAccess, joined: 0, already: 0 }];
      const joined = addAll(cohort, emails, number);
      return [real, { productAccess, joined, already: emails.length - joined }];
    },
    /** Undoes one of the latest uploads. A second undo returns the result of the first. */
    undoUpload: async () => {
      const number = uploads.length - 1 - random(4);
      const upload = uploads[number];
      if (upload === undefined) return null;
      const expected = random(4);
      const order = { id: upload.id, actor, expected };
      const undoing = undoImport(db, order, tools.uploadTools()).then((id) => findJobState(db, id, 0));
      const real = await outcomeOf(undoing, (job) => job?.results);
      if (upload.undone !== undefined) return [real, upload.undone];
      const outcome = tools.staff.undo(number, expected);
      if (!('refused' in outcome)) upload.undone = { ...outcome, products: 0 };
      return [real, upload.undone ?? outcome];
    },
    archiveCohort: async () => {
      const { cohort, cohort_id } = at(pickAt());
      const { rows } = await db.query<{ name: string; note: null; version: number }>(
        'select name, note, version from cohort where cohort_id = $1',
        [cohort_id],
      );
      const archived = random(3) === 0;
      const expected = Math.max(cohort.members.size - random(2), 0);
      const row = rows[0] as (typeof rows)[0];
      const edited = { ...row, archived, expected };
      const editing = editCohort(db, { cohort_id, actor, edited }, tools.uploadTools());
      const real = await outcomeOf(editing, (result) => result.archived);
      if (archived && !cohort.isArchived && cohort.members.size > expected)
        return [real, model.refuse('count_changed')];
      cohort.isArchived = archived;
      return [real, archived];
    },
    cohortDates: async () => {
      const { cohort, cohort_id } = at(pickAt());
      const [starts_on = '', last = ''] = [tools.someDay(), tools.someDay()].sort();
      const days = { starts_on, ends_on: random(2) ? last : null };
      const order = { cohort_id, actor, expected: cohort.members.size, ...days };
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
