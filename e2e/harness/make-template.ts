// Makes an embedded database with its tables in the data folder named by the first argument, and ends.
// It runs as a child process, because PGlite keeps hundreds of megabytes for as long as its process lives.
import { migrate } from '../../server/src/db/migrate.ts';
import { openEmbedded } from '../../server/src/db/open-embedded.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('make-template: name the folder');
const db = await openEmbedded(folder);
await migrate(db);
await db.close();
