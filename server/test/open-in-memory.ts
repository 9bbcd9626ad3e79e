// Opens embedded databases in memory, for tests.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../src/db/database.ts';

/**
 * Opens a new embedded database in memory, a copy of the template in the folder `template` (make-embedded-template.ts).
 */
export async function openInMemory(template: string): Promise<Database> {
  // Imports PGlite only for tests of the embedded engine: the import takes longer than most tests on PostgreSQL.
  const { PGlite } = await import('@electric-sql/pglite');
  const { wrapPglite } = await import('../src/db/open-embedded.ts');
  archive ??= readFile(join(template, 'database.tar'));
  return wrapPglite(await PGlite.create({ loadDataDir: new Archive(await archive) }));
}

let archive: Promise<Buffer<ArrayBuffer>> | null = null;

/** A Blob with a faster `arrayBuffer`. With Node's own Blob, PGlite takes one and a half times as long to open. */
class Archive extends Blob {
  readonly #bytes: Buffer<ArrayBuffer>;

  constructor(bytes: Buffer<ArrayBuffer>) {
    super();
    this.#bytes = bytes;
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    return new Uint8Array(this.#bytes).buffer;
  }
}
