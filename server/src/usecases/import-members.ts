// Lets the people of an upload join its cohort (R-COHORT-14).
import type { Db } from '../db/database.ts';
import type { Importer } from '../stores/audit.ts';
import { joinCohort, listFull, lockPeople } from '../stores/cohort-members.ts';
import type { InvalidRow } from '../stores/imports.ts';
import { FULL } from './find-cohort.ts';
import type { CsvRecord } from './read-csv.ts';

/**
 * Counts of rows. `already` also counts a second row of the same person. `refused` contains the addresses of those who
 * cannot join, because they are in the most cohorts already.
 */
export type Joined = { joined: number; already: number; refused: ReadonlySet<string> };

/**
 * Lets the people of the rows join the cohort. They must exist. Without a cohort, does nothing. Must be called before other rows of the people are changed in this transaction: other acts of staff lock the
 * people first too, so they cannot deadlock.
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

/** Returns the records of the people who cannot join, as invalid rows. `columns` are the columns of the cells. */
export function listRefused(
  records: readonly CsvRecord[],
  refused: ReadonlySet<string>,
  columns: readonly string[],
): InvalidRow[] {
  return records
    .filter(({ cells }) => refused.has((cells.email ?? '').trim().toLowerCase()))
    .map(({ row, cells }) => ({ row, message: FULL, cells: columns.map((column) => cells[column] ?? '') }));
}
