// Finds whom a call names, and judges the addresses of people whom a call would create. Known people keep the address that
// is stored (N-303).
import { canonicalAddress, isMailAddress, NO_ADDRESS, noAddressAt } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import { columnsOf, type Parsed, type UserRow } from '../../bulk/read-file.ts';
import type { Db } from '../../db/database.ts';
import { findStoredEmails, hasOddEmails } from './addresses.sql.ts';
import { findIdOfEmail, findPerson, lockPerson, type Person } from './people.sql.ts';

/** Returns the person. `named` is a `user_id` or an address. @throws AppError user_not_found. */
export function requirePerson(db: Db, named: string): Promise<Person> {
  return requireBy(db, named, findPerson);
}

/** Does the same as `requirePerson`, and locks the person until the transaction ends. */
export function requireLockedPerson(tx: Db, named: string): Promise<Person> {
  return requireBy(tx, named, lockPerson);
}

async function requireBy(db: Db, named: string, find: typeof findPerson): Promise<Person> {
  const user_id = await findUserId(db, named);
  const person = user_id === null ? null : await find(db, user_id);
  if (person === null) throw new AppError('user_not_found', 'User not found');
  return person;
}

/** Returns the `user_id`, or null if nobody has the address. A `user_id` is returned as it is, and may be unknown. */
export async function findUserId(db: Db, named: string): Promise<string | null> {
  if (named.includes('@')) return findIdOfEmail(db, named.trim().toLowerCase());
  return named;
}

/**
 * Returns the stored form of the address, or the canonical form of an address that nobody has. @throws AppError
 * invalid_request if nobody has the address and it cannot be the address of a new person (R-MAP-03).
 */
export async function judgeAddress(db: Db, address: string): Promise<string> {
  const canonical = canonicalAddress(address);
  const email = (await prepareJudge(db, [canonical]))(canonical);
  if (email === null) throw new AppError('invalid_request', NO_ADDRESS);
  return email;
}

/** Does the same for a list of addresses. The error names the first one that is wrong. */
export async function judgeAddresses(db: Db, addresses: readonly string[]): Promise<string[]> {
  const judge = await prepareJudge(db, addresses);
  return addresses.map((address, at) => {
    const email = judge(address);
    if (email !== null) return email;
    throw new AppError('invalid_request', noAddressAt(at, address));
  });
}

/** Does the same for the rows of a file. A row with a wrong address becomes invalid. */
export async function judgeRows(
  db: Db,
  { rows, records, errors }: Parsed<UserRow>,
): Promise<Parsed<UserRow>> {
  const judge = await prepareJudge(
    db,
    rows.map(({ email }) => email),
  );
  const judged: Parsed<UserRow> = { rows: [], records: [], errors: [...errors] };
  for (const [at, row] of rows.entries()) {
    const record = records[at] as (typeof records)[number];
    const email = judge(row.email);
    if (email !== null) {
      judged.rows.push({ ...row, email });
      // Later, taking the upload back finds the person by this cell.
      judged.records.push({ ...record, cells: { ...record.cells, email } });
    } else {
      const cells = columnsOf('users').map((column) => record.cells[column] ?? '');
      judged.errors.push({ row: record.row, message: NO_ADDRESS, cells });
    }
  }
  judged.errors.sort((one, other) => one.row - other.row);
  return judged;
}

/**
 * Returns a function that returns the stored form of one of the addresses, the address itself if nobody has it, or null
 * if nobody has it and it cannot be the address of a new person. The addresses must be in their canonical form.
 */
async function prepareJudge(
  db: Db,
  addresses: readonly string[],
): Promise<(address: string) => string | null> {
  const isUnsure = (email: string) =>
    !isMailAddress(email) || email.includes('@xn--') || email.includes('.xn--');
  const unsure = (await hasOddEmails(db)) ? addresses : addresses.filter(isUnsure);
  const stored = unsure.length === 0 ? new Map<string, string>() : await findStoredEmails(db, unsure);
  return (address) => stored.get(address) ?? (isMailAddress(address) ? address : null);
}
