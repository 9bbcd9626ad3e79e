// The operator's commands for the data of one person: take it out, and erase the person (R-PRIV-01, R-PRIV-02).
import { createInterface } from 'node:readline';
import { reason } from '@portal/contract';
import * as z from 'zod/mini';
import { forgetAddress } from '../auth/auth-service.ts';
import { listErasures } from '../features/privacy/erase.sql.ts';
import { erasePerson } from '../features/privacy/erase.ts';
import { exportPerson } from '../features/privacy/person-data.ts';
import {
  EMAIL,
  flag,
  OperatorError,
  type OperatorTools,
  portalCommand,
  rethrowForOperator,
} from './command.ts';

export const peopleCommands = [
  portalCommand({
    name: 'people export',
    summary: 'print all that the portal holds about a person, as JSON',
    takes: { email: EMAIL },
    run: async ({ db }, { email }) => {
      const pieces = await exportPerson(db, { named: email, actor: 'operator' }).catch(rethrowForOperator);
      let document = '';
      for await (const piece of pieces) document += piece;
      return document.trimEnd();
    },
  }),
  portalCommand({
    name: 'people erase',
    summary: 'erase a person for good; asks for the address again on standard input',
    typedAgain: 'email',
    takes: {
      email: EMAIL,
      reason: {
        form: '--reason <reason>',
        help: 'why, for the log',
        schema: z._default(reason.check(z.regex(/^[^-]/)), 'erased by the operator'),
        wanted: '--reason needs a text of 3 to 200 characters',
      },
      yes: flag('--yes', 'do not ask for the address again'),
    },
    run: async ({ db, ...tools }, { email, reason: why }) => {
      const order = { named: email, email, reason: why, actor: 'operator' as const };
      const { codes_kept } = await erasePerson(db, order, eraseToolsOf(tools)).catch(rethrowForOperator);
      const kept = codes_kept === 1 ? 'One code stays' : `${codes_kept} codes stay`;
      return `The person is erased. ${kept} assigned. Backups made before still hold the data: keep the output of people erasures beside them.`;
    },
  }),
  portalCommand({
    name: 'people erasures',
    summary: 'print who was erased and when, for restore --erasures',
    takes: {},
    run: async ({ db }) =>
      ['user_id,at', ...(await listErasures(db)).map(({ user_id, at }) => `${user_id},${at}`)].join('\n'),
  }),
];

function eraseToolsOf({ adminEmails, rotateKeys }: Pick<OperatorTools, 'adminEmails' | 'rotateKeys'>) {
  const isHosted = rotateKeys === null;
  return { now: () => new Date(), adminEmails, forgetAddress: isHosted ? null : forgetAddress };
}

/** Asks on standard input for `wanted`. @throws OperatorError if another text, or nothing, is typed. */
export async function askAgain(wanted: string): Promise<void> {
  process.stderr.write(`Type ${wanted} again: `);
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim().toLowerCase() === wanted) return;
    break;
  }
  throw new OperatorError(`This is not ${wanted}. Nothing was changed.`);
}
