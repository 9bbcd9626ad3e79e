// Finds the person that a request names, and checks the addresses of new people. Known people keep the stored form of
// their address (N-303).
import { canonicalAddress, isMailAddress, NO_ADDRESS, noAddressAt } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import { listRow, type Parsed, type UserRow } from '../../bulk/read-file.ts';
import type { Db } from '../../db/database.ts';
import { findStoredEmails, hasOddEmails } from './addresses.sql.ts';
import { findIdOfEmail, lockPerson, type Person } from './people.sql.ts';

/** Returns the person. `named` is a `user_id` or an address. @throws AppError user_not_found. */
export async function requirePerson<T extends Person>(
  db: Db,
  named: string,
  find: (db: Db, user_id: string) => Promise<T | null>,
): Promise<T> {
  const user_id = await findUserId(db, named);
  const person = user_id === null ? null : await find(db, user_id);
  if (person === null) throw new AppError('user_not_found', 'User not found');
  return person;
}

/** Does the same as `requirePerson`, and locks the person until the transaction ends. */
export function requireLockedPerson(tx: Db, named: string): Promise<Person> {
  return requirePerson(tx, named, lockPerson);
}

/**
 * Returns the `user_id` of the person with the address `named`, or null if nobody has the address. If `named` is not an
 * address, returns it unchanged, without checking that somebody has this `user_id`.
 */
export async function findUserId(db: Db, named: string): Promise<string | null> {
  return named.includes('@') ? findIdOfEmail(db, named.trim().toLowerCase()) : named;
}

/**
 * Returns the stored form of the address, or the canonical form of an address that nobody has. @throws AppError
 * invalid_request if nobody has the address and the address is not allowed for a new person (R-MAP-03).
 */
export async function judgeAddress(db: Db, address: string): Promise<string> {
  const canonical = canonicalAddress(address);
  const email = (await prepareJudge(db, [canonical]))(canonical);
  if (email === null) throw new AppError('invalid_request', NO_ADDRESS);
  return email;
}

/** Does the same as `judgeAddress` for a list of addresses. The error names the first address that is wrong. */
export async function judgeAddresses(db: Db, addresses: readonly string[]): Promise<string[]> {
  const judge = await prepareJudge(db, addresses);
  return addresses.map((address, at) => {
    const email = judge(address);
    if (email !== null) return email;
    throw new AppError('invalid_request', noAddressAt(at, address));
  });
}

/** Does the same as `judgeAddress` for the rows of a file. Moves each row with a wrong address to the errors. */
export async function judgeRows(
  db: Db,
  { rows, records, errors }: Parsed<UserRow>,
): Promise<Parsed<UserRow>> {
  const addresses = rows.map(({ email }) => email);
  const judge = await prepareJudge(db, addresses);
  const judged: Parsed<UserRow> = { rows: [], records: [], errors: [...errors] };
  for (const [at, row] of rows.entries()) {
    const record = records[at] as (typeof records)[number];
    const email = judge(row.email);
    if (email !== null) {
      judged.rows.push({ ...row, email });
      // The undo of an upload finds the person by this cell.
      judged.records.push({ ...record, cells: { ...record.cells, email } });
    } else {
      judged.errors.push(listRow('users', record, NO_ADDRESS));
    }
  }
  judged.errors.sort((one, other) => one.row - other.row);
  return judged;
}

/**
 * Returns a function for the given addresses, which must be in their canonical form. The function returns the stored
 * form of an address. If nobody has the address, the function returns the address itself, or null if a new person may
 * not have this address.
 */
async function prepareJudge(
  db: Db,
  addresses: readonly string[],
): Promise<(address: string) => string | null> {
  // The stored form of these addresses may differ from the canonical form.
  const mayDiffer = (email: string) => !isMailAddress(email) || /[@.]xn--/.test(email);
  const unsure = (await hasOddEmails(db)) ? addresses : addresses.filter(mayDiffer);
  const stored = unsure.length === 0 ? new Map<string, string>() : await findStoredEmails(db, unsure);
  return (address) => stored.get(address) ?? (isMailAddress(address) ? address : null);
}
