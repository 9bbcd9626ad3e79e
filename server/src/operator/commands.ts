// Lists the operator's commands that need the database, and runs them.
import * as z from 'zod/mini';
import { recountTally } from '../features/dashboard/tally.sql.ts';
import { type Command, OperatorError, type OperatorTools, portalCommand, readValues } from './command.ts';
import { importCommands } from './import-commands.ts';
import { peopleCommands } from './people-commands.ts';
import { signInCommands, teamCommands } from './team-commands.ts';
import { upkeepCommands } from './upkeep-commands.ts';

export const portalCommands: readonly Command<OperatorTools>[] = [
  ...teamCommands,
  ...peopleCommands,
  ...importCommands,
  ...signInCommands,
  ...upkeepCommands,
  portalCommand({
    name: 'figures recount',
    summary: 'count codes and users again, and repair the list of free codes, while the portal serves',
    takes: {},
    run: async ({ db }) => {
      const { figures, wrong, reopened } = await recountTally(db, new Date());
      const mended = wrong === 1 ? 'one was wrong and is mended' : `${wrong} were wrong and are mended`;
      const found = wrong === 0 ? 'all were right' : mended;
      const hidden = reopened === 0 ? '' : ' Free codes that no claim could find are handed out again.';
      return `${figures} figures counted anew; ${found}.${hidden}`;
    },
  }),
];

const request = z.object({
  command: z.string(),
  args: z.array(z.string()),
  options: z.record(z.string(), z.union([z.string(), z.array(z.string()), z.literal(true)])),
  folder: z.string(),
  file: z.optional(z.object({ name: z.string(), text: z.string(), encoding: z.optional(z.string()) })),
});

/**
 * Runs the command of an `OperatorRequest` and returns its output.
 * @throws OperatorError if the command is unknown or its values are wrong.
 */
export async function runCommand(tools: OperatorTools, sent: unknown): Promise<string> {
  const parsed = request.safeParse(sent);
  if (!parsed.success)
    throw new OperatorError(
      'The running portal is of another version than script/portal. Restart the portal.',
    );
  const command = portalCommands.find(({ name }) => name === parsed.data.command);
  if (command === undefined) throw new OperatorError(`Unknown command: ${parsed.data.command}`);
  return command.run(tools, readValues(command, parsed.data), parsed.data);
}
