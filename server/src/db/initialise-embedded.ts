// Creates a new embedded database in the folder that the first argument names, and exits. Runs as a child process:
// after initdb, PGlite keeps about 450 MB of memory until its process ends.
import { PGlite } from '@electric-sql/pglite';
import { DURABLE_START_PARAMS, DurableNodeFS } from './embedded-engine.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('initialise-embedded: name the folder');
const db = await PGlite.create({ fs: new DurableNodeFS(folder), startParams: DURABLE_START_PARAMS });
await db.close();
