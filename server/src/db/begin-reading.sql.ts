// Makes a transaction read-only.
import type { Db } from './database.ts';

/**
 * Lets all statements of the transaction see the same snapshot. The database refuses each of them that writes. Must be
 * called before any other statement.
 */
export async function beginReading(tx: Db): Promise<void> {
  await tx.execute('set transaction isolation level repeatable read, read only');
}
