// Creates a migrated embedded database in the folder that the first argument names. Also writes the archive
// `database.tar` into this folder: tests that keep their database in memory load it from the archive.
// Tests run this program as a child process, because PGlite frees its hundreds of megabytes of memory only when the
// process ends.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openEngine } from '../src/db/embedded-engine.ts';
import { migrate } from '../src/db/migrate.ts';
import { openEmbedded } from '../src/db/open-embedded.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('make-embedded-template: name the folder');
const db = await openEmbedded(folder);
await migrate(db);
await db.close();
const engine = await openEngine(join(folder, 'pg'));
const archive = await engine.dumpDataDir('none');
await writeFile(join(folder, 'database.tar'), Buffer.from(await archive.arrayBuffer()));
await engine.close();
