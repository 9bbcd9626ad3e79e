// Writes all that the portal holds about a person as one JSON document (R-PRIV-01).
import { getPersonData, PERSON_DATA_PARTS } from '@portal/contract';
import type { Database } from '../../db/database.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { findAnyPerson } from '../people/people.sql.ts';
import { requirePerson } from '../people/people.ts';
import type { Member } from '../team/callers.sql.ts';
import { requireActor } from '../team/team.ts';
import { readLines, readPart } from './person-data.sql.ts';

const LINES = 1_000;

/**
 * Returns the document in pieces: an object with a list of rows for each of PERSON_DATA_PARTS. Writes an audit line
 * before the first piece. `named` is the `user_id` or the address of the person. Reads the actor again before each part and
 * each 1,000 lines of the log: the document ends early if the session has ended or the role is too low (R-TEAM-22).
 * @throws AppError user_not_found.
 */
export async function exportPerson(
  db: Database,
  { named, actor }: { named: string; actor: Member | 'operator' },
): Promise<AsyncGenerator<string>> {
  const { id } = await requirePerson(db, named, findAnyPerson);
  const by = actor === 'operator' ? actor : actor.email;
  await createAuditLine(db, { actor: by, action: 'person.export', user_id: id });
  return writeDocument(db, id, async () => {
    if (actor !== 'operator') await requireActor(db, actor, getPersonData.role);
  });
}

async function* writeDocument(
  db: Database,
  id: string,
  checkActor: () => Promise<void>,
): AsyncGenerator<string> {
  let separator = '{';
  for (const part of PERSON_DATA_PARTS) {
    yield `${separator}\n"${part}": [`;
    await checkActor();
    if (part === 'log') yield* writeLines(db, id, checkActor);
    else yield (await readPart(db, part, id)).map(writeRow).join(',');
    yield ']';
    separator = ',';
  }
  yield '\n}\n';
}

async function* writeLines(
  db: Database,
  id: string,
  checkActor: () => Promise<void>,
): AsyncGenerator<string> {
  let after: string | undefined = '0';
  for (let isFirst = true; after !== undefined; isFirst = false) {
    if (!isFirst) await checkActor();
    const rows = await readLines(db, id, { after, limit: LINES });
    if (rows.length > 0) yield (isFirst ? '' : ',') + rows.map(writeRow).join(',');
    after = rows.length === LINES ? rows.at(-1)?.id : undefined;
  }
}

const writeRow = (row: object): string => `\n${JSON.stringify(row)}`;
