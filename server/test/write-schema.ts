// Writes server/schema/schema.sql: the present schema, read from a new embedded database after all migrations.
import { writeFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { migrate } from '../src/db/migrate.ts';
import { wrapPglite } from '../src/db/open-embedded.ts';
import { describeSchema, SCHEMA_FILE } from './describe-schema.ts';

const db = wrapPglite(await PGlite.create());
await migrate(db);
await writeFile(SCHEMA_FILE, await describeSchema(db));
await db.close();
