// The error for a database that cannot be opened.

/** The message is one sentence for the operator, with what to do. `cause` is the engine's error. */
export class DatabaseError extends Error {
  override name = 'DatabaseError';
}
