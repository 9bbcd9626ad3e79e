// Takes out of an engine's error what stood in the rows: errors are logged, and addresses and codes must not be.

/** PGlite adds the parameters; PostgreSQL's detail names the values of a row that was refused. */
export function hideValues(error: unknown): unknown {
  if (error instanceof Error) {
    for (const name of ['params', 'detail']) Reflect.deleteProperty(error, name);
  }
  return error;
}
