// The error that is thrown if a database cannot be opened.

/**
 * `message` is for the operator: one sentence or two that state the problem and what to do. `cause` is the engine's
 * error.
 */
export class DatabaseError extends Error {
  override name = 'DatabaseError';
}
