// Erases a person for good (R-PRIV-02 to R-PRIV-05). One transaction replaces all texts about the person. The row, its
// ids and its codes stay, so that no code is free again and no counter changes.
import { randomUUID } from 'node:crypto';
import { canonicalAddress, ERASED_DOMAIN, erasePerson as erasePersonCall } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import type { Database, Db } from '../../db/database.ts';
import { refuseCodes } from '../codes/codes.ts';
import { createAuditLine, setLogGroup } from '../log/audit.sql.ts';
import { findPerson, lockPerson, type Person } from '../people/people.sql.ts';
import { requireLockedPerson, requirePerson } from '../people/people.ts';
import type { Member } from '../team/callers.sql.ts';
import * as team from '../team/team.sql.ts';
import { isLastOwner, lastOwner, requireActor } from '../team/team.ts';
import * as stored from './erase.sql.ts';

export type EraseTools = {
  now: () => Date;
  adminEmails: readonly string[];
  /** Deletes the sign-in account of an address, with its counts and one-time tokens. Null with a hosted service. */
  forgetAddress: ((tx: Db, email: string) => Promise<void>) | null;
};

type Order = {
  /** The `user_id` or the address of the person. */
  named: string;
  /** The address of the person, typed again. */
  email: string;
  reason: string;
  /** A member of the team, or the operator. */
  actor: Member | 'operator';
};

/** The text that takes the place of the words of mails and of notices. */
const ERASED = 'erased';

/**
 * Erases the person and returns how many codes stay assigned to the erased row.
 * @throws AppError user_not_found, also for an erased person; invalid_request if `email` is not the person's address, or
 * the reason contains a code or a text about the person (N-251); last_owner; import_running if the person's own upload or
 * bulk action is being worked on.
 */
export async function erasePerson(
  db: Database,
  { named, email, reason, actor }: Order,
  tools: EraseTools,
): Promise<{ codes_kept: number }> {
  const result = await db.transaction(async (tx) => {
    const { id, user_id } = await requirePerson(tx, named, findPerson);
    await stored.lockUploads(tx, (await describe(tx, { id, user_id })).own);
    const owners = await team.lockOwners(tx, user_id);
    if (actor !== 'operator') await requireActor(tx, actor, erasePersonCall.role);
    const person = await requireLockedPerson(tx, named);
    if (canonicalAddress(person.email) !== canonicalAddress(email))
      throw new AppError('invalid_request', 'email must be the address of this person');
    await refuseCodes(tx, reason, null);
    const { texts, own } = await describe(tx, person);
    if (hasTrace(reason, texts))
      throw new AppError(
        'invalid_request',
        'reason must not contain the address, the name or the phone number',
      );
    if (await stored.hasRunningWork(tx, own.emails))
      throw new AppError(
        'import_running',
        'An upload or action of this person is running. Wait for its end.',
      );
    const by = actor === 'operator' ? {} : { actor };
    if (isLastOwner(owners, person, { ...tools, ...by })) {
      const line = { actor: nameOf(actor), action: 'team.refused_last_owner', user_id: person.id };
      await createAuditLine(tx, { ...line, detail: { team_role: [person.team_role, null] } });
      return 'last_owner';
    }
    return eraseLocked(tx, person, { reason, actor: nameOf(actor) }, tools);
  });
  if (result === 'last_owner') throw lastOwner();
  return { codes_kept: result };
}

/**
 * Erases in a restored backup those of the people who were erased after it was made. Returns their number. Ignores
 * people whom the backup does not know, or who are erased in it. Also erases the last owner: the person is gone.
 */
export async function eraseAgain(
  tx: Db,
  erasures: readonly { user_id: string; at: Date }[],
  tools: Pick<EraseTools, 'forgetAddress'>,
): Promise<number> {
  let count = 0;
  for (const { user_id, at } of erasures) {
    const person = await lockPerson(tx, user_id);
    if (person === null) continue;
    const order = { reason: 'erased after this backup was made', actor: 'operator' };
    await eraseLocked(tx, person, order, { ...tools, now: () => at });
    count += 1;
  }
  return count;
}

const nameOf = (actor: Member | 'operator') => (actor === 'operator' ? actor : actor.email);

