// Result of one check of script/portal doctor. The output of the command has one line for each result.

/**
 * With state `wrong` or `warn`, the text has the reason and what to do. A warning does not make the deployment unhealthy. With state `unknown`, the check was not possible or not
 * needed.
 */
export type Finding = { about: string; state: 'ok' | 'warn' | 'wrong' | 'unknown'; text: string };

/** Runs `check` and returns a finding: 'ok' with its result, or 'wrong' with its error and `advice`. */
export async function find(about: string, check: () => Promise<string>, advice = ''): Promise<Finding> {
  try {
    return { about, state: 'ok', text: await check() };
  } catch (error) {
    const reason = describeError(error);
    return { about, state: 'wrong', text: advice === '' ? reason : `${reason}. ${advice}` };
  }
}

/**
 * Returns the message of an error. If `fetch` failed, returns the message of the error's cause, because the error's own
 * message is only 'fetch failed'.
 */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError) return error.errors.map(describeError).join(', ');
  return error.cause instanceof Error && error.message === 'fetch failed'
    ? describeError(error.cause)
    : error.message;
}
