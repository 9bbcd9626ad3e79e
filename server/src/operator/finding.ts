// One line of what script/portal doctor says.

/** `wrong` says what is wrong and what to mend; `unknown`: it could not be looked at, or need not be. */
export type Finding = { about: string; state: 'ok' | 'wrong' | 'unknown'; text: string };

/** What `look` answers is in order; what it throws is wrong, followed by what to do about it. */
export async function find(about: string, look: () => Promise<string>, mend = ''): Promise<Finding> {
  try {
    return { about, state: 'ok', text: await look() };
  } catch (error) {
    const fault = describeFault(error);
    return { about, state: 'wrong', text: mend === '' ? fault : `${fault}. ${mend}` };
  }
}

/** The innermost reason, which for a failed connection is the telling one. */
function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError) return error.errors.map(describeFault).join(', ');
  return error.cause instanceof Error && error.message === 'fetch failed'
    ? describeFault(error.cause)
    : error.message;
}
