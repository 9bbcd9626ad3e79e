// Lets the people of an upload join its cohort (R-COHORT-14).
import type { Db } from '../db/database.ts';
import { joinCohort, listFull, lockPeople } from '../features/cohorts/cohort-members.sql.ts';
import { FULL } from '../features/cohorts/find-cohort.ts';
import type { Importer } from '../features/log/audit.sql.ts';
import type { InvalidRow } from './import-rows.sql.ts';
import type { Parsed, UserRow } from './parse-rows.ts';
import { type CsvRecord, columnsOf } from './read-csv.ts';

/**
 * Counts of rows. `already` also counts a second row of the same person. `refused` contains the addresses of those who
 * cannot join, because they are in the most cohorts already.
 */
export type Joined = { joined: number; already: number; refused: ReadonlySet<string> };

/**
 * Lets the people of the rows join the cohort. They must exist. Without a cohort, does nothing. Must be called before
 * other rows of the people are changed in this transaction: other acts of staff lock the people first too, so they
 * cannot deadlock.
 */
export async function joinPeople(
  tx: Db,
  { cohort_id, emails, ...by }: Importer & { cohort_id: string | null; emails: readonly string[] },
): Promise<Joined> {
  if (cohort_id === null) return { joined: 0, already: 0, refused: new Set() };
  const people = await lockPeople(tx, emails);
  const full = await listFull(tx, { cohort_id, ids: people });
  const isFull = new Set(full.map(({ id }) => id));
  const ids = people.filter((id) => !isFull.has(id));
  const joined = await joinCohort(tx, { cohort_id, ids, ...by });
  const refused = new Set(full.map(({ email }) => email));
  return { joined, already: emails.filter((email) => !refused.has(email)).length - joined, refused };
}

/** Splits off the rows of the people who cannot join: they are invalid. */
export function refusePeople(
  { rows, records, errors }: Parsed<UserRow>,
  refused: ReadonlySet<string>,
): { rows: UserRow[]; valid: CsvRecord[]; errors: InvalidRow[] } {
  const isRefused = (at: number) => refused.has(rows[at]?.email ?? '');
  const columns = columnsOf('users');
  return {
    rows: rows.filter((_row, at) => !isRefused(at)),
    valid: records.filter((_record, at) => !isRefused(at)),
    errors: [
      ...errors,
      ...records
        .filter((_record, at) => isRefused(at))
        .map(({ row, cells }) => ({
          row,
          message: FULL,
          cells: columns.map((column) => cells[column] ?? ''),
        })),
    ],
  };
}

/** Returns the addresses of those people who cannot join the cohort. Without a cohort, there are none. */
export async function findRefused(
  db: Db,
  cohort_id: string | null,
  people: readonly { id: string }[],
): Promise<Set<string>> {
  if (cohort_id === null) return new Set();
  const full = await listFull(db, { cohort_id, ids: people.map(({ id }) => id) });
  return new Set(full.map(({ email }) => email));
}
