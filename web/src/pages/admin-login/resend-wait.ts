// Reads the waiting time before the next mail from the error message of the sign-in service.

/** Returns the seconds that an error message names, or 0 if it names none. */
export function secondsOf(words: string): number {
  return Number(/(\d+)\s*seconds?\b/i.exec(words)?.[1] ?? 0);
}
