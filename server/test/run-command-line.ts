// Runs a command line of the operator in the process of the test, as script/portal does while no portal runs.
import type { OperatorRequest, OperatorTools } from '../src/operator/command.ts';
import { parseCommandLine } from '../src/operator/command-line.ts';
import { portalCommands, runCommand } from '../src/operator/commands.ts';

/** Further data that script/portal sends: the folder of its caller and the content of a CSV file. */
type Sent = Partial<Pick<OperatorRequest, 'folder' | 'file'>>;

/**
 * Returns the request that script/portal sends to the running portal. @throws OperatorError if the command line is
 * refused before it is sent, or only shows help.
 */
export function parseRequest(argv: readonly string[], { folder = '/', file }: Sent = {}): OperatorRequest {
  const parsed = parseCommandLine(portalCommands, argv);
  if ('help' in parsed) throw new Error(`${argv.join(' ')} shows help`);
  return { ...parsed.call, folder, file };
}

/** Runs the command and returns its output. */
export async function runCommandLine(
  tools: OperatorTools,
  argv: readonly string[],
  sent: Sent = {},
): Promise<string> {
  return runCommand(tools, parseRequest(argv, sent));
}
