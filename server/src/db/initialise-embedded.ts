// Creates a new embedded database in the folder named by the first argument, and ends.
// This is a child process, because after initdb PGlite keeps about 450 MB until its process ends.
import { PGlite } from '@electric-sql/pglite';
import { DURABLE_START_PARAMS, DurableNodeFS } from './embedded-filesystem.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('initialise-embedded: name the folder');
const db = await PGlite.create({ fs: new DurableNodeFS(folder), startParams: DURABLE_START_PARAMS });
await db.close();
