// Reads the addresses that staff have typed, one a line.
import { ADDRESSES_MAX, email } from '@portal/contract';
import { say, sayCount } from '../../../words/say.ts';

/** Returns the addresses in lower case, each once. `problem` says which line is none; it is null if all lines are addresses. */
export function readAddresses(typed: string): { addresses: string[]; problem: string | null } {
  const lines = typed.split('\n').map((line) => line.trim());
  const addresses = new Set<string>();
  let problem: string | null = null;
  lines.forEach((line, at) => {
    if (line === '') return;
    const checked = email.safeParse(line);
    if (checked.success) addresses.add(checked.data);
    else
      problem ??= say('Line {line} is not an email address: {text}', {
        line: at + 1,
        text: line.slice(0, 100),
      });
  });
  if (problem === null && addresses.size > ADDRESSES_MAX)
    problem = sayCount(addresses.size, {
      one: '{count} address; 500 at once are the most. Upload a CSV file instead.',
      other: '{count} addresses; 500 at once are the most. Upload a CSV file instead.',
    });
  return { addresses: [...addresses], problem };
}
