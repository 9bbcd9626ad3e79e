// What an operator is told when the database cannot be opened: one sentence, with what to do.

/** The message is for the operator's eyes; `cause` keeps what the engine said. */
export class DatabaseError extends Error {
  override name = 'DatabaseError';
}
