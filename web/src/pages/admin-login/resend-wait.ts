// Reads the waiting time before the next mail from an error message of the sign-in service.

/** Returns the number of seconds in an error message, or 0 if the message contains none. */
export function secondsOf(words: string): number {
  return Number(/(\d+)\s*seconds?\b/i.exec(words)?.[1] ?? 0);
}
