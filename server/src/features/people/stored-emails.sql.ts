// Finds the form in which the address of a known person is stored. Addresses of earlier versions may differ from their
// canonical form (N-303).
import { domainToUnicode } from 'node:url';
import { canonicalAddress } from '@portal/contract';
import type { Db } from '../../db/database.ts';

/**
 * Returns the stored form of each of the addresses that a person has. Prefers the address as it is given, then its
 * canonical form. Addresses that nobody has are missing in the result.
 */
export async function findStoredEmails(db: Db, addresses: readonly string[]): Promise<Map<string, string>> {
  const forms = [...new Set(addresses)].flatMap((address) =>
    listForms(address).map((form, rank) => ({ address, form, rank })),
  );
  // Each form is looked up in an index (see `bulk/import-rows.sql.ts`).
  const { rows } = await db.query<{ address: string; email: string }>(
    `select distinct on (address) address, email
     from jsonb_to_recordset($1::jsonb) as given (address text, form text, rank int)
       cross join lateral (
         (select id, email, false as is_odd from app_user where email = form offset 0)
         union all
         (select id, email, true from app_user
          where octet_length(email) <> char_length(email) and canonical_key(email) = form offset 0)) u
     order by address, is_odd, rank, id`,
    [JSON.stringify(forms)],
  );
  return new Map(rows.map(({ address, email }) => [address, email]));
}

/**
 * True if a stored address has other characters than ASCII. Without such an address, the canonical form of an address is
 * also its stored form, unless its domain is international.
 */
export async function hasOddEmails(db: Db): Promise<boolean> {
  // The order makes the planner read the index of these addresses, not the table.
  const { rows } = await db.query(
    'select 1 from app_user where octet_length(email) <> char_length(email) order by canonical_key(email) limit 1',
  );
  return rows.length > 0;
}

/** Returns the stored form of the address; its canonical form if nobody has it. */
export async function findStoredEmail(db: Db, address: string): Promise<string> {
  return (await findStoredEmails(db, [address])).get(address) ?? canonicalAddress(address);
}

// The forms in which the address may be stored, the most likely one first.
function listForms(address: string): string[] {
  const canonical = canonicalAddress(address);
  const at = canonical.lastIndexOf('@') + 1;
  // Differs only if the domain is international (IDN).
  const readable = canonical.slice(0, at) + (domainToUnicode(canonical.slice(at)) || canonical.slice(at));
  return [...new Set([address, canonical, readable])];
}