async function eraseLocked(
  tx: Db,
  person: Person,
  { reason, actor: who }: { reason: string; actor: string },
  { now, forgetAddress }: Pick<EraseTools, 'now' | 'forgetAddress'>,
): Promise<number> {
  const { id } = person;
  await stored.lockWholly(tx, id);
  await stored.allowErasing(tx);
  const at = now();
  const { about, own } = await describe(tx, person);
  const { emails, stands } = own;
  // Owners may erase themselves.
  const actor = emails.includes(who) ? stands : who;
  await setLogGroup(tx, randomUUID());
  const by = { id, actor, reason, at };
  await stored.withdrawGrants(tx, by);
  await stored.leaveCohorts(tx, by);
  await stored.endMails(tx, { id, emails, words: ERASED });
  await forgetAccounts(tx, emails, forgetAddress);
  if (person.team_role !== null) await team.setLeftTeam(tx, { email: person.email, left: true });
  await team.hashLeftTeam(tx, emails);
  await stored.erasePersonRow(tx, { id, email: stands, at });
  await stored.eraseActor(tx, own);
  await stored.eraseNotes(tx, own);
  await stored.eraseUploads(tx, own);
  await stored.eraseLog(tx, about, own);
  const codes_kept = await stored.countCodes(tx, id);
  const line = { actor, action: 'person.erase', detail: { reason, codes_kept } };
  await createAuditLine(tx, { ...line, summary_of: ['person', 'grant', 'member'] });
  return codes_kept;
}

/**
 * Returns the texts about the person: `about` is for lines about or by the person, `own` for other texts. `own` is
 * without former addresses that belong to somebody else by now.
 */
async function describe(tx: Db, { id, user_id }: Pick<Person, 'id' | 'user_id'>) {
  const texts = await stored.findTexts(tx, id);
  const others = await stored.listOthers(tx, texts.emails, id);
  const emails = texts.emails.filter((text) => !others.includes(text));
  const stands = `${ERASED}-${user_id}@${ERASED_DOMAIN}`;
  const about = { id, emails: texts.emails, stands, traces: findTraces(texts, stands) };
  return { texts, about, own: { id, emails, stands, traces: findTraces({ ...texts, emails }, stands) } };
}

async function forgetAccounts(
  tx: Db,
  emails: readonly string[],
  forgetAddress: EraseTools['forgetAddress'],
): Promise<void> {
  for (const email of emails) await forgetAddress?.(tx, email);
}

// Functions that make the patterns of the SQL functions has_trace and erase_text.

const NOTHING = '(?=a)b';
const escapePattern = (text: string) => text.replaceAll(/[.^$*+?(){}[\]|\\]/g, '\\$&');
const eitherOf = (texts: readonly string[]) => `(?:${[...new Set(texts)].map(escapePattern).join('|')})`;

/**
 * Returns the patterns of a person's texts: addresses, what takes their place, texts of several words and phone numbers,
 * single words. Each pattern matches whole words: the address `ann@example.org` is no part of `joann@example.org`, but
 * of the file name `ann@example.org.csv`.
 * A single word, such as a first name, is matched with its case, because the log has words such as 'grant'.
 */
function findTraces({ emails, words }: stored.Texts, stands: string): string[] {
  const isSingle = (word: string) => /^\p{L}+$/u.test(word);
  // The second form finds the word in the text of a JSON value.
  const forms = words.flatMap((word) => [word, JSON.stringify(word).slice(1, -1)]);
  const wholeWord = (texts: readonly string[]) =>
    texts.length === 0 ? NOTHING : `(?<![[:alnum:]])${eitherOf(texts)}(?![[:alnum:]])`;
  return [
    emails.length === 0
      ? NOTHING
      : `(?<![[:alnum:]._%+-])${eitherOf(emails)}(?![[:alnum:]-]|[.](?!csv|txt|tsv|xls)[[:alnum:]])`,
    stands,
    wholeWord(forms.filter((word) => !isSingle(word))),
    wholeWord(forms.filter(isSingle)),
  ];
}

function hasTrace(text: string, { emails, words }: stored.Texts): boolean {
  const parts = eitherOf([...emails, ...words]);
  return new RegExp(`(?<![\\p{L}\\p{N}])${parts}(?![\\p{L}\\p{N}])`, 'iu').test(text);
}
